#!/bin/sh
# check-sor.sh - the benchmark programs, made by dvmhcc and with handlers written by hand, give the sequential loop's results, bit for bit,
# in every size, order, type, strategy and planner mode, on one process and on several; their JSON line has all keys; wrong options are told
# with exit code 2.
#
# With RTS_TEST_FULL=1 everything for both types and more seeds; else double by dvmhcc and float by hand.
#
# In the build folder. Without dvmhcc there are only the programs written by hand; without mpiexec one process.

failed=0
ran=0
log=check-sor.$$.log
costs=check-sor.$$.costs
trap 'rm -f "$log" "$costs"' EXIT

suffixes=-record
if [ -x sor-bench/sor2d ] && [ -x sor-bench/sor3d ]; then
  suffixes="made-by-dvmhcc -record"
else
  echo "no sor2d and sor3d in this build, which dvmhcc makes: sor2d-record and sor3d-record alone are checked"
fi

# good SETTINGS PROGRAM ARGUMENTS: must verify.
good() {
  settings=$1
  shift
  program=$1
  shift
  if ! env $settings "./sor-bench/$program" "$@" --verify > "$log" 2>&1; then
    echo "fails: $settings $program $* --verify"
    cat "$log"
    failed=$((failed + 1))
  fi
  ran=$((ran + 1))
}

# on GRID PROGRAM ARGUMENTS: must verify on a grid of processes, and print its line once.
on() {
  grid=$1
  shift
  program=$1
  shift
  if ! DVMH_NUM_THREADS=1 OMP_NUM_THREADS=1 DVMH_PROC_GRID=$(echo "$grid" | tr x ,) \
    $RTS_TEST_MPIEXEC -n $(($(echo "$grid" | sed 's/x/ * /g'))) "./sor-bench/$program" "$@" --verify </dev/null > "$log" 2>&1 ||
    [ "$(grep -c verified "$log")" -ne 1 ]; then
    echo "fails on $grid processes: $program $* --verify"
    cat "$log"
    failed=$((failed + 1))
  fi
  ran=$((ran + 1))
}

# check_processes MODES: both programs with these planner modes.
check_processes() {
  for mode in $1; do
    for order in natural reversed; do
      on 2x1 sor2d$suffix -n 61,83 -i 5 --order $order --planner $mode
      on 1x2 sor3d$suffix -n 17,29,23 -i 5 --order $order --planner $mode
      on 2x2 sor2d$suffix -n 40,37 -i 5 --order $order --planner $mode --type float
      on 3x2 sor3d$suffix -n 19,11,26 -i 5 --order $order --planner $mode
    done
    on 3 sor2d$suffix -n 2 -i 2 --planner $mode # a process without elements
    on 2x2 sor2d$suffix -n 23,31 -i 4 --planner $mode --stencil box
    on 1x2 sor3d$suffix -n 9,12,11 -i 3 --planner $mode --stencil box --order reversed
  done
  on 3x2 sor3d$suffix -n 16,31,9 -i 6 --order reversed --planner off --json
}

# bad PART PROGRAM ARGUMENTS: must end with exit code 2 and a message with PART in it.
bad() {
  part=$1
  shift
  program=$1
  shift
  "./sor-bench/$program" "$@" > "$log" 2>&1
  code=$?
  if [ "$code" -ne 2 ] || ! grep -q -e "$part" "$log"; then
    echo "exit code $code, or no '$part' in the message: $program $*"
    cat "$log"
    failed=$((failed + 1))
  fi
  ran=$((ran + 1))
}

# With the costs of an earlier run nothing is tried, and two runs make the same choices.
choices() {
  "./sor-bench/sor2d$suffix" -n 300,500 -i 8 --order $1 --planner "replay:$costs" --verify --json > "$log" 2>&1 ||
    { cat "$log" >&2; echo fails; return; }
  grep -oE '"(strategy|layouts|reorganisations|explorations|verified)":("[^"]*"|[^,}]*)' "$log" | tr '\n' ' '
}

# Jacobi sweeps and sweeps along lines: enough sizes, modes and grids to see that they are right; the loops' machinery is tested by the others.
check_likes() {
  for n in 1 2 3 7 16; do
    good "DVMH_NUM_THREADS=3" jacobi3d -n $n -i 2
    good "DVMH_NUM_THREADS=3" adi3d -n $n -i 2
  done
  for order in natural reversed; do
    for mode in off cost random:1 random:2; do
      good "DVMH_NUM_THREADS=2" jacobi3d -n 17,29,23 -i 6 --order $order --planner $mode
      good "DVMH_NUM_THREADS=2" adi3d -n 17,29,23 -i 6 --order $order --planner $mode --type float
    done
    good "DVMH_FAKE_DEVICES=2" jacobi3d -n 16,31,9 -i 3 --order $order --stencil box --type float
    good "DVMH_FAKE_DEVICES=2" adi3d -n 16,31,9 -i 3 --order $order --planner greedy
  done
  bad '--stencil' adi3d --stencil box
  [ -n "${RTS_TEST_MPIEXEC:-}" ] || return 0
  on 2x2 jacobi3d -n 17,29,23 -i 3 --stencil box
  on 1x2 jacobi3d -n 9,12,11 -i 3 --order reversed --planner random:3
  on 2x2 adi3d -n 17,29,23 -i 3
  on 3 adi3d -n 7 -i 2 --order reversed --planner random:3
}

# check_programs THREADS SEEDS TYPES: check sor2d$suffix and sor3d$suffix, whose lines the report finds in $source: all sizes with so many
# threads, random planners with these seeds, each strategy and mode with these types, and everything else.
check_programs() {
  for threads in $1; do
    for n in 1 2 3 4 13 32 67 128; do
      good "DVMH_NUM_THREADS=$threads" sor2d$suffix -n $n -i 3
    done
    for n in 1 2 3 7 16 31; do
      good "DVMH_NUM_THREADS=$threads" sor3d$suffix -n $n -i 3
    done
  done
  for strategy in lexicographic jam front tile; do
    for order in natural reversed; do
      for stencil in star box; do
        for type in $3; do
          good "DVMH_STRATEGY=$strategy DVMH_NUM_THREADS=3" sor2d$suffix -n 61,83 -i 2 --order $order --stencil $stencil --type $type
          good "DVMH_STRATEGY=$strategy DVMH_NUM_THREADS=2" sor3d$suffix -n 17,29,23 -i 2 --order $order --stencil $stencil --type $type
        done
      done
    done
  done
  for seed in $2; do
    for order in natural reversed; do
      for stencil in star box; do
        good "DVMH_FAKE_DEVICES=$((seed % 3))" sor2d$suffix -n 97,41 -i 4 --order $order --stencil $stencil --planner random:$seed
        good "DVMH_FAKE_DEVICES=$((seed % 3))" sor3d$suffix -n 19,11,37 -i 4 --order $order --stencil $stencil --planner random:$seed
      done
    done
  done

  # Modes that reorganise: long enough for the planner to try what it wants to try, and to settle.
  for mode in off greedy cost; do
    for order in natural reversed; do
      for stencil in star box; do
        for type in $3; do
          good "DVMH_NUM_THREADS=3" sor2d$suffix -n 61,83 -i 15 --order $order --stencil $stencil --type $type --planner $mode
          good "DVMH_NUM_THREADS=2" sor3d$suffix -n 17,29,23 -i 15 --order $order --stencil $stencil --type $type --planner $mode
        done
      done
      good "DVMH_FAKE_DEVICES=2" sor3d$suffix -n 16,31,9 -i 6 --order $order --planner $mode
    done
  done

  for order in natural reversed; do
    good "DVMH_PLANNER_SAVE=$costs" sor2d$suffix -n 300,500 -i 25 --order $order --planner cost
    first=$(choices $order)
    second=$(choices $order)
    case $first in
      "$second") ;;
      *)
        echo "two runs on the same costs, $order: $first and $second"
        failed=$((failed + 1))
        ;;
    esac
    case $first in
      *'"explorations":0 '*'"verified":true'*) ;;
      *)
        echo "a run on saved costs, $order, has tried something or is wrong: $first"
        failed=$((failed + 1))
        ;;
    esac
    ran=$((ran + 2))
  done

  # The report comes on standard error, and says what was done.
  DVMH_REPORT=1 "./sor-bench/sor2d$suffix" -n 200 -i 4 --order reversed --planner greedy 2> "$log" > /dev/null
  for part in '^== DVMH report: loops ran 5 times' "$source:.*198x198\$" 'given:  *[a-z].*4 times$' 'reorganisations* of .* GB/s'; do
    if ! grep -q -e "$part" "$log"; then
      echo "the report has no '$part':"
      cat "$log"
      failed=$((failed + 1))
    fi
  done

  for program in sor2d$suffix sor3d$suffix; do
    "./sor-bench/$program" -n 20 -i 2 --json --verify > "$log" 2>&1
    for key in program n iterations type order stencil threads processes backend planner strategy layouts time_s loop_s \
      steady_sweep_s reorganise_s reorganise_bytes reorganisations replica_bytes explorations sequential_s memcpy_s \
      steady_to_memcpy checksum verified; do
      if ! grep -q "\"$key\": *[^ ,}]" "$log"; then
        echo "$program --json prints no $key:"
        cat "$log"
        failed=$((failed + 1))
      fi
    done
    bad 'allowed' $program -n 0
    bad 'allowed' $program -n abc
    bad 'allowed' $program -n 4,4,4,4
    bad 'allowed' $program -i -1
    bad 'allowed' $program --type quad
    bad 'allowed' $program --order sideways
    bad 'allowed' $program --stencil cross
    bad 'allowed' $program --planner sometimes
    bad 'allowed' $program --planner random:99999999999999999999999
    bad 'allowed' $program --planner replay:
    bad 'allowed' $program --planner greedy:1
    bad '--nonsense' $program --nonsense
    bad '-n' $program -n
  done
  if [ -w /dev/full ]; then
    for arguments in "-n 8" "-n 8 --json" "--help"; do
      if "./sor-bench/sor2d$suffix" $arguments > /dev/full 2> "$log"; then
        echo "sor2d$suffix $arguments does not notice that its output is lost"
        failed=$((failed + 1))
      fi
    done
  fi
}

for suffix in $suffixes; do
  if [ "$suffix" = made-by-dvmhcc ]; then
    suffix=
    source=sor2d_loops.h
    check_programs "1 4" "1 2${RTS_TEST_FULL:+ 3 4}" "double${RTS_TEST_FULL:+ float}"
  else
    source=sor_record.c
    check_programs "2${RTS_TEST_FULL:+ 1}" "3${RTS_TEST_FULL:+ 1}" "float${RTS_TEST_FULL:+ double}"
  fi
done
if [ -x sor-bench/jacobi3d ] && [ -x sor-bench/adi3d ]; then
  check_likes
fi
if [ -z "${RTS_TEST_MPIEXEC:-}" ]; then
  echo "no runs with several processes: this build has no MPI or no mpiexec"
else
  for suffix in $suffixes; do
    if [ "$suffix" = made-by-dvmhcc ]; then
      suffix=
      check_processes "off random:1${RTS_TEST_FULL:+ cost}"
    else
      check_processes "cost${RTS_TEST_FULL:+ random:2}"
    fi
  done
fi
echo "$ran runs, $failed failed"
[ "$failed" -eq 0 ]
