#!/bin/sh
# gsai-parasails.sh - examples/gsai beside hypre's ParaSails on real matrices: processor time of set-up on one core, in turns in one process, and
# iterations of BiCGSTAB. docs/benchmarks.md says what came of it. Not part of make check.
#
# use: in the build folder, sh SOURCES/tests/peers/gsai-parasails.sh [ROUNDS]
# GSAI_TEST_MATRICES is the folder with NAME.mtx; MATRICES says which. Debian and Ubuntu have hypre as libhypre-dev; hypre elsewhere: HYPRE_CPPFLAGS, HYPRE_LIBS.

srcdir=${srcdir:-$(dirname "$0")/../..}
matrices=${GSAI_TEST_MATRICES:-$srcdir/../shared/data/matrices}
names=${MATRICES:-orsreg_1 add32 1138_bus nos7 watt_2 sherman1 jpwh_991 steam2}
program=tests/peers/gsai-parasails
rounds=${1:-21}

skip() {
  echo "SKIP: $*"
  exit 77
}
[ -d "$matrices" ] || skip "no folder $matrices with Matrix Market files; GSAI_TEST_MATRICES can name one"
[ -f config.status ] || { echo "this is no build folder: run configure here first"; exit 1; }
grep -q '^#define HAVE_MPI 1' config.h || skip "this build is without MPI, which hypre needs"
: "${HYPRE_CPPFLAGS:=-isystem /usr/include/hypre}" "${HYPRE_LIBS:=-lHYPRE}"
printf '#include <HYPRE.h>\nint main(void) { return HYPRE_Init(); }\n' >gsai-parasails-try.c
mpicc $HYPRE_CPPFLAGS gsai-parasails-try.c $HYPRE_LIBS -o gsai-parasails-try >/dev/null 2>&1
found=$?
rm -f gsai-parasails-try.c gsai-parasails-try
[ "$found" -eq 0 ] || skip "mpicc does not find hypre (libhypre-dev) with $HYPRE_CPPFLAGS $HYPRE_LIBS"
make -s "$program" HYPRE_CPPFLAGS="$HYPRE_CPPFLAGS" HYPRE_LIBS="$HYPRE_LIBS" || exit 1

DVMH_NUM_THREADS=1 OMP_NUM_THREADS=1
export DVMH_NUM_THREADS OMP_NUM_THREADS
echo "set-up in ms of processor time: ParaSails, ours left and right with their ratios to it; iterations of the three"
for name in $names; do
  [ -f "$matrices/$name.mtx" ] || { echo "note: no $matrices/$name.mtx"; continue; }
  "$program" "$matrices/$name.mtx" "$rounds" || exit 1
done
