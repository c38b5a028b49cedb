#!/bin/sh
# gsai-bench.sh - sparse approximate inverses on a GPU beside the host: first small problems, whose inverses are compared; then the set-up of
# large ones, in milliseconds of each stage, and how many times as fast as two threads of the host that is, in the same run. Bringing the matrix
# to the GPU is told apart and not part of the set-up.
#
# use: tests/device/gsai-bench.sh FOLDER [--quick]
#   FOLDER   with the program gsai, made with CUDA
#   --quick  problems of about 10,000 rows only
#
# Exit code: 0, or 1 when an inverse was wrong or a program failed. The best of three runs counts on either side.

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --quick ]; }; then
  echo "use: gsai-bench.sh FOLDER [--quick]" >&2
  exit 2
fi
gsai=$1/gsai
quick=${2:-}
failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# ---- the same inverse as the host's
# verify BOUND ARGUMENTS...
verify() {
  bound=$1
  shift
  for backend in host cuda; do
    if ! "$gsai" "$@" --backend $backend --solver none --write "$work/$backend.mtx" >"$work/log" 2>&1; then
      echo "FAIL  $* --backend $backend: $(tail -n 1 "$work/log")"
      failed=1
      return
    fi
  done
  paste -d ' ' "$work/host.mtx" "$work/cuda.mtx" | awk -v bound="$bound" -v name="$*" '
    /^%/ { next }
    NR == 3 { if ($1 " " $3 != $4 " " $6) { print "FAIL  " name ": other entries"; exit 1 }; next }
    { if ($1 " " $2 != $4 " " $5) { print "FAIL  " name ": other entries"; exit 1 }
      size = $3 < 0 ? -$3 : $3; if (size > largest) largest = size
      other = $3 - $6; if (other < 0) other = -other; if (other > most) most = other }
    END { ok = most <= bound * largest; printf "%s  %s: differs by %.1e\n", ok ? "same" : "FAIL", name, most / largest; exit !ok }' ||
    failed=1
}
verify 1e-12 --generate flow3d:12
verify 1e-12 --generate flow3d:12 --side left --pattern A2 --filter 0.001
verify 1e-12 --generate flow3d:9 --pattern A3
verify 1e-12 --generate flow3d:12 --pattern threshold:0.15
verify 1e-12 --generate poisson3d:12 --factored --pattern A2
verify 1e-4 --generate flow3d:10 --pattern A2 --precision float

# ---- speed
# value KEY: from the line of JSON in the log.
value() {
  sed -n "s/.*\"$1\": *\([^,}]*\).*/\1/p" "$work/log" | head -n 1
}

# setup BACKEND REPEATS ARGUMENTS...: "sum pre compute post transfer solve iterations" of the best run, in milliseconds.
setup() {
  backend=$1 repeats=$2 run=0
  shift 2
  while [ "$run" -lt "$repeats" ]; do
    DVMH_NUM_THREADS=2 "$gsai" "$@" --backend "$backend" --json >"$work/log" 2>"$work/errors"
    [ $? -le 2 ] && grep -q pre_s "$work/log" || return 1
    echo "$(value pre_s) $(value compute_s) $(value post_s) $(value transfer_s) $(value solve_s) $(value iterations)"
    run=$((run + 1))
  done | awk '{ sum = $1 + $2 + $3; if (NR == 1 || sum < best) { best = sum; line = $0 } }
    END { split(line, v, " ")
      printf "%.3f %.3f %.3f %.3f %.3f %.3f %d\n", 1000 * best, 1000 * v[1], 1000 * v[2], 1000 * v[3], 1000 * v[4], 1000 * v[5], v[6]
      exit NR == 0 }'
}

# speed HOST_REPEATS ARGUMENTS...: a line of the table.
speed() {
  host_repeats=$1
  shift
  if ! setup cuda 3 "$@" >"$work/gpu"; then
    echo "FAIL  $*: $(cat "$work/errors")"
    failed=1
    return
  fi
  echo 0 >"$work/cpu"
  [ "$host_repeats" -eq 0 ] || setup host "$host_repeats" "$@" >"$work/cpu" || failed=1
  echo "$* $(cat "$work/gpu") $(cat "$work/cpu")" | awk -v name="$*" '{ n = split(name, words, " ")
    printf "%-46s %9.2f %8.2f %8.2f %8.2f %9.2f %9.2f (%d)", name, $(n + 1), $(n + 2), $(n + 3), $(n + 4), $(n + 5), $(n + 6), $(n + 7)
    if ($(n + 8) > 0) printf " %9.1f %7.1f x, solve %9.1f (%d)", $(n + 8), $(n + 8) / $(n + 1), $(n + 13), $(n + 14)
    printf "\n" }'
}

echo "milliseconds: set-up on the GPU, its stages pre, compute, post; transfer; solve (iterations); set-up and solve of 2 host threads"
if [ -n "$quick" ]; then
  speed 1 --generate flow3d:22
  speed 1 --generate flow3d:22 --pattern A2
else
  for problem in poisson3d:50 flow3d:50 flow3d:100; do
    for pattern in A A2 threshold:0.15; do
      case $problem in *:100) repeats=1 ;; *) repeats=2 ;; esac
      speed $repeats --generate $problem --pattern $pattern
    done
  done
  speed 1 --generate poisson3d:50 --factored --pattern A2
  speed 1 --generate flow3d:50 --pattern A2 --precision float
  speed 1 --generate flow3d:50 --pattern A3
fi
exit $failed
