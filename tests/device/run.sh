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

# loop_bench ARGUMENTS: where dvmhcc has made the programs.
loop_bench() {
  [ -x "$loops/sor3d" ] || return 0
  run loop-bench 500 "$source/tests/device/loop-bench.sh" "$loops" "$@"
  cat "$report/loop-bench.log"
}

[ "$quick" = no ] || loop_bench --quick
if [ "$quick" = no ]; then
  sanitizer=$(command -v compute-sanitizer || echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
  if [ -x "$sanitizer" ]; then
    for tool in memcheck racecheck; do
      for program in "$folder"/test_cuda_*; do
        case ${program##*/} in *.* | *_choice | *_lines | *_plan) continue ;; esac
        [ -x "$program" ] || continue
        run "$tool-$(basename "$program")" 300 "$sanitizer" --tool $tool --target-processes all --error-exitcode 9 "$program" few
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
fi
echo "logs: $report"
[ "$failures" -eq 0 ]
