#!/bin/sh
# check-warnings.sh - what dvmhcc writes gives no warning of gcc and clang at -Wall -Wextra, with and without -autoTfm: of all programs of
# the corpus that are made to work, and of examples/. Warnings are those about generated text and about headers that it includes. Without
# RTS_TEST_FULL=1 clang alone reads the text of the corpus, with -autoTfm and without making code: check-corpus.sh has gcc compile it with the same
# warnings, though not those about headers.
#
# use: check-warnings.sh [NAME...]    in the build folder. RTS_TEST_COMPILERS: the compilers, by default gcc and the newest clang that
# there are. tests/dvmhcc/programs.sh has the other variables that matter.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"

# compilers: those of RTS_TEST_COMPILERS, else what is there; one of a kind.
compilers() {
  if [ -n "${RTS_TEST_COMPILERS-}" ]; then
    printf '%s\n' $RTS_TEST_COMPILERS
    return
  fi
  for kind in 'gcc' 'clang-21 clang-20 clang-19 clang-18 clang-17 clang'; do
    for compiler in $kind; do
      command -v "$compiler" >/dev/null 2>&1 && { echo "$compiler"; break; }
    done
  done
}

# is_whole: whether the program is compiled in all ways.
is_whole() {
  [ -n "${RTS_TEST_FULL-}${RTS_TEST_COMPILERS-}" ] && return 0
  case $name in ok-*) return 1 ;; esac
}

# check_text LABEL: the sources that were written to $place/LABEL.
check_text() {
  for text in "$place/$1"/*.dvmh.c; do
    for compiler in $(compilers); do
      output="-O1 -c -o $place/object.o"
      if ! is_whole; then
        case $compiler in gcc*) continue ;; esac
        output=-fsyntax-only
      fi
      # -I instead of -isystem, so that our headers are looked at as well.
      limited "$compiler" -std=c99 -Wall -Wextra -fopenmp -I "$srcdir/include" -I "$(pwd)" $output "$text" \
        >"$place/log" 2>&1 && [ ! -s "$place/log" ] || fault "$compiler says something of $(basename "$text"), $1" "$place/log"
    done
  done
}

check_one() {
  begin "${1##*/}" "$srcdir/${1%/*}"
  for mode in plain -autoTfm; do
    [ $mode = plain ] && ! is_whole && continue
    mkdir "$place/$mode"
    option=$mode
    [ "$mode" = plain ] && option=
    (cd "$place" && limited $DVMHCC $option -std=c99 --emit "$place/$mode" -c $(cd "$OLDPWD" && for file in $sources; do echo "$(pwd)/$file"; done)) \
      >"$place/log" 2>&1 || fault "not compiled, $mode" "$place/log"
    check_text "$mode"
  done
  finish
}

names() {
  if [ -n "$given" ]; then
    printf '%s\n' $given
  else
    (cd "$srcdir" && ls -d tests/dvmhcc/corpus/ok-*.c tests/dvmhcc/corpus/ok-*/ examples/*.c) | sed 's,\.c$,,; s,/$,,'
  fi
}

# ---- a warning must be noticed

check_planted() {
  {
    echo '#!/bin/sh'
    echo "$DVMHCC \"\$@\" && for file in \"$work\"/*/*/*.dvmh.c; do echo 'static int unused;' >>\"\$file\"; done"
  } >"$work/planted"
  chmod +x "$work/planted"
  if (DVMHCC=$work/planted check_one examples/redblack) | grep -q '^passed$'; then
    echo "FAIL: the check does not see a planted warning"
    exit 1
  fi
}

need_dvmhcc
[ "${1-}" = --one ] || echo "compilers:" $(compilers)
run_script "$@"
