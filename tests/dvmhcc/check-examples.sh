#!/bin/sh
# check-examples.sh - the teaching programs of examples/ print the same, byte for byte, made by a plain C compiler and by dvmhcc, without
# -autoTfm and with it, in every mode of the planner, on one and two threads.
#
# use: check-examples.sh [NAME...]    in the build folder. tests/dvmhcc/programs.sh has the variables that matter.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
examples=$srcdir/examples
modes="off greedy cost random:1 random:2 random:3"

# check_with LABEL COMMAND...: build with a compiler, which must tell nothing, and run in all modes that the label stands for.
check_with() {
  label=$1
  shift
  build "$label" "$@" || { fault "not built, $label" "$place/$label.log"; return; }
  [ -s "$place/$label.log" ] && fault "something was told, $label" "$place/$label.log"
  case $label in
    plain-text) compare "$label" "" ;;
    dvmhcc)
      # Modes that reorganise must do nothing to a program that does not ask for it.
      for mode in off cost random:1; do
        compare "$label" "DVMH_NUM_THREADS=2 DVMH_PLANNER=$mode"
      done
      ;;
    autoTfm)
      for mode in $modes; do
        for threads in 1 2; do
          compare "$label" "DVMH_NUM_THREADS=$threads DVMH_PLANNER=$mode"
        done
      done
      compare "$label" "DVMH_FAKE_DEVICES=1"
      ;;
  esac
}

check_one() {
  begin "$1" "$examples"
  if make_reference; then
    if [ -z "$DVMHCC" ]; then
      check_with plain-text "$parser" -Wno-unknown-pragmas
    else
      check_with dvmhcc $DVMHCC $sanitizer
      check_with autoTfm $DVMHCC -autoTfm $sanitizer
    fi
  fi
  finish
}

# ---- planted faults: a compiler whose programs are wrong in one mode or one number must be noticed

# planted WHAT TEXT: the compiler makes the right program, and then a script around it, which ends in TEXT.
planted() {
  {
    echo '#!/bin/sh'
    echo 'for word; do out=$word; done'
    echo "\"$parser\" -Wno-unknown-pragmas \"\$@\" && mv \"\$out\" \"\$out.real\" && cat >\"\$out\" <<END_OF_TEXT && chmod +x \"\$out\""
    echo '#!/bin/sh'
    echo "$2"
    echo END_OF_TEXT
  } >"$work/planted"
  chmod +x "$work/planted"
  (DVMHCC=$work/planted check_one redblack) | grep -q '^passed$'
  passes=$?
  case $1 in
    nothing) [ "$passes" -eq 0 ] || { echo "FAIL: the check refuses a good compiler"; exit 1; } ;;
    *) [ "$passes" -ne 0 ] || { echo "FAIL: the check does not see a planted fault: $1"; exit 1; } ;;
  esac
}

check_planted() {
  planted nothing 'exec $out.real'
  planted 'one digit' '$out.real | sed "s/0\\.4984/0.4985/"'
  planted 'no last line' '$out.real | head -n 2'
  planted 'a result that depends on the mode' '$out.real; [ "\$DVMH_PLANNER" != random:3 ] || echo more'
  planted 'a result that depends on threads' '$out.real; [ "\$DVMH_PLANNER/\$DVMH_NUM_THREADS" != greedy/1 ] || echo more'
  planted 'a crash at the end' '$out.real; exit 139'
}

names() {
  if [ -n "$given" ]; then
    printf '%s\n' $given
  else
    (cd "$examples" && ls *.c) | sed 's,\.c$,,'
  fi
}

need_parser
[ -n "$DVMHCC" ] || [ "${1-}" = --one ] || echo "no dvmhcc in this build: the directives alone are checked"
run_script "$@"
