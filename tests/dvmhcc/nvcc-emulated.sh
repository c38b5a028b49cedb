#!/bin/sh
# nvcc-emulated.sh - what nvcc is to dvmhcc (DVMHCC_NVCC), for the GPU that the host plays: tests/emulated_cuda. Compiles one file by the C++ compiler
# CXX (c++), as that folder's Makemodule.am does; of nvcc's flags only files, folders of headers, -O and -g count.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
count=$#
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  case $word in
    -Xcompiler)
      shift
      count=$((count - 1))
      ;;
    -arch=* | --generate-code=* | -fmad=* | -lineinfo) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec ${CXX:-c++} -x c++ -ffp-contract=off -Wno-unknown-pragmas ${EMULATED_FLAGS:-} -D__CUDACC__ \
  -I"$here/../emulated_cuda/include" -include cuda_runtime.h "$@"
