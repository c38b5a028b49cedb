#!/bin/sh
# check-sor.sh - the benchmark programs give the sequential loop's results, bit for bit, in every size, order, type, strategy and
# planner mode; their JSON line has all keys; wrong options are told with exit code 2.

failed=0
ran=0
log=check-sor.$$.log
costs=check-sor.$$.costs
trap 'rm -f "$log" "$costs"' EXIT

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

for threads in 1 2 4; do
  for n in 1 2 3 4 13 32 67 128; do
    good "DVMH_NUM_THREADS=$threads" sor2d -n $n -i 3
  done
  for n in 1 2 3 7 16 31; do
    good "DVMH_NUM_THREADS=$threads" sor3d -n $n -i 3
  done
done
for strategy in lexicographic jam front tile; do
  for order in natural reversed; do
    for stencil in star box; do
      for type in double float; do
        good "DVMH_STRATEGY=$strategy DVMH_NUM_THREADS=3" sor2d -n 61,83 -i 2 --order $order --stencil $stencil --type $type
        good "DVMH_STRATEGY=$strategy DVMH_NUM_THREADS=2" sor3d -n 17,29,23 -i 2 --order $order --stencil $stencil --type $type
      done
    done
  done
done
for seed in 1 2 3 4 5 6; do
  for order in natural reversed; do
    for stencil in star box; do
      good "DVMH_FAKE_DEVICES=$((seed % 3))" sor2d -n 97,41 -i 4 --order $order --stencil $stencil --planner random:$seed
      good "DVMH_FAKE_DEVICES=$((seed % 3))" sor3d -n 19,11,37 -i 4 --order $order --stencil $stencil --planner random:$seed
    done
  done
done

# Modes that reorganise: long enough for the planner to try what it wants to try, and to settle.
for mode in off greedy cost; do
  for order in natural reversed; do
    for stencil in star box; do
      for type in double float; do
        good "DVMH_NUM_THREADS=3" sor2d -n 61,83 -i 15 --order $order --stencil $stencil --type $type --planner $mode
        good "DVMH_NUM_THREADS=2" sor3d -n 17,29,23 -i 15 --order $order --stencil $stencil --type $type --planner $mode
      done
    done
    good "DVMH_FAKE_DEVICES=2" sor3d -n 16,31,9 -i 6 --order $order --planner $mode
  done
done

# With the costs of an earlier run nothing is tried, and two runs make the same choices.
choices() {
  "./sor-bench/sor2d" -n 300,500 -i 8 --order $1 --planner "replay:$costs" --verify --json > "$log" 2>&1 ||
    { cat "$log" >&2; echo fails; return; }
  grep -oE '"(strategy|layouts|reorganisations|explorations|verified)":("[^"]*"|[^,}]*)' "$log" | tr '\n' ' '
}
for order in natural reversed; do
  good "DVMH_PLANNER_SAVE=$costs" sor2d -n 300,500 -i 25 --order $order --planner cost
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
DVMH_REPORT=1 ./sor-bench/sor2d -n 200 -i 4 --order reversed --planner greedy 2> "$log" > /dev/null
for part in '^== DVMH report: loops ran 5 times' 'sor_program.c:.*198x198$' 'given:  *[a-z].*4 times$' 'reorganisations* of .* GB/s'; do
  if ! grep -q -e "$part" "$log"; then
    echo "the report has no '$part':"
    cat "$log"
    failed=$((failed + 1))
  fi
done

for program in sor2d sor3d; do
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
    if ./sor-bench/sor2d $arguments > /dev/full 2> "$log"; then
      echo "sor2d $arguments does not notice that its output is lost"
      failed=$((failed + 1))
    fi
  done
fi
echo "$ran runs, $failed failed"
[ "$failed" -eq 0 ]
