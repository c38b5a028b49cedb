#!/bin/sh
# nvcc-libtool.sh - let libtool drive nvcc as if it were a C compiler.
#
# use: libtool --tag=CC --mode=compile sh nvcc-libtool.sh NVCC [flags] -c file.cu -o file.lo
#
# Libtool adds gcc's flags (-fPIC -DPIC) that nvcc does not know, and swallows -Xcompiler. So flags are given here
# in gcc's form and translated: -f*, -W*, -m*, -pthread, -pipe and --coverage go to the host compiler; what nvcc
# knows itself (-O -g -D -U -I -isystem -include -c -o -std -arch --long-options, -MT -MD -MP -MF) stays as it is.
# Flags that make no sense for CUDA code, such as C standards and sanitizers, are dropped.
# With NVCC_LIBTOOL_ECHO=1 the command is printed and not run (for the test).

if [ $# -lt 2 ]; then
  echo "use: nvcc-libtool.sh NVCC arguments..." >&2
  exit 2
fi
nvcc=$1
shift

# Rebuild the argument list in place: every argument is shifted off the front and its translation appended.
count=$#
host=
depend_file=
object=
keep=                       # name of the option whose argument comes next
while [ "$count" -gt 0 ]; do
  arg=$1
  shift
  count=$((count - 1))
  case $keep in
    '') ;;
    -MF) depend_file=$arg keep=; set -- "$@" "$arg"; continue ;;
    -o) object=$arg keep=; set -- "$@" "$arg"; continue ;;
    *) keep=; set -- "$@" "$arg"; continue ;;
  esac
  case $arg in
    -std=c99 | -std=c11 | -std=c17 | -std=gnu99 | -std=gnu11 | -std=gnu17) ;;
    -fsanitize=* | -fno-sanitize* | -ffp-contract=* | -march=native) ;;
    -Wl,*) set -- "$@" -Xlinker "${arg#-Wl,}" ;;
    -Wp,* | -Wa,*) ;;
    -Wpedantic | -pedantic | -Wconversion | -Wstrict-prototypes | -Wmissing-prototypes) ;;  # nvcc's generated C++ cannot obey
    -Werror) set -- "$@" -Werror all-warnings ;;
    -fmad=* | -maxrregcount*) set -- "$@" "$arg" ;;
    -W* | -f* | -m[!0-9]* | -pthread | -pipe | --coverage) host=${host:+$host,}$arg ;;
    -Os | -Og | -Ofast) set -- "$@" -O2 ;;
    -g[0-9] | -ggdb*) set -- "$@" -g ;;
    -o | -MF | -MT | -MQ | -D | -U | -I | -L | -x | -isystem | -include | -arch | -gencode | -ccbin | -Xptxas)
      keep=$arg
      [ "$arg" = -MQ ] && arg=-MT
      set -- "$@" "$arg" ;;
    *) set -- "$@" "$arg" ;;
  esac
done

[ -n "$host" ] && set -- "$@" -Xcompiler "$host"

if [ "${NVCC_LIBTOOL_ECHO:-0}" = 1 ]; then
  echo "$nvcc" "$@"
  exit 0
fi

# Object and dependency file may lie in a folder that an out-of-tree build has not made yet.
for file in "$object" "$depend_file"; do
  case $file in
    */*) mkdir -p "${file%/*}" || exit 1 ;;
  esac
done
exec $nvcc "$@"
