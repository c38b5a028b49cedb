#!/bin/sh
# check-docs.sh - the documents say what the code does: docs/environment.md is what the table prints, and the C programs in
# README.md compile as sequential programs, run, and print the same under every optimisation; links lead somewhere.

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

awk -v folder="$work" '/^```c$/ {file = folder "/example" ++count ".c"; next} /^```$/ {file = ""} file != "" {print > file}' \
  "$srcdir/README.md"
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
