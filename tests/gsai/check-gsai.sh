#!/bin/sh
# check-gsai.sh - the program examples/gsai/gsai on the host: options do what they say; the
# inverse is the same, bit for bit, on any threads, processes, planners and fake devices; output and exit codes.

builddir=${builddir:-.}
gsai=$builddir/examples/gsai/gsai
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
faults=0
DVMH_NUM_THREADS=1
DVMH_NUM_CUDAS=0 # check-gsai-gpu.sh is about GPUs
export DVMH_NUM_CUDAS DVMH_NUM_THREADS

fault() {
  echo "FAIL: $*"
  faults=$((faults + 1))
}

# runs CODE PATTERN ARGUMENTS...: the program ends with that code and prints a line with that pattern.
runs() {
  code=$1 text=$2
  shift 2
  "$gsai" "$@" >"$work/output" 2>&1
  ended=$?
  [ "$ended" -eq "$code" ] || fault "gsai $*: exit code $ended, not $code: $(cat "$work/output")"
  grep -q -e "$text" "$work/output" || fault "gsai $*: no line with '$text' in: $(cat "$work/output")"
}

# Convection and diffusion on a square, and diffusion alone: n, strength of convection.
grid() {
  awk -v n="$1" -v c="$2" 'BEGIN {
    print "%%MatrixMarket matrix coordinate real general"
    print n * n, n * n, 5 * n * n - 4 * n
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
      k = i * n + j + 1
      print k, k, 4 + c / 2
      if (i > 0) print k, k - n, -1 - c
      if (i < n - 1) print k, k + n, -1 + c / 2
      if (j > 0) print k, k - 1, -1
      if (j < n - 1) print k, k + 1, -1
    }
  }'
}
grid 24 .4 >"$work/flow.mtx"
grid 24 0 >"$work/poisson.mtx"
# Eleven unknowns at each of 40 points in a row, so that columns share their patterns.
awk 'BEGIN {
  n = 40; u = 11; count = 0
  for (i = 0; i < n; i++) for (j = i - 1; j <= i + 1; j++) if (j >= 0 && j < n)
    for (p = 0; p < u; p++) for (q = 0; q < u; q++)
      line[count++] = (i * u + p + 1) " " (j * u + q + 1) " " (i == j && p == q ? 9 : (p * 7 + q * 3 + i) % 5 / 8 - .2)
  print "%%MatrixMarket matrix coordinate real general"
  print n * u, n * u, count
  for (k = 0; k < count; k++) print line[k]
}' >"$work/shared.mtx"
flow=$work/flow.mtx poisson=$work/poisson.mtx shared=$work/shared.mtx

# ---- options that work
runs 0 'bicgstab: converged after' -m "$flow"
runs 0 'bicgstab: converged after' -m "$flow" --pattern A3 --side left
runs 0 'bicgstab: converged after' -m "$flow" --pattern threshold:0.2,3
runs 0 'gmres:10: converged after' --matrix "$flow" --solver gmres:10 --pattern A2 --side left
runs 0 'cg: converged after' -m "$poisson" --factored
runs 0 'cg: converged after' -m "$poisson" --factored --precision float --pattern A2 --filter 0.05
runs 0 'gmres: converged after' -m "$poisson" --factored --solver gmres
runs 0 'converged after' -m "$flow" --precision float --work-memory 1
runs 0 'median: ' -m "$flow" --right-hand-sides 5 --backend host
runs 0 'set-up: pre ' -m "$flow" --solver none
runs 2 'bicgstab: iterations after 3 iterations' -m "$flow" --max-iterations 3
runs 2 'false convergence' -m "$flow" --tolerance 1e-19
runs 0 '^gsai -m FILE' --help
runs 0 'poisson3d:9: order 729, 4617 entries' --generate poisson3d:9 --factored
runs 0 'flow3d:8,2.5: order 512, 3200 entries' --generate flow3d:8,2.5 --pattern A2
runs 0 'bicgstab: converged after' -m "$shared"

# iterations ARGUMENTS...: of one solve.
iterations() {
  "$gsai" -m "$flow" "$@" | sed -n 's/.*converged after \([0-9]*\) .*/\1/p'
}
[ "$(iterations --pattern A2)" -lt "$(iterations)" ] || fault "A2 is no better than A"
[ "$(iterations --tolerance 1e-3)" -lt "$(iterations)" ] || fault "a tolerance makes no difference"

# ---- the matrix and what is told of it
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 1 1\n2 2 3\n2 1 0\n' >"$work/told.mtx"
runs 0 'note: 1 duplicate entries were added up' -m "$work/told.mtx"
runs 0 'note: 1 explicit zeros were kept' -m "$work/told.mtx"
runs 0 'order 2, 3 entries' -m "$work/told.mtx" --zeros keep
runs 0 'note: 1 explicit zeros were dropped' -m "$work/told.mtx" --zeros drop
runs 0 'order 2, 2 entries' -m "$work/told.mtx" --zeros drop
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n' >"$work/singular.mtx"
runs 0 'note: 3 small problems are rank-deficient; 3 of their columns were left out' -m "$work/singular.mtx" --solver none
runs 0 'note: 1 columns or rows of the inverse are empty' -m "$work/singular.mtx" --solver none
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 3 1\n' >"$work/bad.mtx"
runs 1 "bad.mtx:4: entry (2, 3) is outside of the matrix" -m "$work/bad.mtx"
runs 1 'No such file' -m "$work/none.mtx"

# ---- refusals
runs 1 'which matrix' --json
runs 1 '--backend gpu: allowed are host and cuda' -m "$flow" --backend gpu
runs 1 'backend cuda: ' -m "$flow" --backend cuda
runs 1 'is not symmetric' -m "$flow" --factored
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n' >"$work/indefinite.mtx"
runs 1 'not positive definite: row 2' -m "$work/indefinite.mtx" --factored
runs 1 'cannot be written' -m "$flow" --write "$work/no/folder.mtx"

# ---- JSON: one line, which a parser takes where there is one
"$gsai" -m "$flow" --json --right-hand-sides 3 >"$work/json" || fault "--json: exit code $?"
[ "$(wc -l <"$work/json")" -eq 1 ] || fault "--json: not one line"
grep -q '"n": 576, "entries": 2784, .*"iterations_median": [0-9]*, "solves": \[{"end": "converged"' "$work/json" ||
  fault "--json: $(cat "$work/json")"
if command -v python3 >/dev/null 2>&1; then
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/json" || fault "--json: no JSON"
  "$gsai" -m "$flow" --json --solver none | python3 -c 'import json, sys; json.load(sys.stdin)' || fault "--json: no JSON"
fi

# ---- the same inverse everywhere, and one that is read again as it was written
# same NAME COMMAND...: what --write makes is what it was.
same() {
  name=$1
  shift
  "$@" --solver none --write "$work/other.mtx" >"$work/output" 2>&1 || fault "$name: $(cat "$work/output")"
  cmp "$work/first.mtx" "$work/other.mtx" || fault "$name: another inverse"
}
for options in "--side left --filter 0.1 --pattern threshold:0.1" "--factored --pattern A2" "--precision float"; do
  case $options in
    *factored*) matrix=$poisson ;;
    *float*) matrix=$shared ;;
    *) matrix=$flow ;;
  esac
  set -- "$gsai" -m "$matrix" $options
  DVMH_NUM_THREADS=1 "$@" --solver none --write "$work/first.mtx" >/dev/null || fault "$options: exit code $?"
  grep -q '^%%MatrixMarket' "$work/first.mtx" || fault "$options: nothing was written"
  same "three threads, $options" env DVMH_NUM_THREADS=3 "$@"
  same "little memory, $options" "$@" --work-memory 1
  same "a random planner, $options" env DVMH_PLANNER=random:5 "$@"
  same "a fake device, $options" env DVMH_FAKE_DEVICES=1 "$@"
  if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
    for processes in 3; do
      same "$processes processes, $options" env DVMH_NUM_THREADS=1 $RTS_TEST_MPIEXEC -n $processes "$@"
    done
  fi
done
"$gsai" -m "$work/first.mtx" --solver none >"$work/output" || fault "what was written is not read: $(cat "$work/output")"
if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
  alone=$("$gsai" -m "$flow" | grep -c 'converged after')
  together=$(DVMH_NUM_THREADS=1 $RTS_TEST_MPIEXEC -n 2 "$gsai" -m "$flow" | grep -c 'converged after')
  [ "$alone" = "$together" ] || fault "two processes print something else than one"
else
  echo "note: without MPI, nothing was run by several processes"
fi

[ "$faults" -eq 0 ] || exit 1
exit 0
