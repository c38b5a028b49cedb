# mpi.m4 - MPI, for rts/comm.c alone. The compiler stays $CC: the MPI compiler wrapper is only asked for its flags.
#
# --with-mpi=DIR|yes|no|guess. Sets MPI_CFLAGS, MPI_LIBS, MPIEXEC, HAVE_MPI (config.h), WANT_MPI (automake).
# Asked in this order: $MPICC or DIR/bin/mpicc or mpicc, then pkg-config (ompi-c, mpich).

# DVMH_MPI_TRY(WHERE): with MPI_CFLAGS and MPI_LIBS set, does a program link? Sets dvmh_mpi_found.
AC_DEFUN([DVMH_MPI_TRY], [
AC_MSG_CHECKING([for MPI through $1])
dvmh_save_CPPFLAGS=$CPPFLAGS dvmh_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0); return MPI_Finalize();]])],
               [dvmh_mpi_found="$1"])
CPPFLAGS=$dvmh_save_CPPFLAGS LIBS=$dvmh_save_LIBS
AC_MSG_RESULT([${dvmh_mpi_found:-no}])
])

AC_DEFUN([DVMH_CHECK_MPI], [
AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=DIR|yes|no|guess], [MPI, for several processes @<:@guess@:>@])],
            [], [with_mpi=guess])
AC_ARG_VAR([MPICC], [MPI compiler wrapper that is asked for its flags])
AC_ARG_VAR([MPIEXEC], [launcher of MPI programs, for the tests])
MPI_CFLAGS= MPI_LIBS= dvmh_mpi_found= dvmh_mpi_bin=
dvmh_mpi_summary="no (one process)"
dvmh_mpiexec_summary="no"
AS_IF([test "x$with_mpi" != xno], [
  AS_CASE([$with_mpi], [yes|guess], [], [
    AS_IF([test ! -d "$with_mpi"], [AC_MSG_ERROR([--with-mpi=$with_mpi: no such directory])])
    dvmh_mpi_bin=$with_mpi/bin
    MPICC=${MPICC:-$dvmh_mpi_bin/mpicc}
  ])
  AS_IF([test -z "$MPICC"], [AC_CHECK_PROGS([MPICC], [mpicc])])
  AS_IF([test -n "$MPICC"], [
    AS_IF([dvmh_out=`$MPICC --showme:compile 2>/dev/null` && dvmh_out2=`$MPICC --showme:link 2>/dev/null`],
          [MPI_CFLAGS=$dvmh_out MPI_LIBS=$dvmh_out2],
          [dvmh_out=`$MPICC -compile_info 2>/dev/null` && dvmh_out2=`$MPICC -link_info 2>/dev/null`],
          [dnl MPICH prints whole commands; keep what follows the compiler's name
           MPI_CFLAGS=`set -- $dvmh_out; shift; echo "$[@]"` MPI_LIBS=`set -- $dvmh_out2; shift; echo "$[@]"`])
    DVMH_MPI_TRY([$MPICC])
  ])
  AS_IF([test -z "$dvmh_mpi_found" && test -z "$dvmh_mpi_bin" && test -n "$PKG_CONFIG"], [
    for dvmh_pc in ompi-c mpich; do
      AS_IF([test -z "$dvmh_mpi_found" && $PKG_CONFIG --exists $dvmh_pc], [
        MPI_CFLAGS=`$PKG_CONFIG --cflags $dvmh_pc` MPI_LIBS=`$PKG_CONFIG --libs $dvmh_pc`
        DVMH_MPI_TRY([pkg-config $dvmh_pc])
      ])
    done
  ])
  AS_IF([test -n "$dvmh_mpi_found"], [
    AC_DEFINE([HAVE_MPI], [1], [Define to 1 to run as several MPI processes.])
    dvmh_mpi_summary="yes, through $dvmh_mpi_found"
    AS_IF([test -z "$MPIEXEC" && test -n "$dvmh_mpi_bin"], [MPIEXEC=$dvmh_mpi_bin/mpiexec])
    AS_IF([test -z "$MPIEXEC"], [AC_CHECK_PROGS([MPIEXEC], [mpiexec mpirun])])
    AS_IF([test -n "$MPIEXEC"], [dvmh_mpiexec_summary="with $MPIEXEC"])
  ], [
    MPI_CFLAGS= MPI_LIBS= MPIEXEC=
    AS_IF([test "x$with_mpi" != xguess],
          [AC_MSG_ERROR([--with-mpi=$with_mpi: no usable MPI found (Debian, Ubuntu: install libopenmpi-dev openmpi-bin)])])
    dvmh_mpi_summary="not found (one process); Debian, Ubuntu: install libopenmpi-dev openmpi-bin"
  ])
], [MPIEXEC=])
AM_CONDITIONAL([WANT_MPI], [test -n "$dvmh_mpi_found"])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
])
