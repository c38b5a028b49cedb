#!/bin/sh
# check-corpus.sh - a small program for each feature of the language and for each error. Programs ok-* do what a plain C compiler makes of
# them, byte for byte, built with and without -autoTfm, in several modes of the planner. Programs bad-* are refused with the messages that
# they expect and nothing else, and leave no output; warn-* are told about, and compiled; fail-* are compiled, and end with the message
# that they say. A name is NAME.c or a folder of sources.
#
# In a build without dvmhcc, which needs libclang, the directives alone are read (parse_directives).
#
# use: check-corpus.sh [NAME...]    in the build folder. tests/dvmhcc/programs.sh has the variables that matter.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
corpus=$srcdir/tests/dvmhcc/corpus

# check_ok LEVEL LABEL COMMAND...: a program that must work.
check_ok() {
  level=$1
  label=$2
  shift 2
  build "$label" "$@" || { fault "not built, $label" "$place/$label.log"; return; }
  messages "$level" "$place/$label.log"
  grep -vE '(^|: )(error|warning|note): |^ *[0-9]* \|' "$place/$label.log" >"$place/rest" && fault "more was told, $label" "$place/rest"
  case $label in
    plain-text) compare "$label" "" ;;
    dvmhcc) compare "$label" DVMH_NUM_THREADS=2 ;;
    autoTfm)
      compare "$label" DVMH_NUM_THREADS=2
      compare "$label" "DVMH_NUM_THREADS=2 DVMH_PLANNER=random:1 DVMH_FAKE_DEVICES=1"
      compare "$label" "DVMH_NUM_THREADS=1 DVMH_PLANNER=random:2"
      ;;
  esac
}

# check_bad LEVEL LABEL COMMAND...: a program that must be refused; by its directives alone only where they are what is wrong.
check_bad() {
  level=$1
  label=$2
  shift 2
  [ -d "$name" ] || set -- "$@" -c # a folder's sources go to one output
  build "$label" "$@"
  code=$?
  messages "$level" "$place/$label.log"
  if [ "$level" = directives ] && [ ! -s "$place/told" ]; then
    return
  fi
  [ "$code" -eq 1 ] || fault "exit code $code instead of 1, $label" "$place/$label.log"
  [ -e "$place/$label" ] && fault "an output was written, $label"
}

# check_warn LEVEL LABEL COMMAND...: a program that is compiled, with messages.
check_warn() {
  level=$1
  label=$2
  shift 2
  build "$label" "$@" -c || fault "not compiled, $label" "$place/$label.log"
  messages "$level" "$place/$label.log"
}

# check_fail LEVEL LABEL COMMAND...: a program that ends with exit code 1 and the message that it says. What it does as plain C is not
# defined, so there is nothing to run without dvmhcc.
check_fail() {
  level=$1
  label=$2
  shift 2
  build "$label" "$@" || { fault "not built, $label" "$place/$label.log"; return; }
  messages "$level" "$place/$label.log"
  [ "$label" = plain-text ] && return
  rm -rf "$place/run"
  start "$label" run DVMH_NUM_THREADS=2
  [ "$(cat "$place/run/exit.code")" = "exit code 1" ] || fault "$(cat "$place/run/exit.code") instead of 1, $label"
  [ "$(wc -l <"$place/run/standard.error")" -eq 1 ] || fault "not one line, $label" "$place/run/standard.error"
  said fails | while read -r text; do
    # What stands in between are details that are not said, such as the folder of the source.
    grep -F "${text% \[*}" "$place/run/standard.error" | grep -qF "${text##*\[}" || echo "$text"
  done >"$place/difference"
  if [ -s "$place/difference" ]; then
    cat "$place/run/standard.error" >>"$place/difference"
    fault "another message, $label" "$place/difference"
  fi
}

check_one() {
  begin "$1" "$corpus"
  kind=${name%%-*}
  if [ "$kind" != ok ] || make_reference; then
    if [ -z "$DVMHCC" ]; then
      "check_$kind" directives plain-text "$parser" -w
    else
      "check_$kind" whole dvmhcc $DVMHCC $sanitizer
      "check_$kind" whole autoTfm $DVMHCC -autoTfm $sanitizer
    fi
  fi
  finish
}

# ---- planted faults: compilers that do one thing wrong must be noticed

# planted WHAT NAME: put a compiler in place that is a faulty script, read from the standard input; the program NAME must fail.
planted() {
  cat >"$work/planted"
  chmod +x "$work/planted"
  if (DVMHCC=$work/planted limit=1 check_one "$2") | grep -q '^passed$'; then
    echo "FAIL: the check does not see a planted fault: $1"
    exit 1
  fi
}

# The faulty compilers know where the output is, and can make the right program: $out, $good.
preamble() {
  cat <<END_OF_TEXT
#!/bin/sh
for word; do out=\$word; done
good() { "$parser" -w "\$@"; }
END_OF_TEXT
}

# faulty TEXT: a compiler that makes the right program, and then does what TEXT says.
faulty() {
  preamble
  echo "$1"
}

check_planted() {
  if ! (DVMHCC="$parser -w" check_one ok-names) | grep -q '^passed$'; then
    echo "FAIL: the check refuses a good compiler"
    exit 1
  fi
  wrap='good "$@" && mv "$out" "$out.real" && { echo "#!/bin/sh"; echo "$out.real"; '
  faulty "$wrap"'echo "echo more"; } >"$out"; chmod +x "$out"' | planted 'more output' ok-names
  faulty "$wrap"'echo "echo more >&2"; } >"$out"; chmod +x "$out"' | planted 'output on standard error' ok-names
  faulty "$wrap"'echo "exit 3"; } >"$out"; chmod +x "$out"' | planted 'another exit code' ok-names
  faulty "$wrap"'echo "echo x >file.txt"; } >"$out"; chmod +x "$out"' | planted 'one more file' ok-names
  faulty "$wrap"'echo "sleep 20"; } >"$out"; chmod +x "$out"' | planted 'a program that does not end' ok-names
  faulty 'good "$@"; { echo "#!/bin/sh"; } >"$out"' | planted 'no output' ok-names
  faulty 'good "$@"; echo "ok-names.c:3:1: warning: strange"' | planted 'a warning' ok-names
  faulty 'good "$@"; echo "hello"' | planted 'chatter' ok-names
  faulty 'exit 1' | planted 'nothing built' ok-names
  faulty 'good "$@"; exit 0' | planted 'success after errors' bad-clause
  faulty 'good "$@"; exit 139' | planted 'a crash' bad-clause
  faulty 'good "$@"; echo >"$out"; exit 1' | planted 'an output in spite of errors' bad-clause
  faulty 'exit 1' | planted 'no messages' bad-clause
  faulty 'good "$@" 2>&1 | sed "s/:9:26:/:9:27:/"; exit 1' | planted 'another column' bad-clause
  faulty 'good "$@" 2>&1 | sed "s/private/privet/"; exit 1' | planted 'another text' bad-clause
  faulty 'good "$@" 2>&1 | sed "s/ error: / warning: /"; exit 1' | planted 'warnings instead of errors' bad-clause
  faulty 'good "$@" 2>&1; echo "bad-clause.c:9:26: error: and more"; exit 1' | planted 'one more message' bad-clause
  faulty 'good "$@" 2>&1; echo "dvmhcc: error: and more"; exit 1' | planted 'a message without a place' bad-clause
  faulty 'good "$@" 2>&1 | sed /:9:26:/d; exit 1' | planted 'one message less' bad-clause
  faulty 'good "$@" 2>/dev/null' | planted 'no warnings' warn-clauses
  program='echo "#!/bin/sh"; echo "echo element A[12][3] is outside of the array; allowed: [0..9][0..19] [fail-index-read.c:9] >&2"'
  faulty "{ $program"'; echo "exit 0"; } >"$out"; chmod +x "$out"' | planted 'no exit code' fail-index-read
  faulty "{ $program"'; echo "exit 139"; } >"$out"; chmod +x "$out"' | planted 'a crash behind the message' fail-index-read
  faulty "{ $program"' | sed "s/allowed/or/"; echo "exit 1"; } >"$out"; chmod +x "$out"' | planted 'a message without what is allowed' fail-index-read
  faulty "{ $program"' | sed "s/c:9/c:8/"; echo "exit 1"; } >"$out"; chmod +x "$out"' | planted 'another line' fail-index-read
}

# ---- all

names() {
  if [ -n "$given" ]; then
    printf '%s\n' $given
  else
    (cd "$corpus" && ls -d *.c */) | sed 's,\.c$,,; s,/$,,' | grep -v '^gpu-' # which check-gpu.sh has
  fi
}

need_parser
[ -n "$DVMHCC" ] || [ "${1-}" = --one ] || echo "no dvmhcc in this build: the directives alone are checked"
run_script "$@"
