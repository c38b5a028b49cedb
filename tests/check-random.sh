#!/bin/sh
# check-random.sh - strategy, tiles, threads and devices never change results: every test program that runs loops passes when the
# planner draws them at random. `make check DVMH_PLANNER=random:SEED` does the same for the whole suite and any seed.

programs=${RTS_TEST_RANDOM_PROGRAMS:?"make check sets the list of programs"}
unset DVMH_PLANNER
ran=0
failed=0
for seed in 1 2 3; do
  for program in $programs; do
    log=check-random.$$.log
    DVMH_PLANNER=random:$seed "./$program" > "$log" 2>&1
    code=$?
    case $code in
      0) ran=$((ran + 1)) ;;
      77) ;;
      *)
        echo "$program fails with exit code $code under DVMH_PLANNER=random:$seed:"
        cat "$log"
        failed=$((failed + 1))
        ;;
    esac
    rm -f "$log"
  done
done
echo "$ran runs passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$ran" -gt 0 ]
