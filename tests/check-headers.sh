#!/bin/sh
# check-headers.sh - every header compiles alone, and twice: ours as C11 after config.h, public ones without
# config.h as C99 and C11 and, where there is a C++ compiler, as C++11.

srcdir=${srcdir:-.}
CC=${RTS_TEST_CC:-cc}
CXX=${RTS_TEST_CXX-c++}
openmp=${RTS_TEST_OPENMP--fopenmp}
if [ ! -f config.h ]; then
  echo "FAIL: run this in the build folder, where config.h is"
  exit 1
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
faults=0
compiled=0

# try HEADER LANGUAGE COMMAND...: compile a file that includes HEADER twice.
try() {
  header=$1 language=$2
  shift 2
  printf '%s#include %s\n#include %s\nextern int header_check;\n' "$first" "$header" "$header" >"$scratch/check.$language"
  compiled=$((compiled + 1))
  if ! "$@" -fsyntax-only -Wall -Wextra -Werror "$scratch/check.$language" >"$scratch/output" 2>&1; then
    echo "$header does not compile alone: $*"
    head -n 20 "$scratch/output"
    faults=$((faults + 1))
  fi
}

first=
for file in "$srcdir"/include/*.h; do
  header="<${file##*/}>"
  try "$header" c $CC $openmp -std=c99 -pedantic -I"$srcdir/include"
  try "$header" c $CC $openmp -std=gnu11 -I"$srcdir/include"
  [ -n "$CXX" ] && try "$header" cpp $CXX $openmp -std=c++11 -I"$srcdir/include"
done

first='#include <config.h>
'
# One header reads libclang's, and is built only where that is.
libclang=${RTS_TEST_LIBCLANG:-}
for file in $(cd "$srcdir" && find rts compiler-hooks -path rts/cuda -prune -o -name '*.h' -print | sort); do
  [ "$file" = compiler-hooks/dvmhcc/ast_clang.h ] && [ -z "$libclang" ] && continue
  try "\"$file\"" c $CC $openmp -std=gnu11 -I. -I"$srcdir" -I"$srcdir/include" $libclang
done

# The check itself: a header that needs another one is refused.
mkdir "$scratch/planted"
echo 'size_t planted_size(void);' >"$scratch/planted/planted.h"
before=$faults
first=
try '<planted.h>' c $CC -std=gnu11 -I"$scratch/planted" >/dev/null
if [ "$faults" -eq "$before" ]; then
  echo "FAIL: a header that does not compile alone was not noticed"
  exit 1
fi

if [ "$before" -gt 0 ]; then
  echo "FAIL: $before of $compiled compilations"
  exit 1
fi
[ -n "$CXX" ] || echo "note: no C++ compiler, so nothing was compiled as C++"
echo "$compiled compilations passed"
