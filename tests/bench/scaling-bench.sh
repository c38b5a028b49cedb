#!/bin/sh
# scaling-bench.sh - many processes against many threads, and sweeps over 1 to 8 processes against the model: the figures of docs/scaling.md.
#
# use: scaling-bench.sh [--quick] [--rounds N] [--cores N]    in the build folder; srcdir in the environment
#
# --quick     small arrays, one round and 1 and 2 processes: to see that all of this works, not to measure
# --rounds N  runs of each kind (5); they take turns, and medians are printed
# --cores N   cores to use (2): one process with so many threads, then so many processes with one thread
#
# sor3d of this build, and jacobi3d of examples/ where there is dvmhcc, by it. RTS_TEST_MPIEXEC is the launcher (mpiexec). The first ratio must
# not be above 1.1.

set -u
top=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
MPIEXEC=${RTS_TEST_MPIEXEC:-mpiexec}
rounds=5 cores=2 quick=no

refuse() {
  echo "scaling-bench.sh: $1" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes rounds=1 ;;
    --rounds | --cores)
      case ${2-} in
        '' | *[!0-9]* | 0*) refuse "$1: '${2-}' given; allowed: a whole number from 1 on" ;;
      esac
      if [ "$1" = --rounds ]; then rounds=$2; else cores=$2; fi
      shift
      ;;
    *) refuse "'$1' given; allowed: --quick, --rounds N, --cores N" ;;
  esac
  shift
done
[ -x "$top/tests/bench/pipeline-bench" ] || refuse "no tests/bench/pipeline-bench in this folder; run this in a build folder"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# Open MPI on one machine, also for root and with more processes than cores.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export PRTE_MCA_rmaps_default_mapping_policy

# on PROCESSES THREADS COMMAND...: one process without the launcher, which would give it one core.
on() {
  processes=$1 DVMH_NUM_THREADS=$2
  export DVMH_NUM_THREADS
  shift 2
  if [ "$processes" -eq 1 ]; then
    "$@"
  else
    $MPIEXEC -n "$processes" "$@"
  fi
}

# median FILE: of the numbers in it, one a line.
median() {
  sort -g "$1" | awk '{ number[NR] = $1 } END { print (number[int((NR + 1) / 2)] + number[int((NR + 2) / 2)]) / 2 }'
}

fail() {
  cat "$work/output" >&2
  echo "scaling-bench.sh: this failed: $1" >&2
  exit 1
}

# sor PROCESSES THREADS: seconds of a sweep.
sor() {
  on "$1" "$2" "$top/sor-bench/$sor" -n $n -i $sweeps --json >"$work/output" 2>&1 || fail "$sor"
  sed -n 's/.*"steady_sweep_s":\([^,]*\),.*/\1/p' "$work/output"
}

# jacobi PROCESSES THREADS: seconds of a step, the difference of two runs.
jacobi() {
  for steps in 4 $((4 + steps_more)); do
    begin=$(date +%s.%N)
    on "$1" "$2" "$work/jacobi3d" $steps >"$work/output" 2>&1 || fail jacobi3d
    echo "$begin $(date +%s.%N)"
  done | awk -v steps=$steps_more '{ time[NR] = $2 - $1 } END { printf "%.6f\n", (time[2] - time[1]) / steps }'
}

# compare NAME FUNCTION: in turns.
compare() {
  rm -f "$work/threads" "$work/processes"
  round=0
  while [ $round -lt "$rounds" ]; do
    $2 1 "$cores" >>"$work/threads" || exit 1
    $2 "$cores" 1 >>"$work/processes" || exit 1
    round=$((round + 1))
  done
  awk -v name="$1" -v threads="$(median "$work/threads")" -v processes="$(median "$work/processes")" 'BEGIN {
    printf "%-16s %10.3f %10.3f %7.2f\n", name, 1e3 * threads, 1e3 * processes, processes / threads }'
}

n=256 sweeps=40 steps_more=40
[ $quick = yes ] && n=64 sweeps=6 steps_more=4
sor=sor3d
[ -x "$top/sor-bench/sor3d" ] || sor=sor3d-record
printf '%-16s %10s %10s %7s\n' "ms a sweep" "1 x $cores" "$cores x 1" ratio
compare "$sor $n^3" sor
if [ -x "$top/dvmhcc" ] && [ -f "$top/.libs/libdvmh.so" ]; then
  DVMHCC_CC=${RTS_TEST_CC:-cc} DVMHCC_CFLAGS="-isystem $srcdir/include" DVMHCC_LIBS="-L$top/.libs -ldvmh -Wl,-rpath,$top/.libs"
  export DVMHCC_CC DVMHCC_CFLAGS DVMHCC_LIBS
  "$top/dvmhcc" -autoTfm -O3 -DN=$n "$srcdir/examples/jacobi3d.c" -lm -o "$work/jacobi3d" || exit 1
  compare "jacobi3d $n^3" jacobi
fi

# sweep_on GRID OPTIONS: the model; the grid's extents are joined by x.
sweep_on() {
  grid=$1
  shift
  echo
  echo "grid $grid $*"
  [ $quick = yes ] && set -- --quick "$@"
  DVMH_PROC_GRID=$(echo "$grid" | tr x ,) on $(($(echo "$grid" | sed 's/x/ * /g'))) 1 "$top/tests/bench/pipeline-bench" "$@" \
    >"$work/output" 2>&1 || fail pipeline-bench
  if [ "$grid" = "$last" ]; then cat "$work/output"; else sed '/^a message/,$d' "$work/output"; fi
}

last=4x2
[ $quick = yes ] && last=2
for grid in 1 2 4 2x2 8 4x2; do
  sweep_on $grid
  [ $grid = $last ] && break
done
[ $quick = yes ] || last='' sweep_on 2x2 --rank 2
