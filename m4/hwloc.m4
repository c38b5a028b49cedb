# hwloc.m4 - hwloc, which tells the host backend where to bind threads.
#
# --with-hwloc=DIR|yes|no|guess. Sets HWLOC_CFLAGS, HWLOC_LIBS, HAVE_HWLOC (config.h), WANT_HWLOC (automake).

AC_DEFUN([DVMH_CHECK_HWLOC], [
AC_ARG_WITH([hwloc], [AS_HELP_STRING([--with-hwloc=DIR|yes|no|guess], [hwloc, for binding threads @<:@guess@:>@])],
            [], [with_hwloc=guess])
HWLOC_CFLAGS= HWLOC_LIBS= dvmh_hwloc_found=no
dvmh_hwloc_summary="no (threads are not bound)"
AS_IF([test "x$with_hwloc" != xno], [
  HWLOC_LIBS=-lhwloc
  AS_CASE([$with_hwloc], [yes|guess], [
    AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists hwloc],
          [HWLOC_CFLAGS=`$PKG_CONFIG --cflags hwloc` HWLOC_LIBS=`$PKG_CONFIG --libs hwloc`])
  ], [
    AS_IF([test ! -f "$with_hwloc/include/hwloc.h"],
          [AC_MSG_ERROR([--with-hwloc=$with_hwloc: there is no include/hwloc.h])])
    HWLOC_CFLAGS="-I$with_hwloc/include"
    HWLOC_LIBS="-L$with_hwloc/lib -lhwloc"
  ])
  AC_MSG_CHECKING([for hwloc 2])
  dvmh_save_CPPFLAGS=$CPPFLAGS dvmh_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $HWLOC_CFLAGS" LIBS="$HWLOC_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <hwloc.h>
#if HWLOC_API_VERSION < 0x00020000
#error "hwloc 2 is needed"
#endif
]], [[hwloc_topology_t t; return hwloc_topology_init(&t);]])], [dvmh_hwloc_found=yes])
  CPPFLAGS=$dvmh_save_CPPFLAGS LIBS=$dvmh_save_LIBS
  AC_MSG_RESULT([$dvmh_hwloc_found])
  AS_IF([test "x$dvmh_hwloc_found" = xyes], [
    AC_DEFINE([HAVE_HWLOC], [1], [Define to 1 to bind threads with hwloc.])
    dvmh_hwloc_summary="yes ($HWLOC_LIBS)"
  ], [
    HWLOC_CFLAGS= HWLOC_LIBS=
    AS_IF([test "x$with_hwloc" != xguess],
          [AC_MSG_ERROR([--with-hwloc=$with_hwloc: no usable hwloc 2 found (Debian, Ubuntu: install libhwloc-dev)])])
    dvmh_hwloc_summary="not found (threads are not bound); Debian, Ubuntu: install libhwloc-dev"
  ])
])
AM_CONDITIONAL([WANT_HWLOC], [test "x$dvmh_hwloc_found" = xyes])
AC_SUBST([HWLOC_CFLAGS])
AC_SUBST([HWLOC_LIBS])
])
