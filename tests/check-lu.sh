#!/bin/sh
# check-lu.sh - the benchmark LU gives the norms that are published, and in every planner mode, on threads and on processes in any grid those
# of the sequential program, which the C compiler makes of the same source; with saved costs all steps from the fourth on change as many
# layouts, mostly none; copies of arrays take no more memory than is allowed; wrong options are told with exit code 2.
#
# In the build folder. Without dvmhcc there is only the sequential program; without mpiexec one process. With LU_TEST_LONG=1, which takes
# many minutes, more of all, and class A.

failed=0
ran=0
log=check-lu.$$.log
costs=check-lu.$$.costs
reference=check-lu.$$.reference
trap 'rm -f "$log" "$costs" "$reference"' EXIT
long=${LU_TEST_LONG:-}

fails() {
  echo "fails: $*"
  cat "$log"
  failed=$((failed + 1))
}

# field NAME: a value of the JSON line in the log.
field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$log"
}

# norms: the eleven norms in the log, one a line.
norms() {
  sed -n 's/.*"residual":\[\(.*\)\],"error":\[\(.*\)\],"integral":\([^,]*\),.*/\1,\2,\3/p' "$log" | tr ',' '\n'
}

# expect CLASS STEPS: the sequential program's norms become the reference. Whole runs must verify.
expect() {
  class=$1
  steps=$2
  ./npb-lu/lu-plain -c "$class" --iterations "$steps" --json > "$log" 2>&1 || fails lu-plain -c "$class"
  norms > "$reference"
  [ "$(wc -l < "$reference")" -eq 11 ] || fails "no eleven norms: lu-plain -c $class --iterations $steps"
  [ "$(field verified)" != false ] || fails "not verified: lu-plain -c $class"
  ran=$((ran + 1))
}

# judge NAME: the norms in the log must be the reference's but for rounding of sums, and the copies must fit.
judge() {
  norms | paste "$reference" - | awk '
    { lines++; difference = $1 - $2; bad += NF != 2 || $1 == 0 || difference > 1e-12 * $1 || -difference > 1e-12 * $1 }
    END { exit lines != 11 || bad > 0 }' || fails "other norms than the sequential program's: $1"
  ran=$((ran + 1))
}

# judge_memory NAME: the arrays and their copies.
judge_memory() {
  field memory_ratio | awk '{ exit !($1 >= 1 && $1 <= 2.5) }' || fails "more than 2.5 times the arrays: $1"
}

# threads NUMBER MODE..: on threads of one process.
threads() {
  number=$1
  shift
  for mode; do
    DVMH_NUM_THREADS=$number ./npb-lu/lu -c "$class" --iterations "$steps" --planner "$mode" --json > "$log" 2>&1 ||
      fails "$number threads, $mode, class $class"
    judge "$number threads, $mode, class $class"
    case $mode in
      random*) ;; # takes any layout
      *) judge_memory "$number threads, $mode, class $class" ;;
    esac
  done
}

# processes GRID MODE..: on a grid of processes with a thread each.
processes() {
  grid=$1
  shift
  for mode; do
    DVMH_NUM_THREADS=1 OMP_NUM_THREADS=1 DVMH_PROC_GRID=$(echo "$grid" | tr x ,) \
      $RTS_TEST_MPIEXEC -n $(($(echo "$grid" | sed 's/x/ * /g'))) ./npb-lu/lu -c "$class" --iterations "$steps" --planner "$mode" \
      --json < /dev/null > "$log" 2>&1 || fails "processes $grid, $mode, class $class"
    [ "$(grep -c '"program"' "$log")" -eq 1 ] || fails "not one line: processes $grid, $mode"
    judge "processes $grid, $mode, class $class"
  done
}

# replay THREADS: what a run cost, and a run that decides by that.
replay() {
  DVMH_NUM_THREADS=$1 DVMH_PLANNER_SAVE=$costs ./npb-lu/lu -c "$class" --iterations "$steps" --planner cost --json > "$log" 2>&1 ||
    fails "saving costs, class $class"
  judge "saving costs, class $class"
  threads "$1" "replay:$costs"
  # Nothing is tried, so from the second step on all do the same.
  field steady_from_step | awk '{ exit !($1 >= 1 && $1 <= 2) }' || fails "steps differ in their reorganisations, class $class"
}

# bad PART ARGUMENTS: must end with exit code 2 and a message with PART in it.
bad() {
  part=$1
  shift
  "$program" "$@" > "$log" 2>&1
  code=$?
  { [ "$code" -eq 2 ] && grep -q -e "$part" "$log"; } || fails "exit code $code, or no '$part' in the message: $program $*"
  ran=$((ran + 1))
}

check_program() {
  bad 'allowed: S, W, A, B, C or D' -c X
  bad 'allowed: S, W, A, B, C or D' -c SW
  bad "'nothing' given" -c
  bad 'allowed: a number of time steps' --iterations 0
  bad 'allowed: a number of time steps' --iterations 5x
  bad 'allowed: a number of time steps' --iterations 99999999999999999999
  bad 'allowed: off, greedy' --planner sometimes
  bad 'allowed: off, greedy' --planner random:x
  bad 'allowed: off, greedy' --planner replay:
  bad 'allowed: with --verify 50' --verify --iterations 49
  bad 'allowed: one of the options' --nonsense
  "$program" -c S --verify > "$log" 2>&1 || fails "$program -c S --verify"
  for part in 'Verification Successful' 'Mop/s total' 'Verification    = *SUCCESSFUL' 'Comparison of surface integral'; do
    grep -q "$part" "$log" || fails "no '$part' in the output of $program"
  done
  "$program" -c S --iterations 3 > "$log" 2>&1 && grep -q 'No verification performed' "$log" || fails "$program --iterations 3"
  "$program" -c S --iterations 3 --json > "$log" 2>&1
  for key in program class n iterations threads processes backend planner time_s mops rhs_s lower_s upper_s update_s norms_s \
    reorganise_s reorganise_bytes reorganisations step_reorganisations steady_from_step exchange_s exchange_bytes memory_ratio residual error integral verified; do
    grep -q "\"$key\": *[^ ,}]" "$log" || fails "$program --json prints no $key"
  done
  "$program" --help > "$log" 2>&1 && grep -q usage "$log" || fails "$program --help"
  if [ -w /dev/full ] && "$program" --iterations 1 > /dev/full 2> "$log"; then
    fails "$program does not notice that its output is lost"
  fi
}

program=./npb-lu/lu-plain
check_program
expect S 50
if [ ! -x npb-lu/lu ]; then
  echo "no npb-lu/lu in this build, which dvmhcc makes: the sequential program alone is checked"
  echo "$ran runs, $failed failed"
  [ "$failed" -eq 0 ]
  exit
fi
program=./npb-lu/lu
check_program
for number in 1 2 3; do
  threads $number off greedy cost random:1 random:$number
done
replay 2
if [ -z "${RTS_TEST_MPIEXEC:-}" ]; then
  echo "no runs with several processes: this build has no MPI or no mpiexec"
else
  processes 2 off cost
  expect S 4
  processes 1x2 greedy random:4
  processes 1x1x2 off cost
  processes 2x2 off greedy random:5
  processes 2x3 cost
  processes 1x2x3 off
  processes 2x2x2 greedy random:6
  if [ -n "$long" ]; then
    for grid in 2 1x2 1x1x2 4 2x2 1x2x2 4x1 6 3x2 2x1x3 8 1x8 4x2 2x2x2; do
      processes $grid off greedy cost random:7 random:8
    done
  fi
fi
expect W 300
threads 2 off
expect W 30
threads 2 greedy random:9
replay 2
[ -z "${RTS_TEST_MPIEXEC:-}" ] || processes 2 off
if [ -n "$long" ]; then
  expect W 300
  threads 1 off greedy cost
  threads 2 cost random:10
  threads 3 greedy cost
  replay 1
  if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
    processes 2 cost
    processes 1x2 off
    processes 2x2 greedy
  fi
  expect A 250
  threads 2 off cost
  replay 2
  [ -z "${RTS_TEST_MPIEXEC:-}" ] || processes 2 cost
fi
echo "$ran runs, $failed failed"
[ "$failed" -eq 0 ]
