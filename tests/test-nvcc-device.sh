#!/bin/sh
# test-nvcc-device.sh - what generated kernels include compiles as CUDA, every template with the types that such code has, with the
# language standards that nvcc may be told, without a warning. No GPU is needed.

srcdir=${srcdir:-.}
NVCC=${RTS_TEST_NVCC:-}

if [ -z "$NVCC" ]; then
  echo "SKIP: this build has no CUDA compiler (--with-cuda)"
  exit 77
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvmh rts.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/device.cu" <<'END_OF_SOURCE'
#include <dvmhlib2.h>
#include <dvmhlib_cuda.h>
#define dcmplx2 Complex<double>
#define cmplx2 Complex<float>

template <typename T> __device__ void reduce_numbers(T *p) {
    p[0] = __dvmh_blockReduceSum(p[0]);
    p[1] = __dvmh_blockReduceProd(p[1]);
    __dvmh_blockReduceSumN<T, 3>(p);
    __dvmh_blockReduceProdN(p, 4, (long long)2);
    p[2] = __dvmh_warpBroadcast(p[2], 3);
}
template <typename T> __device__ void reduce_reals(T *p, long *at) {
    reduce_numbers(p);
    p[3] = __dvmh_blockReduceMax(p[3]);
    p[4] = __dvmh_blockReduceMin(p[4]);
    p[5] = __dvmh_blockReduceEQ(p[5]);
    p[6] = __dvmh_blockReduceNEQ(p[6]);
    __dvmh_blockReduceMaxN<T, 2>(p);
    __dvmh_blockReduceMinN(p, 2, 2);
    __dvmh_blockReduceMaxLoc<T, long, 2>(p[7], at);
    __dvmh_blockReduceMinLoc<T, long, 2>(p[8], at);
    __dvmh_blockReduceDummyLoc<T, long, 2>(p[8], at);
}
template <typename T> __device__ void reduce_bits(T *p) {
    p[0] = __dvmh_blockReduceAND(p[0]);
    p[1] = __dvmh_blockReduceOR(p[1]);
    p[2] = __dvmh_blcokReduceXOR(p[2]);
    p[3] = ibset(ishftc(ishft(p[3], 3), 2, 7), 1) + btest(p[3], 2) + popcnt(p[4]) + trailz(p[5]) + ilen(p[6]);
}
__global__ void kernel(int *i, long *l, long long *ll, float *f, double *d, char *c, dcmplx2 *dc, cmplx2 *fc, long *at) {
    reduce_reals(i, at), reduce_reals(l, at), reduce_reals(ll, at), reduce_reals(f, at), reduce_reals(d, at);
    reduce_reals(c, at), reduce_bits(i), reduce_bits(l), reduce_bits(ll), reduce_bits(c);
    reduce_numbers(dc), reduce_numbers(fc);
    dc[0] = sqrt(dc[1]) * 2 + fc[0] / 3.f - exp(dc[2]) * pow(dc[3], 3) + pow(dc[4], dc[5]) + log(dc[6]);
    dc[1] = sin(dc[1]) + cos(dc[2]) + tan(dc[3]) + ctan(dc[4]) + conj(dc[5]) + real(dc[6]) + imag(dc[7]) + abs(dc[8]);
    fc[0] = cmpxf(1) + fc[1] + log10(fc[2]);
    d[0] = max(d[0], d[1], d[2], d[3]) + min(i[0], i[1], i[2]) + dprod(f[0], f[1]) + Double(fc[0]);
    __dvmh_atomic_add(d, 1), __dvmh_atomic_max(i, 2), __dvmh_atomic_prod(f, 3), __dvmh_atomic_and(ll, 4);
    dvmh_convert_XY(i[0], i[1], i[2], i[3], 1, i[4]);
    dvmh_convert_XY(ll[0], ll[1], ll[2], ll[3], ll[5], ll[4]);
    dvmh_convert_XY<int, 1, 2>(i[0], i[1], i[2], i[3], i[5]);
}
int main() {
    kernel<<<1, 32>>>(0, 0, 0, 0, 0, 0, 0, 0, 0);
    return 0;
}
END_OF_SOURCE

for standard in c++14 c++17 c++20; do
  if ! "$NVCC" -std=$standard -arch=sm_80 -Werror all-warnings -Xcompiler -Wall,-Wextra -I"$srcdir/include" -c \
    "$scratch/device.cu" -o "$scratch/device.o" >"$scratch/output" 2>&1; then
    head -30 "$scratch/output"
    echo "FAIL: the headers for kernels do not compile as CUDA with -std=$standard"
    exit 1
  fi
done
# The check itself: a function that is not there is refused.
echo '__global__ void planted(int *p) { p[0] = __dvmh_blockReduceNone(p[0]); }' >>"$scratch/device.cu"
if "$NVCC" -std=c++17 -arch=sm_80 -I"$srcdir/include" -c "$scratch/device.cu" -o "$scratch/device.o" >/dev/null 2>&1; then
  echo "FAIL: a kernel that calls a function that is not there was compiled"
  exit 1
fi
exit 0
