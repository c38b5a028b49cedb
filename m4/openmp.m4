# openmp.m4 - OpenMP of the C compiler; the host backend needs it. Sets OPENMP_CFLAGS.
# DVMH_CHECK_ARCHER finds Archer, which tells ThreadSanitizer of OpenMP's synchronisation. Sets ARCHER_LIB.

AC_DEFUN([DVMH_CHECK_OPENMP], [
AC_OPENMP
AC_CACHE_CHECK([whether OpenMP programs link], [dvmh_cv_openmp_links], [
  dvmh_save_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS $OPENMP_CFLAGS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>]], [[return omp_get_max_threads() < 1;]])],
                 [dvmh_cv_openmp_links=yes], [dvmh_cv_openmp_links=no])
  CFLAGS=$dvmh_save_CFLAGS
])
AS_IF([test "x$dvmh_cv_openmp_links" != xyes],
      [AC_MSG_ERROR([$CC has no OpenMP, which the host backend needs (clang on Debian, Ubuntu: install libomp-dev)])])
])

AC_DEFUN([DVMH_CHECK_ARCHER], [
ARCHER_LIB=
AS_IF([test "x$enable_tsan" = xyes], [
  AC_MSG_CHECKING([for Archer (libarcher.so)])
  dvmh_cc_program=`set -- $CC; command -v "$[1]"`
  dvmh_cc_dir=`dirname "\`readlink -f "$dvmh_cc_program"\`"`
  for dvmh_file in "`$CC -print-file-name=libarcher.so`" "$dvmh_cc_dir/../lib/libarcher.so" \
                   "$dvmh_cc_dir/../lib64/libarcher.so"; do
    AS_CASE([$dvmh_file], [/*], [AS_IF([test -f "$dvmh_file"], [ARCHER_LIB=$dvmh_file; break])])
  done
  AC_MSG_RESULT([${ARCHER_LIB:-no}])
  AS_IF([test -z "$ARCHER_LIB"],
        [AC_MSG_ERROR([--enable-tsan needs Archer, without which OpenMP gives false races (Debian, Ubuntu: libomp-dev)])])
])
AC_SUBST([ARCHER_LIB])
])
