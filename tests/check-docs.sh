#!/bin/sh
# check-docs.sh - the documents say what the code does: docs/environment.md is what the table prints; the C programs in
# README.md compile as sequential programs, run, and print the same under every optimisation; the one in docs/abi.md compiles against
# the library and prints the same under every mode of the planner; that for GPUs compiles; links lead somewhere.

srcdir=${srcdir:-.}
builddir=${builddir:-.}
CC=${RTS_TEST_CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
faults=0

"$builddir/tools/dvmh-info" --env-markdown > "$work/environment.md" || exit 1
if ! diff -u "$srcdir/docs/environment.md" "$work/environment.md"; then
  echo "docs/environment.md is not what tools/dvmh-info --env-markdown prints: write it anew"
  faults=$((faults + 1))
fi

# extract DOCUMENT NAME: its blocks of C to $work/NAME1.c and on.
extract() {
  awk -v stem="$work/$2" '/^```c$/ {file = stem (++count) ".c"; next} /^```$/ {file = ""} file != "" {print > file}' "$srcdir/$1"
}
extract README.md example
extract docs/abi.md call
examples=0
for source in "$work"/example*.c; do
  [ -f "$source" ] || continue
  examples=$((examples + 1))
  for flags in -O0 -O2; do
    if ! $CC -std=c99 $flags -ffp-contract=off -Wall -Wextra -Wno-unknown-pragmas -Werror "$source" -o "$work/example" -lm ||
       ! "$work/example" > "$work/output$flags"; then
      echo "README.md: ${source##*/} does not compile or run with $flags"
      faults=$((faults + 1))
    fi
  done
  cmp "$work/output-O0" "$work/output-O2" || faults=$((faults + 1))
done
if [ "$examples" -eq 0 ]; then
  echo "README.md has no C example: the check has lost its subject"
  faults=$((faults + 1))
fi

# run_call MODE ARGUMENTS: the example of docs/abi.md in one mode; prints what it prints.
run_call() {
  mode=$1
  shift
  DVMH_PLANNER=$mode DVMH_NUM_THREADS=2 "$work/call" "$@" || echo "exit code $?"
}
library=$(cd "$builddir" && pwd)/.libs
if ! $CC -std=gnu11 -O2 -ffp-contract=off ${RTS_TEST_OPENMP:-} -I"$srcdir/include" -Wall -Wextra -Wno-unknown-pragmas -Werror \
    -c "$work/call1.c" -o "$work/call.o"; then
  echo "docs/abi.md: its example does not compile"
  faults=$((faults + 1))
elif [ -f "$library/libdvmh.so" ] &&
    $CC ${RTS_TEST_OPENMP:-} "$work/call.o" -o "$work/call" -L"$library" -ldvmh -Wl,-rpath,"$library"; then
  expected=$(run_call off)
  case $expected in
    0.[0-9]*) ;;
    *)
      echo "docs/abi.md: the example prints '$expected'"
      faults=$((faults + 1))
      ;;
  esac
  for mode in greedy cost random:1 random:2 ""; do
    for arguments in "" pin; do
      found=$(run_call "$mode" $arguments)
      if [ "$found" != "$expected" ]; then
        echo "docs/abi.md: under DVMH_PLANNER=$mode $arguments the example prints '$found', not '$expected'"
        faults=$((faults + 1))
      fi
    done
  done
fi

# Its example for GPUs, for a C++ compiler that plays nvcc.
awk '/^```cuda$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$srcdir/docs/abi.md" >"$work/handler.cu"
if [ ! -s "$work/handler.cu" ]; then
  echo "docs/abi.md has no example for GPUs: the check has lost its subject"
  faults=$((faults + 1))
elif [ -n "${RTS_TEST_CXX:-}" ] &&
    ! $RTS_TEST_CXX -x c++ -std=c++17 -c -o "$work/handler.o" -Wall -Wextra -Wno-unknown-pragmas -Werror -D__CUDACC__ \
      -I"$srcdir/tests/emulated_cuda/include" -I"$srcdir/include" -include cuda_runtime.h "$work/handler.cu"; then
  echo "docs/abi.md: its example for GPUs does not compile"
  faults=$((faults + 1))
fi

for document in README.md CONTRIBUTING.md docs/abi.md docs/architecture.md docs/benchmarks.md; do
  [ -f "$srcdir/$document" ] || continue
  for link in $(grep -o '](\([^)#:]*\))' "$srcdir/$document" | sed 's/^](//; s/)$//'); do
    if [ ! -s "$srcdir/$(dirname "$document")/$link" ]; then
      echo "$document: $link is missing or empty"
      faults=$((faults + 1))
    fi
  done
done
[ "$faults" -eq 0 ]
