# cuda.m4 - the CUDA compiler and run-time library. Nothing here, nor in the build, needs a GPU.
#
# --with-cuda=DIR|yes|no|guess. Sets NVCC, NVCCFLAGS, CUDA_CFLAGS (for C files that call CUDA), CUDA_ARCH_FLAGS, CUDA_WARN_FLAGS,
# CUDA_LIBS, HAVE_CUDA (config.h) and WANT_CUDA (automake).
# The code is for the architectures below, and a translation of that for the newest one, so that later GPUs run it too.

AC_DEFUN([DVMH_CHECK_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR|yes|no|guess], [CUDA toolkit @<:@guess@:>@])],
            [], [with_cuda=guess])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
CUDA_LIBS= CUDA_CFLAGS= CUDA_HIDE_FLAGS= dvmh_cuda_found=no dvmh_cuda_missing=
CUDA_ARCH_FLAGS="--generate-code=arch=compute_80,code=sm_80 --generate-code=arch=compute_90,code=sm_90 --generate-code=arch=compute_90,code=compute_90"
dvmh_cuda_summary="no"
AS_IF([test "x$with_cuda" != xno], [
  AS_CASE([$with_cuda], [yes|guess], [
    AC_PATH_PROG([NVCC], [nvcc], [], [$PATH$PATH_SEPARATOR${CUDA_HOME:-/usr/local/cuda}/bin])
  ], [
    AS_IF([test ! -d "$with_cuda"], [AC_MSG_ERROR([--with-cuda=$with_cuda: no such directory])])
    NVCC=$with_cuda/bin/nvcc
    AS_IF([test ! -x "$NVCC"], [NVCC=])
  ])
  AS_IF([test -z "$NVCC"], [dvmh_cuda_missing="nvcc"], [
    AC_MSG_CHECKING([whether $NVCC compiles])
    cat >conftest.cu <<END
__global__ void conftest_kernel(int *p) { *p = 1; }
END
    AS_IF([$NVCC -std=c++17 $CUDA_ARCH_FLAGS -c conftest.cu -o conftest.cu.o >&AS_MESSAGE_LOG_FD 2>&1],
          [AC_MSG_RESULT([yes])],
          [AC_MSG_RESULT([no]); dvmh_cuda_missing="an nvcc that compiles C++17 for sm_80 and sm_90 (see config.log)"])
    rm -f conftest.cu conftest.cu.o
  ])
  AS_IF([test -z "$dvmh_cuda_missing"], [
    AC_MSG_CHECKING([for the static CUDA run-time library])
    dvmh_cuda_root=`dirname "\`readlink -f "$NVCC"\`"`/..
    dvmh_cuda_lib=
    for dvmh_dir in "$dvmh_cuda_root/lib64" "$dvmh_cuda_root/targets/`uname -m`-linux/lib" "$dvmh_cuda_root/lib" \
                    "$dvmh_cuda_root/lib/`uname -m`-linux-gnu"; do
      AS_IF([test -f "$dvmh_dir/libcudart_static.a"], [dvmh_cuda_lib=`cd "$dvmh_dir" && pwd -P`; break])
    done
    AC_MSG_RESULT([${dvmh_cuda_lib:-no}])
    dvmh_cuda_include=
    for dvmh_dir in "$dvmh_cuda_root/include" "$dvmh_cuda_root/targets/`uname -m`-linux/include"; do
      AS_IF([test -f "$dvmh_dir/cuda_runtime_api.h"], [dvmh_cuda_include=`cd "$dvmh_dir" && pwd -P`; break])
    done
    AS_IF([test -z "$dvmh_cuda_lib"], [dvmh_cuda_missing="libcudart_static.a near $NVCC"],
          [test -z "$dvmh_cuda_include"], [dvmh_cuda_missing="cuda_runtime_api.h near $NVCC"],
          [CUDA_LIBS="-L$dvmh_cuda_lib -lcudart_static -lstdc++ -lpthread -ldl -lrt" dvmh_cuda_found=yes
           AS_CASE([$dvmh_cuda_include], [/usr/include], [], [CUDA_CFLAGS="-isystem $dvmh_cuda_include"])])
  ])
  AS_IF([test "x$dvmh_cuda_found" = xyes],
        [dvmh_cuda_summary="$NVCC (sm_80, sm_90 and later)"
         AC_DEFINE([HAVE_CUDA], [1], [Define to 1 to run on GPUs with CUDA.])
         AC_DEFINE([RTS_CUDA_OLDEST_ARCH], [80],
                   [10 * major + minor of the oldest architecture that CUDA code is compiled for.])
         dnl CUDA's own run-time library inside ours must not serve, nor be replaced by, that of the program.
         CUDA_HIDE_FLAGS="-Wl,--exclude-libs,libcudart_static.a"
         AS_IF([test "x$NVCCFLAGS" = x], [NVCCFLAGS=-O3])],
        [NVCC=
         AS_IF([test "x$with_cuda" != xguess], [AC_MSG_ERROR([--with-cuda=$with_cuda: missing: $dvmh_cuda_missing])])
         dvmh_cuda_summary="not found (missing: $dvmh_cuda_missing)"])
], [NVCC=])
AM_CONDITIONAL([WANT_CUDA], [test "x$dvmh_cuda_found" = xyes])
AS_IF([test "x$enable_werror" = xyes], [CUDA_WARN_FLAGS=-Werror], [CUDA_WARN_FLAGS=])
AC_SUBST([CUDA_ARCH_FLAGS])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_HIDE_FLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_WARN_FLAGS])
])
