# programs.sh - what the scripts that check programs share: programs built by a plain C compiler and by dvmhcc, run, and compared byte
# for byte. Sourced; decides no list of programs and no modes.
#
# The sourcing script sets `script`, its own path. Environment: RTS_TEST_CC the plain compiler, DVMHCC the command that is checked (empty:
# none; unset: that of the build folder), RTS_TEST_PROGRAM_TIMEOUT seconds for each run of a program or compiler, RTS_TEST_JOBS how many
# programs are checked at a time.
#
# What a source may say about itself, each in a comment on a line of its own:
#   /* arguments: WORDS */                    of the program
#   /* expect: LINE:COLUMN: error: TEXT */    a message of dvmhcc that contains TEXT; also `warning`. COLUMN may be *
# and NAME.in beside NAME.c is the program's standard input.

top=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
CC=${RTS_TEST_CC:-cc}
limit=${RTS_TEST_PROGRAM_TIMEOUT:-60}
flags="-std=c99 -O1 -ffp-contract=off -Wall -Wextra"
parser="$top/tests/dvmhcc/parse_directives"
if [ -z "${DVMHCC+set}" ]; then
  DVMHCC=
  for file in "$top/dvmhcc" "$top/compiler-hooks/dvmhcc/dvmhcc"; do
    [ -x "$file" ] && DVMHCC=$file
  done
fi
case ${RTS_TEST_SANITIZER:-none} in
  asan) sanitizer=-fsanitize=address,undefined ;;
  tsan) sanitizer=-fsanitize=thread ;;
  *) sanitizer= ;;
esac
if [ -z "${DVMHCC_LIBS+set}" ] && [ -f "$top/.libs/libdvmh.so" ]; then
  DVMHCC_CFLAGS="-isystem $srcdir/include"
  DVMHCC_LIBS="-L$top/.libs -ldvmh -Wl,-rpath,$top/.libs"
  export DVMHCC_CFLAGS DVMHCC_LIBS
fi
# Code for GPUs takes long; scripts that are about it say which compiler makes it.
DVMHCC_NVCC=
export DVMHCC DVMHCC_NVCC

# limited COMMAND...: with a limit of time; exit code 124 when it was too long.
limited() {
  if [ -n "${RTS_TEST_TIMEOUT_PROGRAM-timeout}" ]; then
    "${RTS_TEST_TIMEOUT_PROGRAM:-timeout}" -k 5 "$limit" "$@"
  else
    "$@"
  fi
}

# fault TEXT [FILE]: the program that is checked fails; the file's first lines explain it.
fault() {
  echo "FAIL: $name: $1"
  if [ -n "${2-}" ] && [ -s "$2" ]; then
    head -n 20 "$2" | sed 's/^/  | /'
  fi
  faults=$((faults + 1))
}

# said WORD: what comments of the sources say after WORD, one a line.
said() {
  sed -n "s,^/\* $1: \(.*\) \*/\$,\1,p" $sources
}

# begin NAME FOLDER: go to FOLDER, where NAME.c or the folder NAME is, and make room for what comes of it.
begin() {
  name=$1
  faults=0
  cd "$2" || exit 1
  if [ -d "$name" ]; then
    sources=$(echo "$name"/*.c)
    texts="$sources $(ls "$name"/*.h 2>/dev/null)"
  else
    sources=$name.c
    texts=$sources
  fi
  input=/dev/null
  [ -f "$name.in" ] && input=$(pwd)/$name.in
  arguments=$(said arguments)
  place=$work/$name
  rm -rf "$place"
  mkdir -p "$place"
}

# build WHAT COMMAND...: make the program $place/WHAT of the sources; log $place/WHAT.log. The status is the compiler's.
build() {
  what=$1
  shift
  limited "$@" $flags $sources -lm -o "$place/$what" >"$place/$what.log" 2>&1
}

# start WHAT FOLDER [SETTINGS]: run the program $place/WHAT in the new folder $place/FOLDER, by $launcher where that is set. What it prints lies in files there, with its
# exit code, beside the files that it wrote.
start() {
  mkdir "$place/$2"
  (
    cd "$place/$2" || exit 1
    limited env ${3-} ${launcher-} "$place/$1" $arguments <"$input" >standard.output 2>standard.error
    echo "exit code $?" >exit.code
  )
}

# make_reference: the program as a plain C compiler makes it, and what it does.
make_reference() {
  if ! build plain $CC -Wno-unknown-pragmas || [ -s "$place/plain.log" ]; then
    fault "the plain compiler does not like it" "$place/plain.log"
    return 1
  fi
  start plain reference
  [ "$(cat "$place/reference/exit.code")" = "exit code 0" ] || fault "it fails sequentially" "$place/reference/standard.error"
  [ -s "$place/reference/standard.output" ] || fault "it prints nothing"
  [ "$faults" -eq 0 ]
}

# compare WHAT SETTINGS: run $place/WHAT; it must do what the reference did. Memory that nobody set is no zero there (glibc reads the
# variable), so that reading it shows.
compare() {
  rm -rf "$place/run"
  start "$1" run "MALLOC_PERTURB_=113 $2"
  if ! diff -r "$place/reference" "$place/run" >"$place/difference" 2>&1; then
    cat "$place/run/standard.error" >>"$place/difference"
    fault "other results, $1, $2" "$place/difference"
  fi
}

# messages LEVEL LOG: what the compiler told is what the sources expect. LEVEL whole: all of it; directives: nothing else at least.
messages() {
  (
    for file in $texts; do
      sed -n "s,^/\* expect: \(.*\) \*/\$,$file:\1,p" "$file"
    done
  ) >"$place/expected"
  grep -E '(^|: )(fatal error|error|warning): ' "$2" >"$place/told"
  awk -v level="$1" -v expectations="$place/expected" '
    # FILE:LINE:COLUMN: SEVERITY: TEXT
    function cut(line, part, words) {
      split(line, words, ":")
      part["place"] = words[1] ":" words[2]
      part["column"] = words[3]
      part["text"] = substr(line, length(words[1] words[2] words[3]) + 5)
    }
    BEGIN {
      while ((getline line < expectations) > 0) {
        cut(line, part)
        count++
        expected[count] = line
        place[count] = part["place"]
        column[count] = part["column"]
        text[count] = part["text"]
        severity[count] = part["text"]
        sub(/: .*/, ": ", severity[count])
        sub(/^[^:]*: /, "", text[count])
      }
    }
    {
      cut($0, part)
      found = 0
      for (i = 1; i <= count && !found; i++)
        if (!used[i] && place[i] == part["place"] && (column[i] == "*" || column[i] == part["column"]) &&
            index(part["text"], severity[i]) == 1 && index(part["text"], text[i]) > 0)
          found = used[i] = 1
      if (!found)
        print "not expected: " $0
    }
    END {
      for (i = 1; i <= count; i++)
        if (!used[i] && level == "whole")
          print "expected: " expected[i]
    }' "$place/told" >"$place/difference"
  [ -s "$place/difference" ] && fault "other messages" "$place/difference"
}

# check_all: check every program that `names` prints, some at a time, each by `$script --one NAME`; print a summary.
check_all() {
  names | xargs -n 1 -P "${RTS_TEST_JOBS:-2}" "${CONFIG_SHELL:-/bin/sh}" "$script" --one >"$work/results"
  grep -v '^passed$' "$work/results"
  passed=$(grep -c '^passed$' "$work/results")
  echo "$passed of $(names | wc -l) programs passed"
  [ "$passed" -gt 0 ] && [ "$passed" -eq "$(names | wc -l)" ]
}

# finish: the result of one program.
finish() {
  [ "$faults" -eq 0 ] && echo passed
  rm -rf "$place"
}

# run_script [NAME...]: what every script does that checks programs: with --one NAME a single one, whose result lies in a file until it is
# whole, so that those of two programs do not mix; else the planted faults, and then all programs, or those given.
run_script() {
  if [ "${1-}" = --one ]; then
    check_one "$2" >"$work/${2##*/}.result" 2>&1
    cat "$work/${2##*/}.result"
    exit 0
  fi
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' INT TERM HUP
  export work
  check_planted
  given=$*
  check_all
}

# need_parser, need_dvmhcc: in scripts that check without dvmhcc, too, and in those that cannot.
need_parser() {
  if [ ! -x "$parser" ]; then
    echo "FAIL: run this in the build folder; $parser is missing"
    exit 1
  fi
}

need_dvmhcc() {
  if [ -z "$DVMHCC" ]; then
    echo "SKIP: no dvmhcc in this build"
    exit 77
  fi
}
