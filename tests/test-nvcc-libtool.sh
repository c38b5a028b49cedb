#!/bin/sh
# test-nvcc-libtool.sh - CUDA files can be compiled through libtool: flags are translated, the shared object is
# position independent, symbols are hidden, a dependency file is written. No GPU is needed; without nvcc only the
# translation is tested, and the test is skipped.

srcdir=${srcdir:-.}
CC=${RTS_TEST_CC:-cc}
NM=${RTS_TEST_NM:-nm}
NVCC=${RTS_TEST_NVCC:-}
wrapper=$srcdir/build-aux/nvcc-libtool.sh

fail() {
  echo "FAIL: $*"
  exit 1
}

# translated EXPECTED ARGUMENTS...: the wrapper turns ARGUMENTS into EXPECTED.
translated() {
  expected=$1
  shift
  got=$(NVCC_LIBTOOL_ECHO=1 sh "$wrapper" nvcc "$@")
  [ "$got" = "nvcc $expected" ] || fail "$* became '$got', expected 'nvcc $expected'"
}
translated '-c a.cu -DPIC -o a.o -Xcompiler -fPIC' -c a.cu -fPIC -DPIC -o a.o
translated '-O3 -g -Xcompiler -Wall,-Wextra,-fvisibility=hidden' -O3 -g -Wall -Wextra -fvisibility=hidden
translated '-MT a.lo -MD -MP -MF a.d' -MT a.lo -MD -MP -MF a.d
translated '-std=c++17 --fmad=false -fmad=false -arch sm_90' -std=c++17 --fmad=false -fmad=false -arch sm_90
translated '-D X=1 -I -Wodd -isystem dir' -D X=1 -I -Wodd -isystem dir
translated '-c' -std=gnu11 -Wconversion -fsanitize=address,undefined -ffp-contract=off -c
translated '-Werror all-warnings -O2' -Werror -Og
NVCC_LIBTOOL_ECHO=1 sh "$wrapper" nvcc >/dev/null 2>&1 && fail "no arguments were accepted"

if [ -z "$NVCC" ]; then
  echo "SKIP: this build has no CUDA compiler (--with-cuda)"
  exit 77
fi
[ -x ./libtool ] || fail "run this in the build folder, where libtool is"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvmh rts.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
wrapper=$(cd "$srcdir/build-aux" && pwd)/nvcc-libtool.sh
libtool=$(pwd)/libtool
cd "$scratch" || exit 1
echo '#define PLANTED_VALUE 7' >planted.h
cat >planted.cu <<'END'
#include <cuda_runtime.h>
#include "planted.h"
__global__ void planted_kernel(int *p) { p[threadIdx.x] = PLANTED_VALUE; }
int planted_state;
extern "C" void planted_hidden(int *p) { planted_kernel<<<1, 32>>>(p); planted_state++; }
extern "C" __attribute__((visibility("default"))) int planted_visible(void) { planted_hidden(0); return planted_state; }
END

"$libtool" --silent --tag=CC --mode=compile sh "$wrapper" "$NVCC" -Wall -Wextra -O2 -fvisibility=hidden \
  -MT planted.lo -MD -MP -MF planted.d -c -o out/planted.lo planted.cu || fail "libtool cannot compile a .cu file"
[ -f out/planted.lo ] || fail "no libtool object"
grep -q 'planted\.h' planted.d || fail "the dependency file does not name the header"
grep -q '^planted\.lo' planted.d || fail "the dependency file has the wrong target"

if ls out/.libs/planted.o >/dev/null 2>&1; then
  $CC -shared -o planted.so out/.libs/planted.o -Wl,-z,text -Wl,--unresolved-symbols=ignore-all ||
    fail "the shared object is not position independent"
  $NM -D --defined-only planted.so >symbols
  grep -q ' planted_visible$' symbols || fail "a visible function is not exported"
  grep -q ' planted_hidden$' symbols && fail "a hidden function is exported"
fi
echo "compiled through libtool with $NVCC"
