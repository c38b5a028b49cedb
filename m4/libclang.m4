# libclang.m4 - clang's C interface, by which dvmhcc reads programs. Version 19 is preferred; others from 17 on, which
# tell operators, are taken if they work.
#
# --with-libclang=DIR|yes|no|guess. Sets LIBCLANG_CFLAGS, LIBCLANG_LIBS, HAVE_LIBCLANG (config.h), WANT_LIBCLANG (automake).
# DIR is a prefix such as llvm-config --prefix prints: it has include/clang-c/Index.h and lib/libclang.so.

# DVMH_TRY_LIBCLANG(PREFIX): do the header and the library of one installation parse a program? Sets dvmh_libclang_version, and the
# flags, when they do.
AC_DEFUN([DVMH_TRY_LIBCLANG], [
dvmh_libclang_version=
dvmh_libclang_file=
for dvmh_file in "$1"/lib/libclang.so "$1"/lib64/libclang.so "$1"/lib/libclang.dylib; do
  AS_IF([test -f "$dvmh_file"], [dvmh_libclang_file=$dvmh_file; break])
done
AS_IF([test -f "$1/include/clang-c/Index.h" && test -n "$dvmh_libclang_file"], [
  AC_MSG_CHECKING([whether libclang in $1 works])
  dvmh_libclang_dir=`dirname "$dvmh_libclang_file"`
  LIBCLANG_CFLAGS="-isystem $1/include"
  # The file, not -L: other libraries of that folder, such as libomp, must not be found there.
  LIBCLANG_LIBS="$dvmh_libclang_file -Wl,-rpath,$dvmh_libclang_dir"
  dvmh_save_CPPFLAGS=$CPPFLAGS dvmh_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $LIBCLANG_CFLAGS" LIBS="$LIBCLANG_LIBS $LIBS"
  rm -f conftest.version
  AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#include <clang-c/Index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
]], [[
    struct CXUnsavedFile file = {"conftest_input.c", "int conftest;", 13};
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = clang_parseTranslationUnit(index, file.Filename, 0, 0, &file, 1, CXTranslationUnit_None);
    CXString version = clang_getClangVersion();
    const char *number = strstr(clang_getCString(version), "version ");
    FILE *output = fopen("conftest.version", "w");
    if (unit == 0 || number == 0 || atoi(number + 8) < 17 || output == 0)
      return 1;
    fprintf(output, "%.*s\n", (int)strspn(number + 8, "0123456789."), number + 8);
    return fclose(output) != 0;
]])], [dvmh_libclang_version=`cat conftest.version`], [],
       [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang-c/Index.h>]], [[return clang_createIndex(0, 0) == 0;]])],
                       [dvmh_libclang_version="unknown (cross compiling)"])])
  rm -f conftest.version
  CPPFLAGS=$dvmh_save_CPPFLAGS LIBS=$dvmh_save_LIBS
  AC_MSG_RESULT([${dvmh_libclang_version:-no}])
])
])

AC_DEFUN([DVMH_CHECK_LIBCLANG], [
AC_ARG_WITH([libclang], [AS_HELP_STRING([--with-libclang=DIR|yes|no|guess],
            [libclang 17 or later, for the compiler driver dvmhcc @<:@guess@:>@])], [], [with_libclang=guess])
LIBCLANG_CFLAGS= LIBCLANG_LIBS= dvmh_libclang_version=
dvmh_libclang_summary="no (no dvmhcc)"
AS_CASE([$with_libclang], [no], [], [yes|guess], [
  # llvm-config is in a package of its own, which may be missing: then where Debian and Ubuntu put each version.
  for dvmh_config in -19 -20 -21 -18 -17 ''; do
    AS_IF([test -z "$dvmh_libclang_version"], [
      dvmh_libclang_prefix=`llvm-config$dvmh_config --prefix 2>/dev/null`
      AS_IF([test -z "$dvmh_libclang_prefix"], [dvmh_libclang_prefix=/usr/lib/llvm$dvmh_config])
      AS_IF([test -d "$dvmh_libclang_prefix"], [DVMH_TRY_LIBCLANG([$dvmh_libclang_prefix])])
    ])
  done
], [DVMH_TRY_LIBCLANG([$with_libclang])])
AS_IF([test -n "$dvmh_libclang_version"], [
  # libtool puts the file in front of the archives that need it, where a linker that takes only what is needed by then would drop it.
  AS_CASE([$host_os], [linux*], [LIBCLANG_LIBS="-Wl,--no-as-needed $LIBCLANG_LIBS -Wl,--as-needed"])
  AC_DEFINE([HAVE_LIBCLANG], [1], [Define to 1 if dvmhcc can be built on libclang.])
  dvmh_libclang_summary="$dvmh_libclang_version"
], [
  LIBCLANG_CFLAGS= LIBCLANG_LIBS=
  AS_CASE([$with_libclang], [no], [], [guess], [
    dvmh_libclang_summary="not found (no dvmhcc); Debian, Ubuntu: install libclang-19-dev"
  ], [AC_MSG_ERROR([--with-libclang=$with_libclang: no usable libclang from 17 on found (Debian, Ubuntu: install libclang-19-dev)])])
])
AM_CONDITIONAL([WANT_LIBCLANG], [test -n "$dvmh_libclang_version"])
AC_SUBST([LIBCLANG_CFLAGS])
AC_SUBST([LIBCLANG_LIBS])
])
