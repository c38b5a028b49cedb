#!/bin/sh
# run-test.sh - start one test of `make check` with a time limit and a known environment.
#
# use: run-test.sh TEST [arguments]. By hand it works too: sh tests/run-test.sh tests/unit/test_box
#
# The RTS_TEST_* variables come from tests/Makemodule.am; a user may set RTS_TEST_TIMEOUT (seconds), and DVMH_PLANNER
# to run the whole suite under another planner. All other DVMH_* variables of the caller are removed, except
# DVMH_REQUIRE_CUDA.

test_program=$1
shift
name=${test_program##*/}
name=${name%.sh}

for variable in $(env | sed -n 's/^\(DVMH_[A-Za-z0-9_]*\)=.*/\1/p'); do
  case $variable in
    DVMH_PLANNER | DVMH_REQUIRE_CUDA) ;;
    *) unset "$variable" ;;
  esac
done

# Tests choose their thread counts; on a small machine more threads than cores must sleep, not spin.
OMP_DYNAMIC=false
OMP_WAIT_POLICY=passive
OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
KMP_BLOCKTIME=${KMP_BLOCKTIME:-0}
export OMP_DYNAMIC OMP_WAIT_POLICY OMP_NUM_THREADS KMP_BLOCKTIME

# Programs that dvmhcc compiles have no code for GPUs, which takes long: those that are about it say so.
DVMHCC_NVCC=
export DVMHCC_NVCC

# Open MPI on one machine, also for root and with more processes than cores.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export PRTE_MCA_rmaps_default_mapping_policy OMPI_MCA_btl_vader_single_copy_mechanism

# Time limit: the test's own, or the common one; sanitizer builds are slower.
limit=${RTS_TEST_TIMEOUT:-120}
for entry in ${RTS_TEST_TIMEOUTS:-}; do
  case $entry in
    "$name="*) [ "${entry#*=}" -gt "$limit" ] && limit=${entry#*=} ;;
  esac
done

prefix=
sources=$(cd "${srcdir:-.}" && pwd) # tests go to other folders
case ${RTS_TEST_SANITIZER:-none} in
  asan)
    limit=$((limit * 4))
    # The leak checker cannot work under a tracer (strace, gdb).
    leaks=1
    if ! grep -q '^TracerPid:[[:space:]]*0$' /proc/self/status 2>/dev/null; then
      leaks=0
    fi
    # Whole stacks: MPI's own leaks come from plug-ins that are unloaded at the end, so only outer frames name it.
    ASAN_OPTIONS="detect_leaks=$leaks:detect_stack_use_after_return=1:allocator_may_return_null=1:fast_unwind_on_malloc=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    LSAN_OPTIONS="suppressions=$sources/tests/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
    UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
    export ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS
    ;;
  tsan)
    limit=$((limit * 8))
    TSAN_OPTIONS="ignore_noninstrumented_modules=1:suppressions=$sources/tests/tsan.supp:print_suppressions=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
    OMP_TOOL_LIBRARIES=${RTS_TEST_ARCHER:-}
    export TSAN_OPTIONS OMP_TOOL_LIBRARIES
    # Older ThreadSanitizers do not start where addresses are random over many bits.
    if setarch "$(uname -m)" -R true 2>/dev/null; then
      prefix="setarch $(uname -m) -R"
    fi
    ;;
esac

# Several processes, by the name of the test.
case $name in
  *_np[1-9]*)
    processes=${name##*_np}
    if [ -z "${RTS_TEST_MPIEXEC:-}" ]; then
      echo "SKIP: $name wants $processes processes, but this build has no MPI or no mpiexec"
      exit 77
    fi
    prefix="$RTS_TEST_MPIEXEC -n $processes $prefix"
    ;;
esac

case $test_program in
  *.sh) prefix=${CONFIG_SHELL:-/bin/sh} ;;
esac

if [ -n "${RTS_TEST_TIMEOUT_PROGRAM:-timeout}" ]; then
  ${RTS_TEST_TIMEOUT_PROGRAM:-timeout} -k 10 "$limit" $prefix "$test_program" "$@"
  code=$?
  if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
    echo "FAIL: $name ran longer than its limit of $limit seconds"
    exit 1
  fi
  exit "$code"
fi
exec $prefix "$test_program" "$@"
