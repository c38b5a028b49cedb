#!/bin/sh
# check-programs.sh - annotated programs do on many processes what a plain C compiler makes of them sequentially, byte for byte, files that
# they write included: the examples on many grids and in several modes of the planner, and the programs ok-* of the corpus of dvmhcc on a few.
# With RTS_TEST_FULL=1 on more grids each.
#
# use: check-programs.sh [NAME...]    in the build folder. tests/dvmhcc/programs.sh has the variables that matter. A program that cannot
# run on several processes says so: /* processes: 1 */.

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
examples=$srcdir/examples
corpus=$srcdir/tests/dvmhcc/corpus
: "${RTS_TEST_JOBS:=1}" # processes are many already

# on GRID SETTINGS: one run of $place/program; the grid's extents are joined by x. With SEED_APART=N among the settings the planner chooses at
# random, and in every process from a seed of its own.
on() {
  count=$(($(echo "$1" | sed 's/x/ * /g')))
  launcher="$RTS_TEST_MPIEXEC -n $count"
  case $2 in *SEED_APART=*) launcher="$launcher sh $srcdir/tests/cluster/seed-apart.sh" ;; esac
  compare program "DVMH_NUM_THREADS=1 OMP_NUM_THREADS=1 DVMH_PROC_GRID=$(echo "$1" | tr x ,) $2"
  launcher=
}

check_example() {
  for grid in 3 2x2 ${RTS_TEST_FULL:+1 2 1x3}; do
    on $grid DVMH_PLANNER=off
  done
  [ -z "${RTS_TEST_FULL-}" ] || on 4 DVMH_PLANNER=random:1
  on 2x3 "SEED_APART=2 DVMH_OVERLAP=on"
  on 2x2x2 "SEED_APART=3 DVMH_OVERLAP=on"
  on 8 DVMH_PLANNER=cost
  on 3x2 "SEED_APART=4 DVMH_FAKE_DEVICES=1 DVMH_OVERLAP=on"
}

# All on a plane of processes; one half of them without reorganisation, the other half on a line of processes with devices.
check_feature() {
  on 2x2 "SEED_APART=1 DVMH_OVERLAP=on"
  half=$(($(echo "$name" | cksum | cut -d ' ' -f 1) % 2))
  [ -z "${RTS_TEST_FULL-}" ] && [ $half -eq 0 ] || on 3 "SEED_APART=2 DVMH_FAKE_DEVICES=1 DVMH_OVERLAP=on"
  [ -z "${RTS_TEST_FULL-}" ] && [ $half -eq 1 ] || on 2 DVMH_PLANNER=off
}

check_one() {
  case $1 in
    ok-*) begin "$1" "$corpus" ;;
    *) begin "$1" "$examples" ;;
  esac
  if [ "$(said processes)" = 1 ]; then
    :
  elif make_reference; then
    if build program $DVMHCC -autoTfm $sanitizer; then
      case $name in
        ok-*) check_feature ;;
        *) check_example ;;
      esac
    else
      fault "not built" "$place/program.log"
    fi
  fi
  finish
}

# A compiler whose programs are wrong on many processes alone must be noticed.
planted() {
  {
    echo '#!/bin/sh'
    echo 'for word; do out=$word; done'
    echo "$DVMHCC \"\$@\" && mv \"\$out\" \"\$out.real\" && cat >\"\$out\" <<END_OF_TEXT && chmod +x \"\$out\""
    echo '#!/bin/sh'
    echo "$2"
    echo END_OF_TEXT
  } >"$work/planted"
  chmod +x "$work/planted"
  if (DVMHCC=$work/planted check_one ok-names) | grep -q '^passed$'; then
    echo "FAIL: the check does not see a planted fault: $1"
    exit 1
  fi
}

check_planted() {
  planted 'a line more on four processes' '[ "\$DVMH_PROC_GRID" != 2,2 ] || [ "\$OMPI_COMM_WORLD_RANK\$PMI_RANK" != 0 ] || echo more; exec $out.real'
  planted 'an exit code of one process' '$out.real; [ "\$OMPI_COMM_WORLD_RANK\$PMI_RANK" != 1 ] || exit 3'
}

names() {
  if [ -n "$given" ]; then
    printf '%s\n' $given
  else
    (cd "$examples" && ls *.c) | sed 's,\.c$,,'
    (cd "$corpus" && ls -d ok-*) | sed -n -e 's,\.c$,,p' -e '/\./!p'
  fi
}

if [ -z "${RTS_TEST_MPIEXEC:-}" ] || [ -z "$DVMHCC" ]; then
  echo "SKIP: this build lacks mpiexec or dvmhcc"
  exit 77
fi
run_script "$@"
