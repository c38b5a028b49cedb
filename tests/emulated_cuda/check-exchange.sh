#!/bin/sh
# check-exchange.sh - exchanges between processes whose arrays lie on GPUs (tests/device/exchange.sh), on emulated ones: in the orders in which
# they may do what is queued, and where processes cannot share memory or devices do not reach each other. Run in the build folder.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
emulated=$top/tests/emulated_cuda
need_dvmhcc
if [ ! -f "$emulated/libdvmh-emulated.la" ]; then
  echo "SKIP: no emulated GPU in this build"
  exit 77
fi
if [ "${RTS_TEST_SANITIZER:-none}" = tsan ]; then
  echo "SKIP: ThreadSanitizer does not know the threads of the emulated GPU"
  exit 77
fi
if [ -z "${RTS_TEST_MPIEXEC:-}" ]; then
  echo "SKIP: this build has no MPI or no mpiexec"
  exit 77
fi
DVMHCC_NVCC="$srcdir/tests/dvmhcc/nvcc-emulated.sh"
DVMHCC_LIBS="$emulated/.libs/libdvmh-emulated.a -fopenmp
  $(sed -n "s/^dependency_libs='\(.*\)'/\1/p" "$emulated/libdvmh-emulated.la") -lstdc++ -lm -lpthread"
DVMHCC_CFLAGS="-isystem $srcdir/include"
EMULATED_FLAGS=$sanitizer
DVMH_REQUIRE_CUDA=1
export DVMHCC_CFLAGS DVMHCC_NVCC DVMHCC_LIBS EMULATED_FLAGS DVMH_REQUIRE_CUDA

program=$work/exchange
if ! limited $DVMHCC -O1 -g -std=c99 -ffp-contract=off $sanitizer -o "$program" "$srcdir/tests/device/exchange.c" >"$work/log" 2>&1; then
  cat "$work/log"
  echo "FAIL  the program is not compiled"
  exit 1
fi
failures=0
seed=3
for settings in "EMULATED_CUDA_ORDER=late EMULATED_CUDA_DEVICES=4" EMULATED_CUDA_ORDER=random:1 "EMULATED_CUDA_ORDER=random:2 EMULATED_CUDA_DEVICES=4" \
  "EMULATED_CUDA_IPC=0 ipc=no"; do
  sh "$srcdir/tests/device/exchange.sh" "$program" $seed $settings || failures=$((failures + 1))
  seed=$((seed + 1))
done
[ "$failures" -eq 0 ]
