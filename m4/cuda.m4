# cuda.m4 - the CUDA compiler and run-time library. Nothing here, nor in the build, needs a GPU.
#
# --with-cuda=DIR|yes|no|guess. Sets NVCC, NVCCFLAGS, CUDA_LIBS and WANT_CUDA (automake).
# HAVE_CUDA (config.h) is to be defined here, and CUDA_LIBS added to librts.la, when rts/cuda has a backend:
# until then the compiler is only used by the test of build-aux/nvcc-libtool.sh.

AC_DEFUN([DVMH_CHECK_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR|yes|no|guess], [CUDA toolkit @<:@guess@:>@])],
            [], [with_cuda=guess])
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
CUDA_LIBS= dvmh_cuda_found=no dvmh_cuda_missing=
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
    AS_IF([$NVCC -c conftest.cu -o conftest.cu.o >&AS_MESSAGE_LOG_FD 2>&1],
          [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no]); dvmh_cuda_missing="an nvcc that compiles (see config.log)"])
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
    AS_IF([test -n "$dvmh_cuda_lib"],
          [CUDA_LIBS="-L$dvmh_cuda_lib -lcudart_static -lstdc++ -lpthread -ldl -lrt" dvmh_cuda_found=yes],
          [dvmh_cuda_missing="libcudart_static.a near $NVCC"])
  ])
  AS_IF([test "x$dvmh_cuda_found" = xyes],
        [dvmh_cuda_summary="$NVCC (checked only: this version has no CUDA backend yet)"],
        [NVCC=
         AS_IF([test "x$with_cuda" != xguess], [AC_MSG_ERROR([--with-cuda=$with_cuda: missing: $dvmh_cuda_missing])])
         dvmh_cuda_summary="not found (missing: $dvmh_cuda_missing)"])
], [NVCC=])
AM_CONDITIONAL([WANT_CUDA], [test "x$dvmh_cuda_found" = xyes])
AC_SUBST([CUDA_LIBS])
])
