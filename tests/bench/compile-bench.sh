#!/bin/sh
# compile-bench.sh - what dvmhcc costs and gains: jacobi3d, adi and sor of examples/ made by the C compiler alone, by dvmhcc, and by dvmhcc
# -autoTfm; times of a step, and their ratios to the first. Then how long dvmhcc takes to translate a file of some thousand lines.
#
# use: compile-bench.sh [--quick] [--rounds N] [--threads N] [--flags FLAGS]    in the build folder; srcdir in the environment
#
# --quick      small arrays and one round: to see that all of this works, not to measure
# --rounds N   runs of each program (5); they take turns, and medians are printed
# --threads N  threads of the programs (1)
# --flags X    of all three compilations (-O3)
#
# A step is the difference of two kinds of runs, so that neither starts nor the planner's first tries count. All runs must print the same.

set -u
top=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
CC=${RTS_TEST_CC:-cc}
rounds=5 threads=1 flags=-O3 quick=no

refuse() {
  echo "compile-bench.sh: $1" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes rounds=1 ;;
    --rounds | --threads)
      case ${2-} in
        '' | *[!0-9]* | 0*) refuse "$1: '${2-}' given; allowed: a whole number from 1 on" ;;
      esac
      if [ "$1" = --rounds ]; then rounds=$2; else threads=$2; fi
      shift
      ;;
    --flags)
      [ $# -gt 1 ] || refuse "--flags: nothing given; allowed: flags of the C compiler in one word"
      flags=$2
      shift
      ;;
    *) refuse "'$1' given; allowed: --quick, --rounds N, --threads N, --flags FLAGS" ;;
  esac
  shift
done
[ -x "$top/dvmhcc" ] || refuse "no dvmhcc in this folder; run this in a build folder, of a build with libclang"
[ -f "$top/.libs/libdvmh.so" ] || refuse "no .libs/libdvmh.so in this folder; build the shared library"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
DVMHCC_CC=$CC
DVMHCC_CFLAGS="-isystem $srcdir/include"
DVMHCC_LIBS="-L$top/.libs -ldvmh -Wl,-rpath,$top/.libs"
DVMH_NUM_THREADS=$threads
export DVMHCC_CC DVMHCC_CFLAGS DVMHCC_LIBS DVMH_NUM_THREADS

now() {
  date +%s.%N
}

# seconds COMMAND...: how long it takes; what it prints goes to $work/output.
seconds() {
  begin=$(now)
  "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; echo "compile-bench.sh: this failed: $*" >&2; exit 1; }
  end=$(now)
  awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.6f\n", b - a }'
}

# median FILE: of the numbers in it, one a line.
median() {
  sort -g "$1" | awk '{ number[NR] = $1 } END { print (number[int((NR + 1) / 2)] + number[int((NR + 2) / 2)]) / 2 }'
}

# run_both PROGRAM FEW MANY: run it with few and with many steps, and keep the times.
run_both() {
  seconds "$work/$1" "$2" >>"$work/$1.few" || exit 1
  seconds "$work/$1" "$3" >>"$work/$1.many" || exit 1
  if [ ! -f "$work/expected" ]; then
    cp "$work/output" "$work/expected"
  elif ! cmp -s "$work/output" "$work/expected"; then
    echo "compile-bench.sh: $1 prints something else than the program of the C compiler" >&2
    exit 1
  fi
}

# step_time PROGRAM STEPS: milliseconds of one of so many steps that one run has more than the other.
step_time() {
  awk -v few="$(median "$work/$1.few")" -v many="$(median "$work/$1.many")" -v steps="$2" \
    'BEGIN { print 1e3 * (many - few) / steps }'
}

# measure NAME FEW MANY DEFINITIONS...: one example.
measure() {
  name=$1 few_steps=$2 many_steps=$3
  shift 3
  source=$srcdir/examples/$name.c
  $CC $flags "$@" -Wno-unknown-pragmas "$source" -lm -o "$work/plain" || exit 1
  "$top/dvmhcc" $flags "$@" "$source" -lm -o "$work/dvmhcc" || exit 1
  "$top/dvmhcc" -autoTfm $flags "$@" "$source" -lm -o "$work/autoTfm" || exit 1
  rm -f "$work/expected" "$work"/*.few "$work"/*.many
  round=0
  while [ $round -lt "$rounds" ]; do
    for program in plain dvmhcc autoTfm; do
      run_both $program "$few_steps" "$many_steps"
    done
    round=$((round + 1))
  done
  steps=$((many_steps - few_steps))
  awk -v name="$name $*" -v plain="$(step_time plain $steps)" -v made="$(step_time dvmhcc $steps)" \
    -v tfm="$(step_time autoTfm $steps)" 'BEGIN {
      printf "%-34s %9.2f %9.2f %6.2f %9.2f %6.2f\n", name, plain, made, made / plain, tfm, tfm / plain }'
}

# translate FUNCTIONS: a file of functions with two loops each; the C compiler is replaced by one that only preprocesses.
translate() {
  awk -v functions="$1" 'BEGIN {
    print "#include <stdio.h>\n#define N 100\n"
    for (f = 1; f <= functions; f++) {
      printf "#pragma dvm array distribute[block][block]\ndouble A%d[N][N];\n\n", f
      printf "static double work%d(double w) {\n    double largest = 0;\n#pragma dvm region\n    {\n", f
      printf "#pragma dvm parallel([i][j] on A%d[i][j]) across(A%d[1:1][1:1])\n", f, f
      printf "        for (int i = 1; i < N - 1; i++)\n            for (int j = 1; j < N - 1; j++)\n"
      printf "                A%d[i][j] = w * (A%d[i - 1][j] + A%d[i][j - 1] + A%d[i + 1][j] + A%d[i][j + 1]);\n", f, f, f, f, f
      printf "#pragma dvm parallel([i][j] on A%d[i][j]) reduction(max(largest))\n", f
      printf "        for (int i = 0; i < N; i++)\n            for (int j = 0; j < N; j++)\n"
      printf "                if (A%d[i][j] > largest)\n                    largest = A%d[i][j];\n    }\n", f, f
      printf "#pragma dvm get_actual(largest)\n    return largest;\n}\n\n"
    }
    print "int main(void) {"
    for (f = 1; f <= functions; f++)
      printf "    printf(\"%%g\\n\", work%d(%d));\n", f, f
    print "    return 0;\n}"
  }' >"$work/long.c"
  {
    echo 'for word; do'
    echo '  case $word in'
    echo "    -E) exec $CC \"\$@\" ;;"
    echo '    -o) next=yes ;;'
    echo '    *) [ "${next-}" = yes ] && : >"$word"; next=no ;;'
    echo '  esac'
    echo 'done'
  } >"$work/preprocessor"
  rm -f "$work/translate.times"
  round=0
  while [ $round -lt "$rounds" ]; do
    DVMHCC_CC="sh $work/preprocessor" seconds "$top/dvmhcc" -autoTfm -c "$work/long.c" -o "$work/long.o" \
      >>"$work/translate.times" || exit 1
    round=$((round + 1))
  done
  echo "translation of $(wc -l <"$work/long.c") lines, $((2 * $1)) loops: $(median "$work/translate.times") s (must: 2 s for 3000 lines)"
}

echo "$flags, $threads threads, $rounds rounds; ms a step, medians; ratios to the C compiler (must: 1.05, sor 1.00)"
printf '%-34s %9s %9s %6s %9s %6s\n' "" "$CC" dvmhcc ratio autoTfm ratio
if [ $quick = yes ]; then
  measure jacobi3d 2 4 -DN=24
  measure adi 2 4 -DN=24 -DM=20 -DL=28
  measure sor 2 4 -DN=100 -DM=120
  translate 20
else
  measure jacobi3d 30 60 -DN=256
  measure adi 30 50 -DN=256 -DM=256 -DL=256
  measure sor 30 60 -DN=4096 -DM=4096
  translate 137
fi
