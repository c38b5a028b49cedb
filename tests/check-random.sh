#!/bin/sh
# check-random.sh - layout, strategy, tiles, threads and devices never change results: every test program that runs loops passes when
# the planner draws them at random, and under the modes that reorganise. With RTS_TEST_FULL=1 there are more random ones; with sanitizers,
# which look for other mistakes, fewer. `make check DVMH_PLANNER=MODE` does the same for the whole suite and any mode.

programs=${RTS_TEST_RANDOM_PROGRAMS:?"make check sets the list of programs"}
unset DVMH_PLANNER
ran=0
failed=0
modes="random:1 random:2 greedy cost"
[ "${RTS_TEST_SANITIZER:-none}" = none ] || modes="random:1 cost"
[ -z "${RTS_TEST_FULL-}" ] || modes="random:1 random:2 random:3 greedy cost"
for mode in $modes; do
  for program in $programs; do
    log=check-random.$$.log
    DVMH_PLANNER=$mode "./$program" > "$log" 2>&1
    code=$?
    case $code in
      0) ran=$((ran + 1)) ;;
      77) ;;
      *)
        echo "$program fails with exit code $code under DVMH_PLANNER=$mode:"
        cat "$log"
        failed=$((failed + 1))
        ;;
    esac
    rm -f "$log"
  done
done
echo "$ran runs passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$ran" -gt 0 ]
