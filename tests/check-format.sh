#!/bin/sh
# check-format.sh - every C, C++ and CUDA file is formatted as .clang-format says. Versions of clang-format differ,
# so only version 14 decides; without it the check is skipped.

srcdir=${srcdir:-.}
formatter=${RTS_TEST_CLANG_FORMAT-clang-format}
if [ -z "$formatter" ] || ! command -v "$formatter" >/dev/null 2>&1; then
  echo "SKIP: no clang-format"
  exit 77
fi
version=$("$formatter" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
  echo "SKIP: clang-format is version ${version:-unknown}, only 14 decides"
  exit 77
fi
cd "$srcdir" || exit 1
folders=
for folder in compiler-hooks include npb-lu rts sor-bench tests tools; do
  [ -d "$folder" ] && folders="$folders $folder"
done
if find $folders -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' |
  xargs "$formatter" --dry-run -Werror; then
  exit 0
fi
echo "FAIL: run make format"
exit 1
