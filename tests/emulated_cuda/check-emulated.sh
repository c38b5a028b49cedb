#!/bin/sh
# check-emulated.sh - run the tests of tests/device, built for the emulated GPU, in the orders in which it may do what is queued, with few resident
# blocks, and with two GPUs that reach each other's memory or do not. Run in the build folder.
#
# use: check-emulated.sh [FOLDER [PREFIX]]: FOLDER/PREFIXtest_cuda_backend and so on

if [ "${RTS_TEST_SANITIZER:-none}" = tsan ]; then
  echo "SKIP: ThreadSanitizer knows nothing of fibers"
  exit 77
fi
folder=${1:-tests/emulated_cuda}
prefix=${2-emulated_}
DVMH_REQUIRE_CUDA=1
export DVMH_REQUIRE_CUDA
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

# The error is what counts: a test looks at all that a process says of a fault.
EMULATED_CUDA_QUIET=1
export EMULATED_CUDA_QUIET

# try PROGRAM SEED SETTING...
try() {
  program=$1 seed=$2 size=few
  shift 2
  [ "$program" = test_cuda_backend ] && size=small
  begin=$(date +%s)
  if env CHECK_SEED="$seed" EMULATED_CUDA_SEED="$seed" "$@" "$folder/$prefix$program" $size >"$scratch/output" 2>&1; then
    verdict=PASS
  else
    verdict="FAIL ($?)"
    failures=$((failures + 1))
  fi
  printf '%s  %s %s CHECK_SEED=%s %s, %d s\n' "$verdict" "$program" "$size" "$seed" "$*" $(($(date +%s) - begin))
  [ "$verdict" = PASS ] || tail -n 20 "$scratch/output"
}

seed=1
try test_cuda_items $seed EMULATED_CUDA_ORDER=late # it waits after each kernel
for order in early late random:1 random:2; do
  for program in test_cuda_backend test_cuda_coherence test_cuda_query_handlers test_cuda_reorganise test_cuda_reorganise; do
    try $program $seed EMULATED_CUDA_ORDER=$order EMULATED_CUDA_RESIDENT=$((seed % 3 * 3 + 1))
    seed=$((seed + 1))
  done
  for peers in 0 1; do
    try test_cuda_backend $seed EMULATED_CUDA_ORDER=$order EMULATED_CUDA_DEVICES=2 EMULATED_CUDA_PEERS=$peers
    seed=$((seed + 1))
  done
done

# No test may pass without a GPU.
if EMULATED_CUDA_DEVICES=0 "$folder/${prefix}test_cuda_items" few >"$scratch/output" 2>&1; then
  echo "FAIL  test_cuda_items passes without a GPU"
  failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
