#!/bin/sh
# bfs-bench.sh - breadth-first search on a GPU: first small graphs, whose levels and parents are checked; then rates (GTEPS by Graph500's rule) of all
# algorithms: least, median, harmonic mean and greatest, and seconds of building the lists and of getting ready, which searches do not contain.
#
# use: tests/device/bfs-bench.sh FOLDER [--quick]
#   FOLDER   with the program bfs, made with CUDA
#   --quick  up to scale 20 only
#
# Exit code: 0, or 1 when a search was wrong or a program failed.

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --quick ]; }; then
  echo "use: bfs-bench.sh FOLDER [--quick]" >&2
  exit 2
fi
bfs=$1/bfs
quick=${2:-}
failed=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# ---- right
for algorithm in hybrid queue "sweep --sweep-options none" "sweep --sweep-options cache,restrict,pack"; do
  for graph in "-s 10 -e 2 --roots 8" "-s 13 -e 16 --roots 8" "-s 14 -e 5 --directed --roots 8" "-s 17 -e 32 --roots 4"; do
    if ! "$bfs" $graph --algorithm $algorithm --device cuda --validate >"$log" 2>&1; then
      echo "FAIL  $graph --algorithm $algorithm: $(tail -n 1 "$log")"
      failed=1
    fi
  done
done
[ "$failed" -eq 1 ] || echo "levels and parents of 16 series of searches are right"

# ---- fast
# value KEY: from the last line of JSON in the log.
value() {
  tail -n 1 "$log" | sed -n "s/.*\"$1\": *\([^,}]*\).*/\1/p"
}

# rate SCALE EDGES ROOTS ARGUMENTS: a line of the table.
rate() {
  scale=$1 edges=$2 roots=$3
  shift 3
  if ! "$bfs" -s "$scale" -e "$edges" --roots "$roots" --device cuda --json "$@" >"$log" 2>&1; then
    echo "FAIL  scale $scale, $edges edges a vertex, $*: $(tail -n 1 "$log")"
    failed=1
    return
  fi
  printf '%5s %5s  %-44s %9.1f %9.1f %9.1f %9.1f %8.2f %8.2f\n' "$scale" "$edges" "$*" "$(value gteps_min)" \
    "$(value gteps_median)" "$(value gteps_harmonic)" "$(value gteps_max)" "$(value build_s)" "$(value prepare_s)"
}
printf '%5s %5s  %-44s %9s %9s %9s %9s %8s %8s\n' scale edges '' least median harmonic greatest 'build, s' 'ready, s'
scales="20 22"
[ -z "$quick" ] || scales=20
for scale in $scales; do
  for edges in 16 32; do
    rate "$scale" "$edges" 32
    rate "$scale" "$edges" 32 --parents
    rate "$scale" "$edges" 16 --algorithm queue
  done
done
for options in none cache restrict cache,restrict cache,pack cache,restrict,pack; do
  rate 20 16 8 --algorithm sweep --sweep-options $options
done
exit $failed
