# cluster.sh - shared by the scripts of tests/cluster; each reads it first. Runs commands and compares what they say.

case ${RTS_TEST_MPIEXEC:-} in
  '')
    echo "SKIP: this build has no MPI or no mpiexec"
    exit 77
    ;;
esac
log=${0##*/}.$$.log
errors=${0##*/}.$$.errors
failed=0
ran=0
trap 'rm -rf "$log" "$errors" ${scratch:-}' EXIT
trap 'exit 1' HUP INT TERM

# wrong TEXT: count a failure, and show what the last command said.
wrong() {
  echo "FAIL: $1"
  echo "exit code $code; standard output, standard error:"
  cat "$log" "$errors"
  failed=$((failed + 1))
  if [ "$failed" -ge 10 ]; then
    echo "that is enough"
    exit 1
  fi
}

# run COMMAND: keep its output, its messages and its code; no longer than 60 seconds.
run() {
  shown="$*"
  timeout 60 "$@" >"$log" 2>"$errors"
  code=$?
  ran=$((ran + 1))
  if [ "$code" -eq 124 ]; then
    wrong "$shown: runs longer than a minute"
  fi
}

# expect_code CODE
expect_code() {
  if [ "$code" -ne "$1" ]; then
    wrong "$shown: exit code $code, not $1"
  fi
}

# expect_lines FILE PATTERN COUNT: that many lines match.
expect_lines() {
  found=$(grep -c -e "$2" "$1")
  if [ "$found" -ne "$3" ]; then
    wrong "$shown: $found lines with '$2', not $3"
  fi
}

# expect_message TEXT: standard error is one line, with TEXT in it.
expect_message() {
  if [ "$(wc -l <"$errors")" -ne 1 ] || ! grep -qF -e "$1" "$errors"; then
    wrong "$shown: the message is not one line with '$1'"
  fi
}

# expect_silence: standard error is empty.
expect_silence() {
  if [ -s "$errors" ]; then
    wrong "$shown: there are messages"
  fi
}

finish() {
  echo "$ran runs, $failed failures"
  [ "$failed" -eq 0 ]
  exit
}
