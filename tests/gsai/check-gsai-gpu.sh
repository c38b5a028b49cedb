#!/bin/sh
# check-gsai-gpu.sh - examples/gsai on the emulated GPU, in the orders in which it may do what is queued and with few resident blocks: tests of the
# inverse and of solvers; every option of the program gives what the host gives; little memory makes batches and no failure; several
# processes; without a GPU a clear refusal. Run in the build folder.
#
# use: check-gsai-gpu.sh [FOLDER [PREFIX]]: FOLDER/PREFIXgsai and so on

if [ "${RTS_TEST_SANITIZER:-none}" = tsan ]; then
  echo "SKIP: ThreadSanitizer knows nothing of fibers"
  exit 77
fi
folder=${1:-tests/emulated_cuda}
prefix=${2-emulated_}
gsai=$folder/${prefix}gsai
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
faults=0
DVMH_NUM_THREADS=1
DVMH_REQUIRE_CUDA=1
export DVMH_NUM_THREADS DVMH_REQUIRE_CUDA

fault() {
  echo "FAIL: $*"
  faults=$((faults + 1))
}

# try PROGRAM ARGUMENTS -- SETTINGS: a test passes.
try() {
  settings=${*#*-- } arguments=${*%% --*}
  begin=$(date +%s)
  env $settings $folder/$prefix$arguments >"$work/output" 2>&1 || fault "$*: $(tail -n 20 "$work/output")"
  echo "$*: $(($(date +%s) - begin)) s"
}
try test_gsai_gpu -- EMULATED_CUDA_ORDER=random:1 EMULATED_CUDA_RESIDENT=2 CHECK_SEED=1
try test_gsai_inverse cuda 50 -- EMULATED_CUDA_ORDER=random:2 EMULATED_CUDA_RESIDENT=1 CHECK_SEED=2
try test_gsai_inverse cuda 80 -- EMULATED_CUDA_ORDER=late EMULATED_CUDA_RESIDENT=8 CHECK_SEED=3
try test_gsai_solve cuda 20 -- EMULATED_CUDA_ORDER=random:3 EMULATED_CUDA_RESIDENT=2 CHECK_SEED=4

# inverse OUTPUT ARGUMENTS...: written by the program, whose line of facts goes to OUTPUT.facts.
inverse() {
  output=$1
  shift
  "$gsai" "$@" --solver none --write "$output" >"$output.text" 2>&1 || fault "gsai $*: $(cat "$output.text")"
  grep '^inverse' "$output.text" | sed 's/, [0-9]* bytes.*//' >"$output.facts"
}

# near OUTPUT1 OUTPUT2 BOUND: the same entries, the values within BOUND of the largest.
near() {
  paste -d ' ' "$1" "$2" | awk -v bound="$3" '
    /^%/ { next }
    NR == 3 { if ($1 " " $3 != $4 " " $6) exit 1; next }
    { if ($1 " " $2 != $4 " " $5) exit 1
      size = $3 < 0 ? -$3 : $3; if (size > largest) largest = size
      other = $3 - $6; if (other < 0) other = -other; if (other > most) most = other }
    END { exit !(most <= bound * largest) }' || fault "other values than the host's: $4"
}

# same BOUND ARGUMENTS...: both backends make the same inverse.
same() {
  bound=$1
  shift
  inverse "$work/host.mtx" "$@" --backend host
  inverse "$work/cuda.mtx" "$@" --backend cuda
  near "$work/host.mtx" "$work/cuda.mtx" "$bound" "$*"
  cmp -s "$work/host.mtx.facts" "$work/cuda.mtx.facts" || fault "$*: other facts: $(cat "$work"/*.facts)"
}
same 1e-13 --generate flow3d:4
same 1e-13 --generate flow3d:3 --pattern A3 --side left
same 1e-13 --generate flow3d:4 --pattern threshold:0.2,2 --filter 0.01
same 1e-13 --generate poisson3d:4 --factored --pattern A2
same 1e-5 --generate flow3d:3 --pattern A2 --precision float

# ---- little memory
"$gsai" --generate flow3d:4 --pattern A2 --solver none --backend host --write "$work/host.mtx" >/dev/null 2>&1
DVMH_DEVICE_MEMORY=26000 "$gsai" --generate flow3d:4 --pattern A2 --solver none --backend cuda --write "$work/cuda.mtx" >"$work/output" 2>&1 ||
  fault "little memory: $(cat "$work/output")"
grep -q 'in [2-9] batches' "$work/output" || fault "little memory: $(cat "$work/output")"
near "$work/host.mtx" "$work/cuda.mtx" 1e-13 "little memory"
DVMH_DEVICE_MEMORY=2000 "$gsai" --generate flow3d:4 --solver none --backend cuda >"$work/output" 2>&1 && fault "no memory: exit code 0"
grep -q 'gsai: no memory on the GPU' "$work/output" || fault "no memory: $(cat "$work/output")"

# ---- all of a run, and several processes
"$gsai" --generate flow3d:4 >"$work/output" 2>&1 || fault "exit code $?: $(cat "$work/output")"
grep -q 'on a GPU, in 1 batches' "$work/output" || fault "no GPU by default: $(cat "$work/output")"
grep -q 'bicgstab: converged after' "$work/output" || fault "no convergence: $(cat "$work/output")"
if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
  inverse "$work/host.mtx" --generate flow3d:4 --backend cuda
  $RTS_TEST_MPIEXEC -n 3 "$gsai" --generate flow3d:4 --backend cuda --solver none --write "$work/cuda.mtx" >"$work/output" 2>&1 ||
    fault "three processes: $(cat "$work/output")"
  cmp "$work/host.mtx" "$work/cuda.mtx" || fault "three processes make another inverse"
  $RTS_TEST_MPIEXEC -n 2 "$folder/${prefix}test_gsai_inverse" cuda 100 >"$work/output" 2>&1 ||
    fault "two processes: $(cat "$work/output")"
fi

# ---- without a GPU
DVMH_NUM_CUDAS=0 DVMH_REQUIRE_CUDA=0 "$gsai" --generate flow3d:3 --backend cuda >"$work/output" 2>&1 && fault "no GPU: exit code 0"
grep -q 'backend cuda: there is no GPU' "$work/output" || fault "no GPU: $(cat "$work/output")"
DVMH_NUM_CUDAS=0 DVMH_REQUIRE_CUDA=0 "$gsai" --generate flow3d:3 >"$work/output" 2>&1 || fault "no GPU: $(cat "$work/output")"
[ "$faults" -eq 0 ] || exit 1
exit 0
