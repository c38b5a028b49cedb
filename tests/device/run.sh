#!/bin/sh
# run.sh - the one command for a machine with a GPU: the tests of the CUDA backend, the small ones again under compute-sanitizer, and
# the benchmarks. Prints a line a run; the output of each is in a log.
#
# use: tests/device/run.sh [--report DIR] [--binaries DIR] [--quick]
#   --report DIR    where the logs go (device-report)
#   --binaries DIR  programs built elsewhere, all in this folder, with libraries that the machine may lack; else they are built here, in
#                   build/device of the source tree
#   --quick         without compute-sanitizer and without benchmarks
#
# Exit code 0: everything passed. A test that finds no GPU has failed here, unless DVMH_REQUIRE_CUDA=0 is set.

report=device-report
binaries=
quick=no
while [ $# -gt 0 ]; do
  case $1 in
    --report | --binaries)
      if [ $# -lt 2 ]; then
        echo "run.sh: $1 wants a folder" >&2
        exit 2
      fi
      if [ "$1" = --report ]; then report=$2; else binaries=$2; fi
      shift 2
      ;;
    --quick) quick=yes; shift ;;
    *)
      echo "use: run.sh [--report DIR] [--binaries DIR] [--quick]" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$report" || exit 2
report=$(cd "$report" && pwd) || exit 2
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
DVMH_REQUIRE_CUDA=${DVMH_REQUIRE_CUDA:-1}
export DVMH_REQUIRE_CUDA

if [ -n "$binaries" ]; then
  folder=$(cd "$binaries" && pwd) || exit 2
  benchmarks=$folder
  loops=$folder
  searches=$folder
  inverses=$folder
  inverse_tests=$folder
  LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
else
  echo "building in $source/build/device"
  if ! {
    mkdir -p "$source/build/device" && cd "$source/build/device" &&
      { [ -f Makefile ] || "$source/configure" --with-cuda=yes; } &&
      make -j"$(nproc)" && make -j"$(nproc)" device-programs
  } >"$report/build.log" 2>&1; then
    tail -20 "$report/build.log"
    echo "FAIL  the build; see $report/build.log"
    exit 1
  fi
  folder=$source/build/device/tests/device
  benchmarks=$source/build/device/tests
  loops=$source/build/device/sor-bench
  searches=$source/build/device/examples/bfs
  inverses=$source/build/device/examples/gsai
  inverse_tests=$source/build/device/tests/gsai
fi

failures=0
# run NAME SECONDS COMMAND...: a line of the table, and the log NAME.log.
run() {
  name=$1
  seconds=$2
  shift 2
  begin=$(date +%s)
  timeout -k 10 "$seconds" "$@" >"$report/$name.log" 2>&1
  code=$?
  case $code in
    0) verdict=PASS ;;
    77) verdict=SKIP ;;
    124 | 137) verdict=TIME ;;
    *) verdict=FAIL ;;
  esac
  if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
    failures=$((failures + 1))
  fi
  printf '%s  %-44s %4d s\n' "$verdict" "$name" $(($(date +%s) - begin))
  if [ "$verdict" = FAIL ]; then
    tail -5 "$report/$name.log" | sed 's/^/      /'
  fi
}

nvidia-smi -L 2>/dev/null || echo "nvidia-smi shows no GPU"
count=0
for program in "$folder"/test_cuda_*; do
  case ${program##*/} in *.*) continue ;; esac
  [ -x "$program" ] || continue
  count=$((count + 1))
  run "$(basename "$program")" 300 "$program"
done
if [ "$count" -eq 0 ]; then
  echo "FAIL  there are no tests in $folder"
  exit 1
fi

for program in "$inverse_tests/test_gsai_inverse" "$inverse_tests/test_gsai_solve"; do
  [ -x "$program" ] || continue
  run "$(basename "$program")" 300 "$program" cuda 2
done

# Several processes: on the one GPU, and with one each where there are two. dvmhcc makes the program: here, or beside the others.
exchange=$folder/exchange
if [ -z "$binaries" ] && [ -x "$source/build/device/dvmhcc" ]; then
  library=$source/build/device/.libs
  DVMHCC_CFLAGS="-isystem $source/include" DVMHCC_LIBS="-L$library -ldvmh -Wl,-rpath,$library" \
    "$source/build/device/dvmhcc" -ffp-contract=off -O2 -o "$exchange" "$source/tests/device/exchange.c" >"$report/exchange-build.log" 2>&1 ||
    failures=$((failures + 1))
fi
launcher=$(command -v mpiexec || command -v mpirun)
if [ -x "$exchange" ] && [ -n "$launcher" ]; then
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
  for seed in 3 4; do
    run "exchange-$seed" 300 env RTS_TEST_MPIEXEC="$launcher" sh "$source/tests/device/exchange.sh" "$exchange" $seed CUDA_VISIBLE_DEVICES=0
  done
  if [ "$(nvidia-smi -L 2>/dev/null | wc -l)" -gt 1 ]; then
    for seed in 5 6; do
      run "exchange-two-gpus-$seed" 300 env RTS_TEST_MPIEXEC="$launcher" sh "$source/tests/device/exchange.sh" "$exchange" $seed
    done
  fi
fi

# loop_bench ARGUMENTS: where dvmhcc has made the programs.
loop_bench() {
  [ -x "$loops/sor3d" ] || return 0
  run loop-bench 500 "$source/tests/device/loop-bench.sh" "$loops" "$@"
  cat "$report/loop-bench.log"
}

# bfs_bench ARGUMENTS: the example for irregular loops.
bfs_bench() {
  [ -x "$searches/bfs" ] || return 0
  run bfs-bench 300 "$source/tests/device/bfs-bench.sh" "$searches" "$@"
  cat "$report/bfs-bench.log"
}

# inverse_bench ARGUMENTS: sparse approximate inverses.
inverse_bench() {
  [ -x "$inverses/gsai" ] || return 0
  run gsai-bench 300 "$source/tests/device/gsai-bench.sh" "$inverses" "$@"
  cat "$report/gsai-bench.log"
}

[ "$quick" = no ] || inverse_bench --quick
[ "$quick" = no ] || loop_bench --quick
[ "$quick" = no ] || bfs_bench --quick
if [ "$quick" = no ]; then
  sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
  if [ -x "$sanitizer" ]; then
    # Warps of these kernels hear of each other by release and acquire in shared memory, in which racecheck sees nothing but a race.
    unseen=
    if "$sanitizer" --help 2>/dev/null | grep -q -e --kernel-name-exclude; then
      unseen="--kernel-name-exclude kns=dvmhx_warps_kernel"
    fi
    for tool in memcheck racecheck; do
      excluded=
      [ $tool = memcheck ] || excluded=$unseen
      for program in "$folder"/test_cuda_*; do
        case ${program##*/} in *.* | *_choice | *_lines | *_plan) continue ;; esac
        [ -x "$program" ] || continue
        run "$tool-$(basename "$program")" 300 "$sanitizer" --tool $tool $excluded --target-processes all --error-exitcode 9 "$program" few
      done
    done
  else
    echo "SKIP  compute-sanitizer: not found"
  fi
  for program in "$folder/cuda-copy-bench" "$benchmarks/reorg-bench" "$benchmarks/bench/reorg-bench"; do
    [ -x "$program" ] || continue
    case $program in
      */reorg-bench) run reorg-bench 300 "$program" --backend cuda ;;
      *) run "$(basename "$program")" 300 "$program" ;;
    esac
    cat "$report/$(basename "$program").log"
  done
  loop_bench
  bfs_bench
  inverse_bench
fi
echo "logs: $report"
[ "$failures" -eq 0 ]
