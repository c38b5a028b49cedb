#!/bin/sh
# loop-bench.sh - the benchmark programs of sor-bench on a GPU: time of a steady sweep without and with reorganisation, in milliseconds, beside
# the time of a copy of the array. Results are verified in small sizes first.
#
# use: tests/device/loop-bench.sh FOLDER [--quick]
#   FOLDER   with sor2d, sor3d, jacobi3d and adi3d, made by dvmhcc with CUDA
#   --quick  small sizes only
#
# Exit code: 0, or 1 when a result was wrong, a program failed, or a loop ran on the host.

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --quick ]; }; then
  echo "use: loop-bench.sh FOLDER [--quick]" >&2
  exit 2
fi
folder=$1
quick=${2:-}
failed=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# value KEY: from the line of JSON in the log.
value() {
  sed -n "s/.*\"$1\": *\(\"[^\"]*\"\|[^,}]*\).*/\1/p" "$log" | tr -d '"' | head -n 1
}

# run PROGRAM ARGUMENTS: a line of the table.
run() {
  program=$1
  shift
  if ! "$folder/$program" "$@" --json >"$log" 2>&1 || ! grep -q steady_sweep_s "$log"; then
    echo "FAIL  $program $*"
    tail -n 3 "$log" | sed 's/^/      /'
    failed=1
    return
  fi
  [ "$(value backend)" = cuda ] || failed=1
  printf '%-9s %-44s %10.3f ms  %-6s %-28s %-20s %s\n' "$program" "$*" "$(value steady_sweep_s | awk '{ print 1000 * $1 }')" \
    "$(value backend)" "$(value strategy)" "$(value layouts)" "$(value verified)"
}

for program in sor2d sor3d jacobi3d adi3d; do
  case $program in sor2d) n=201,333 ;; *) n=61,47,83 ;; esac
  for order in natural reversed; do
    for mode in off greedy cost random:1; do
      run $program -n $n -i 12 --order $order --planner $mode --verify
    done
  done
done
if [ -z "$quick" ]; then
  for mode in off greedy cost; do
    run sor3d -n 256 -i 80 --planner $mode
    run sor3d -n 512 -i 60 --planner $mode
    run sor3d -n 512 -i 60 --planner $mode --order reversed
    run sor2d -n 16384 -i 40 --planner $mode
    run jacobi3d -n 512 -i 40 --planner $mode
    run jacobi3d -n 512 -i 40 --planner $mode --order reversed
    run adi3d -n 384 -i 100 --planner $mode
  done
fi
exit $failed
