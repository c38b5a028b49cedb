#!/bin/sh
# check-failures.sh - when a process fails, the whole job ends, within seconds, with one message and the right code, and what processes
# have printed before is not lost. In builds with assertions processes that call different things are told.

. "${srcdir:-.}/tests/cluster/cluster.sh"

# job PROCESSES CASE: all processes that print in time are seen.
job() {
  run ./tools/dvmhrun "$1" ./tests/cluster/failures "$2"
}

# fails PROCESSES CASE CODE TEXT
fails() {
  job "$1" "$2"
  expect_code "$3"
  expect_message "$4"
}

has_assertions=true
./tools/dvmh-info | grep -q '^asserts *level 0' && has_assertions=false

for processes in 2 3 4 8; do
  last=$((processes - 1))
  wrong_rank='dvmh_array_create_C: rank 99; allowed: 1..8 [failures.c:10]'
  job $processes ok
  expect_code 0
  expect_silence
  expect_lines "$log" "^process [0-9]* of $processes is here\$" $processes
  fails $processes error-first 1 "*** RTS err: $wrong_rank [rank 0]"
  expect_lines "$log" "^process 0 of $processes is here\$" 1
  fails $processes error-last 1 "*** RTS err: $wrong_rank [rank $last]"
  expect_lines "$log" "^process $last of $processes is here\$" 1
  fails $processes error-all 1 "*** RTS err: $wrong_rank [rank "
  fails $processes error-late 1 "dvmh_get_num_procs: axis 0: axes of the process grid count from 1 [failures.c:70] [rank 0]"
  fails $processes killed 137 "dvmhrun: code 137: a process was ended by signal 9"
  expect_lines "$log" "^process $last of $processes is here\$" 1
  job $processes codes
  expect_code 11
  expect_silence
  expect_lines "$log" "^process [0-9]* of $processes is here\$" $processes
  job $processes plain-exit
  expect_code 5
  expect_silence
  job $processes mismatch-none
  expect_code 0
  expect_silence
done

# One process goes to the end alone.
if $has_assertions; then
  fails 3 exit-last 1 "process 0 is in dvmh_barrier, process 2 in dvmh_exit_C; all processes must make the same calls"
  fails 4 mismatch-call 1 "process 0 is in dvmh_barrier, process 3 in dvmh_array_create_C (failures.c:30); all processes"
  fails 2 mismatch-line 1 \
    "process 0 is in dvmh_array_create_C (failures.c:41), process 1 in dvmh_array_create_C (failures.c:40); all processes"
  fails 3 mismatch-print 1 "process 0 is in dvmh_barrier, process 2 in dvmh_void_printf (failures.c:50); all processes"
else
  fails 3 exit-last 3 "dvmh_exit_C: the program ends with code 3 here, and 5 seconds later not yet in all processes"
fi

# Under the launcher itself there are its own lines too, but still one message of ours.
run $RTS_TEST_MPIEXEC -n 4 ./tests/cluster/failures error-all
expect_code 1
expect_lines "$errors" 'RTS err' 1

if ls /dev/shm/dvmh-rts-* >/dev/null 2>&1; then
  echo "FAIL: something of ours stays in /dev/shm"
  failed=$((failed + 1))
fi
finish
