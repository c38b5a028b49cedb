#!/bin/sh
# test-nvcc-layout.sh - rts/layout_index.h is CUDA C++17, too: a kernel and host code use all of it, without a warning.
# No GPU is needed; without nvcc the header is compiled as C++17 alone, and the test is skipped.

srcdir=${srcdir:-.}
NVCC=${RTS_TEST_NVCC:-}
CXX=${RTS_TEST_CXX-c++}

fail() {
  echo "FAIL: $*"
  exit 1
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvmh rts.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/layout.cu" <<'END_OF_SOURCE'
#include "rts/layout_index.h"
#ifndef __CUDACC__
#define __global__
#endif
#define FUNCTIONS(bits, index)                                                                              \
    static __global__ void kernel##bits(rts_plane##bits##_t plane, index *out) {                              \
        index i_p = 0, i_q = 0;                                                                             \
        out[0] = rts_plane##bits##_offset(&plane, 1, 2) + rts_plane##bits##_skew(&plane, 1, 2);               \
        out[1] = rts_plane##bits##_wrap(&plane, 1, 2) + rts_plane##bits##_packed(&plane, 1, 2);               \
        if (rts_plane##bits##_wraps_once(&plane))                                                           \
            out[2] = rts_plane##bits##_wrap_once(&plane, 1, 2);                                             \
        for (index d = 0; d < rts_plane##bits##_fronts(&plane); d++) {                                      \
            const rts_plane##bits##_front_t front = rts_plane##bits##_front(&plane, d);                       \
            out[3] += front.offset + front.count * front.stride;                                            \
        }                                                                                                   \
        if (rts_plane##bits##_inverse(&plane, out[0], &i_p, &i_q))                                          \
            out[4] = i_p + i_q + rts_plane##bits##_d(&plane, i_p, i_q);                                       \
    }
FUNCTIONS(32, int32_t)
FUNCTIONS(64, int64_t)
int main() {
    const rts_plane64_t plane = {RTS_LAYOUT_PACKED, 1, 1, 3, 3, 3, 3, 0};
    rts_plane32_t narrow;
    if (!rts_plane32_from_64(&plane, &narrow) || rts_plane32_offset(&narrow, 1, 2) != 6)
        return 1;
#ifdef __CUDACC__
    kernel32<<<1, 1>>>(narrow, 0);
    kernel64<<<1, 1>>>(plane, 0);
#else
    (void)kernel32, (void)kernel64;
#endif
    return rts_plane64_offset(&plane, 2, 1) != 7;
}
END_OF_SOURCE

if [ -n "$CXX" ]; then
  $CXX -std=c++17 -Wall -Wextra -Wshadow -Werror -I"$srcdir" -x c++ "$scratch/layout.cu" -o "$scratch/layout" ||
    fail "rts/layout_index.h is no C++17"
  "$scratch/layout" || fail "a place is wrong in C++"
fi
if [ -z "$NVCC" ]; then
  echo "SKIP: this build has no CUDA compiler (--with-cuda)"
  exit 77
fi
"$NVCC" -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -I"$srcdir" -c "$scratch/layout.cu" \
  -o "$scratch/layout.o" || fail "nvcc refuses rts/layout_index.h"
# Functions without __host__ __device__ must be noticed.
sed 's/static inline __host__ __device__/static inline/' "$srcdir/rts/layout_index.h" >"$scratch/layout_index.h"
mkdir "$scratch/rts" && mv "$scratch/layout_index.h" "$scratch/rts/"
"$NVCC" -std=c++17 -I"$scratch" -c "$scratch/layout.cu" -o "$scratch/layout.o" >/dev/null 2>&1 &&
  fail "host functions in a kernel were not noticed"
echo "compiled with $NVCC"
