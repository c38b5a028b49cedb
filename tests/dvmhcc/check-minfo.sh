#!/bin/sh
# check-minfo.sh - what -Minfo says of the loops of programs: for each source of the corpus with `info` comments these are all its lines,
# in their order, without the source's folder. Says nothing of programs that have none.
#
# use: check-minfo.sh [NAME...]    in the build folder. tests/dvmhcc/programs.sh has the variables that matter.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
corpus=$srcdir/tests/dvmhcc/corpus

check_one() {
  begin "$1" "$corpus"
  said info >"$place/expected"
  limited $DVMHCC -Minfo -std=c99 -c -o "$place/object.o" "$name.c" >"$place/info" 2>&1 || fault "not compiled" "$place/info"
  diff "$place/expected" "$place/info" >"$place/difference" || fault "it says other things (<: expected)" "$place/difference"
  finish
}

# ---- planted faults: one wrong line must be noticed

# planted WHAT SCRIPT: -Minfo goes through sed.
planted() {
  {
    echo '#!/bin/sh'
    echo "$real \"\$@\" 2>&1 | sed '$2'"
  } >"$work/planted"
  chmod +x "$work/planted"
  (DVMHCC=$work/planted check_one ok-minfo-stencils) | grep -q '^passed$'
  passes=$?
  case $1 in
    nothing) [ "$passes" -eq 0 ] || { echo "FAIL: the check refuses a good compiler"; exit 1; } ;;
    *) [ "$passes" -ne 0 ] || { echo "FAIL: the check does not see a planted fault: $1"; exit 1; } ;;
  esac
}

check_planted() {
  real=$DVMHCC
  planted nothing 's/x/x/'
  planted 'no region' 's/, in a region//'
  planted 'another array' 's/  A: /  B: /'
  planted 'another subscript' 's/i - 1/i - 2/'
  planted 'another vector' 's/(1,0)/(1,1)/'
  planted 'another layout' 's/b = /b = -/'
  planted 'a line less' '$d'
}

names() {
  if [ -n "$given" ]; then
    printf '%s\n' $given
  else
    (cd "$corpus" && grep -l '^/\* info: ' *.c) | sed 's,\.c$,,'
  fi
}

need_dvmhcc
run_script "$@"
