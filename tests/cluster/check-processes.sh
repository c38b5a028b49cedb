#!/bin/sh
# check-processes.sh [PROGRAM...] - run test programs with 1, 2, 3, 4, 6 and 8 processes, on several process grids; with RTS_TEST_FULL=1 on more.
#
# Without arguments: all that tests/Makemodule.am lists in cluster_tests. A program ends with 0 when all is well, in every process.

if [ -z "${RTS_TEST_MPIEXEC:-}" ]; then
  echo "SKIP: this build has no MPI or no mpiexec"
  exit 77
fi
[ "$#" -eq 0 ] && set -- ${RTS_TEST_CLUSTER_PROGRAMS:-}
if [ "$#" -eq 0 ]; then
  echo "FAIL: no programs"
  exit 1
fi

DVMH_NUM_THREADS=${DVMH_NUM_THREADS:-1}
export DVMH_NUM_THREADS
faults=0

# one PROGRAM NUMBER GRID DEVICES OVERLAP [SEED]: a time limit of its own, so that a process that waits forever is told by name. With SEED
# the planner chooses at random, differently in every process, where the program does not say how it chooses.
one() {
  wrapper=
  [ -n "${6-}" ] && wrapper="sh ${srcdir:-.}/tests/cluster/seed-apart.sh"
  if ! SEED_APART=${6-} DVMH_PROC_GRID=$3 DVMH_FAKE_DEVICES=$4 DVMH_OVERLAP=$5 \
    ${RTS_TEST_TIMEOUT_PROGRAM:-timeout} -k 10 "${RTS_TEST_PROCESSES_TIMEOUT:-120}" \
    $RTS_TEST_MPIEXEC -n "$2" $wrapper "$1" </dev/null; then
    echo "FAIL: $1 with $2 processes, grid $3, $4 devices, overlap $5, seed ${6:-none}"
    faults=1
  fi
}

for program; do
  one "$program" 1 1 0 on
  one "$program" 2 2 2 on 1
  one "$program" 3 3 0 off
  one "$program" 4 '2 2' 1 auto 2
  one "$program" 6 '2 3' 2 on 3
  one "$program" 8 '2 2 2' 0 on 4
  if [ -n "${RTS_TEST_FULL-}" ]; then
    one "$program" 4 4 1 auto
    one "$program" 4 '2 2' 0 on 2
    one "$program" 6 '1 6' 0 off
    one "$program" 8 '4 2' 1 auto 5
  fi
done
exit "$faults"
