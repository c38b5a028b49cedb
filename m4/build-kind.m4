# build-kind.m4 - what kind of build this is, and the compiler flags of our own.
#
# DVMH_BUILD_KIND (before AC_PROG_CC) reads --enable-debug|asan|tsan|coverage|native|werror and chooses the
# default CFLAGS; a user's own CFLAGS always replace these.
# DVMH_COMPILER_FLAGS (after LT_INIT) sets DVMH_CFLAGS (standard), WARN_CFLAGS, NATIVE_CFLAGS, VISIBILITY_CFLAGS,
# EXACT_CFLAGS and puts sanitizer flags into SANITIZE_CFLAGS.

AC_DEFUN([DVMH_BUILD_KIND], [
AC_ARG_ENABLE([debug], [AS_HELP_STRING([--enable-debug], [no optimisation, internal assertions on])],
              [], [enable_debug=no])
AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan],
              [AddressSanitizer and UndefinedBehaviorSanitizer, assertions on])], [], [enable_asan=no])
AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan],
              [ThreadSanitizer, assertions on; needs clang, its libomp and Archer])], [], [enable_tsan=no])
AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [gcov counters and "make coverage"])],
              [], [enable_coverage=no])
AC_ARG_ENABLE([native], [AS_HELP_STRING([--enable-native],
              [compile for this machine's processor (-march=native)])], [], [enable_native=no])
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [compiler warnings are errors])],
              [], [enable_werror=no])

AS_IF([test "x$enable_asan" = xyes && test "x$enable_tsan" = xyes],
      [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])

dnl ThreadSanitizer understands OpenMP only with clang's libomp; gcc's libgomp reports races that are none.
AS_IF([test "x$enable_tsan" = xyes && test -z "$CC"], [
  AC_CHECK_PROGS([dvmh_clang], [clang])
  AS_IF([test -z "$dvmh_clang"], [AC_MSG_ERROR([--enable-tsan needs clang (Debian, Ubuntu: clang libomp-dev)])])
  CC=clang
  AS_IF([test -z "$CXX"], [CXX=clang++])
])

dvmh_build_kind=optimised dvmh_default_cflags="-O3 -g" dvmh_assert_level=0
AS_IF([test "x$enable_coverage" = xyes],
      [dvmh_build_kind=coverage dvmh_default_cflags="-O0 -g"])
AS_IF([test "x$enable_asan" = xyes],
      [dvmh_build_kind="ASan + UBSan" dvmh_default_cflags="-O1 -g" dvmh_assert_level=2])
AS_IF([test "x$enable_tsan" = xyes],
      [dvmh_build_kind="ThreadSanitizer" dvmh_default_cflags="-O1 -g" dvmh_assert_level=2])
AS_IF([test "x$enable_debug" = xyes], [
  dvmh_assert_level=2 dvmh_default_cflags="-O0 -g"
  AS_CASE([$dvmh_build_kind], [optimised], [dvmh_build_kind=debug], [dvmh_build_kind="$dvmh_build_kind, debug"])
])
AC_DEFINE_UNQUOTED([RTS_ASSERT_LEVEL], [$dvmh_assert_level],
                   [Internal assertions: 0 none, 1 cheap ones, 2 all.])

AS_IF([test "${CFLAGS+set}" != set], [CFLAGS=$dvmh_default_cflags])
AS_IF([test "${CXXFLAGS+set}" != set], [CXXFLAGS=$dvmh_default_cflags])

AM_CONDITIONAL([WANT_COVERAGE], [test "x$enable_coverage" = xyes])
AM_CONDITIONAL([WANT_SANITIZER], [test "x$enable_asan$enable_tsan" != xnono])
AC_SUBST([TEST_SANITIZER], [none])
AS_IF([test "x$enable_asan" = xyes], [TEST_SANITIZER=asan])
AS_IF([test "x$enable_tsan" = xyes], [TEST_SANITIZER=tsan])
])

# DVMH_TRY_CFLAGS(VARIABLE, FLAGS, [IF-NOT]): append FLAGS to VARIABLE when the C compiler takes them and can link with them.
AC_DEFUN([DVMH_TRY_CFLAGS], [
AC_MSG_CHECKING([whether $CC takes $2])
dvmh_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $2"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
               [AC_MSG_RESULT([yes]); $1="${$1:+$$1 }$2"; CFLAGS=$dvmh_save_CFLAGS],
               [AC_MSG_RESULT([no]); CFLAGS=$dvmh_save_CFLAGS
                $3])
])

AC_DEFUN([DVMH_COMPILER_FLAGS], [
DVMH_TRY_CFLAGS([DVMH_CFLAGS], [-std=gnu11], [AC_MSG_ERROR([a C11 compiler is needed])])
for dvmh_flag in -Wall -Wextra -Wshadow -Wconversion; do
  DVMH_TRY_CFLAGS([WARN_CFLAGS], [$dvmh_flag])
done
AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
DVMH_TRY_CFLAGS([VISIBILITY_CFLAGS], [-fvisibility=hidden])
DVMH_TRY_CFLAGS([EXACT_CFLAGS], [-ffp-contract=off],
                [AC_MSG_ERROR([the compiler must be able to compile without contracting a*b+c (-ffp-contract=off)])])
AS_IF([test "x$enable_native" = xyes],
      [DVMH_TRY_CFLAGS([NATIVE_CFLAGS], [-march=native], [AC_MSG_ERROR([--enable-native: -march=native is refused])])],
      [enable_native=no])
AS_IF([test "x$enable_asan" = xyes],
      [DVMH_TRY_CFLAGS([SANITIZE_CFLAGS],
                       [-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer],
                       [AC_MSG_ERROR([--enable-asan: the compiler has no AddressSanitizer])])])
AS_IF([test "x$enable_tsan" = xyes], [
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __clang__
#error "not clang"
#endif
]], [])], [], [AC_MSG_ERROR([--enable-tsan needs clang, but CC is $CC])])
  DVMH_TRY_CFLAGS([SANITIZE_CFLAGS], [-fsanitize=thread -fno-omit-frame-pointer],
                  [AC_MSG_ERROR([--enable-tsan: the compiler has no ThreadSanitizer])])
])
AS_IF([test "x$enable_coverage" = xyes], [
  DVMH_TRY_CFLAGS([SANITIZE_CFLAGS], [--coverage -fprofile-update=atomic],
                  [AC_MSG_ERROR([--enable-coverage: the compiler has no --coverage])])
  AC_CHECK_PROGS([LCOV], [lcov])
  AC_CHECK_PROGS([GENHTML], [genhtml])
])
AC_SUBST([DVMH_CFLAGS])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([VISIBILITY_CFLAGS])
AC_SUBST([EXACT_CFLAGS])
AC_SUBST([NATIVE_CFLAGS])
AC_SUBST([SANITIZE_CFLAGS])
])

# DVMH_CXX_WORKS: is there a C++11 compiler? Only checks of public headers and C++ tests need it.
AC_DEFUN([DVMH_CXX_WORKS], [
AC_CACHE_CHECK([whether $CXX compiles C++11], [dvmh_cv_cxx_works], [
  AC_LANG_PUSH([C++])
  dvmh_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++11"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [auto x = 0; (void)x;])], [dvmh_cv_cxx_works=yes], [dvmh_cv_cxx_works=no])
  CXXFLAGS=$dvmh_save_CXXFLAGS
  AC_LANG_POP([C++])
])
dvmh_cxx_works=$dvmh_cv_cxx_works
AM_CONDITIONAL([HAVE_CXX], [test "x$dvmh_cxx_works" = xyes])
AS_IF([test "x$dvmh_cxx_works" = xyes], [TEST_CXX=$CXX], [TEST_CXX=])
AC_SUBST([TEST_CXX])
])
