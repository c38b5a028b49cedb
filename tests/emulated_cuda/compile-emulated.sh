#!/bin/sh
# compile-emulated.sh - compile C, C++ and CUDA files for the emulated GPU and link them with the run-time system on it. Run in the build folder,
# after `make tests/emulated_cuda/libdvmh-emulated.la`.
#
# use: compile-emulated.sh -o PROGRAM [-O..|-g|-D..|-I..|-l..]... FILE.c|FILE.cpp|FILE.cu|FILE.o...
#
# CC, CXX: the compilers (cc, c++); EMULATED_FLAGS: for both and the link, sanitizers for example.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
library=tests/emulated_cuda/libdvmh-emulated.la
if [ ! -f "$library" ]; then
  echo "compile-emulated.sh: run it in the build folder, after make $library" >&2
  exit 2
fi
program=a.out files= flags= libraries=
while [ $# -gt 0 ]; do
  case $1 in
    -o)
      program=$2
      shift
      ;;
    -l*) libraries="$libraries $1" ;;
    -*) flags="$flags $1" ;;
    *) files="$files $1" ;;
  esac
  shift
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
includes="-I$here/include -I. -I$root -I$root/include"
common="-fopenmp -ffp-contract=off ${EMULATED_FLAGS:-}"
objects= count=0
for file in $files; do
  count=$((count + 1))
  object=$scratch/$count.o
  case $file in
    *.c) ${CC:-cc} -std=gnu11 $common $flags $includes -c "$file" -o "$object" || exit 1 ;;
    *.cu) ${CXX:-c++} -x c++ -std=c++17 -Wno-unknown-pragmas $common $flags -D__CUDACC__ $includes -include cuda_runtime.h -c "$file" -o "$object" || exit 1 ;;
    *.cpp) ${CXX:-c++} -std=c++17 $common $flags $includes -c "$file" -o "$object" || exit 1 ;;
    *) object=$file ;;
  esac
  objects="$objects $object"
done
./libtool --silent --tag=CXX --mode=link ${CXX:-c++} $common -o "$program" $objects "$library" $libraries -lstdc++ -lm -lpthread
