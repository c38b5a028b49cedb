#!/bin/sh
# check-failures.sh - when a process fails, the whole job ends, within seconds, with one message and the right code, and what processes
# have printed before is not lost. In builds with assertions processes that call different things are told. RTS_TEST_FULL=1: on more processes.

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

# No failure, but a word: loops whose handlers do not use what they wanted from other processes.
job 3 remote-unasked
expect_code 0
expect_message "dvmh_loop_perform_C: the loop has remote accesses, and its handler has not asked for their buffers"
job 1 remote-unasked
expect_silence
job 3 remote-asked
expect_code 0
expect_silence

has_assertions=true
./tools/dvmh-info | grep -q '^asserts *level 0' && has_assertions=false

for processes in 2 3 8${RTS_TEST_FULL:+ 4}; do
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
  fails 3 exit-last 1 "process 0 is in dvmh_barrier (failures.c:20), process 2 in dvmh_exit_C (failures.c:1); all processes must make"
  fails 4 mismatch-call 1 "process 0 is in dvmh_barrier (failures.c:31), process 3 in dvmh_array_create_C (failures.c:30); all processes"
  fails 2 mismatch-line 1 \
    "process 0 is in dvmh_array_create_C (failures.c:41), process 1 in dvmh_array_create_C (failures.c:40); all processes"
  fails 3 mismatch-print 1 "process 0 is in dvmh_barrier (failures.c:52), process 2 in dvmh_void_printf (failures.c:50); all processes"
else
  fails 3 exit-last 3 "dvmh_exit_C: the program ends with code 3 here, and 5 seconds later not yet in all processes"
fi

# One process ends with success, in whatever way, and the others wait for it: both are named.
# ends PROCESSES HOW WHO [library]
ends() {
  processes=$1
  shift
  gone=$((processes - 1))
  [ "$2" = first ] && gone=0
  run ./tools/dvmhrun "$processes" ./tests/cluster/endings "$@"
  expect_code 1
  if ! $has_assertions; then
    expect_message "dvmh_barrier: process $gone has ended its program after endings.c:10, and this one goes on; all processes must make"
  elif [ $gone -eq 0 ]; then
    expect_message "process 0 is in dvmh_exit_C (endings.c:10), process 1 in dvmh_barrier (endings.c:50); all processes must"
  else
    expect_message "process 0 is in dvmh_barrier (endings.c:50), process $gone in dvmh_exit_C (endings.c:10); all processes must"
  fi
  expect_lines "$log" "^process $gone of $processes is here\$" 1
}

for how in return exit call; do
  ends 2 $how last
  ends 3 $how first
  ends 7 $how last
done
ends 4 return first library
ends 3 exit last library
ends 3 quick first
run ./tools/dvmhrun 3 ./tests/cluster/endings handler all
expect_code 1
expect_message "dvmh_exit_C: the program ends with code 0 in a handler"
if ! $has_assertions; then # nobody who waits is a neighbour of the process that has made the fewest calls
  for processes in 3 6; do
    run ./tools/dvmhrun $processes ./tests/cluster/endings chain all
    expect_code 1
    expect_message "dvmh_barrier: process 1 has ended its program after endings.c:40"
  done
fi

# Functions that exit calls use the runtime as others do: with a call of one process alone they are wrong.
run ./tools/dvmhrun 3 ./tests/cluster/endings prints all
expect_code 0
expect_silence
expect_lines "$log" '^all are here$' 1
run ./tools/dvmhrun 3 ./tests/cluster/endings prints last
expect_code 1
if $has_assertions; then
  expect_message "process 0 is in dvmh_exit_C (endings.c:10), process 2 in dvmh_printf (endings.c:60); all processes must make"
else
  expect_message "dvmh_printf: process 0 has ended its program after endings.c:10, and this one goes on; all processes must make"
fi

# Processes that make the same calls may differ in time as much as they like, and end in any way.
for case in 'late first' 'late last' 'return all' 'exit all' 'call all' 'late last library' 'exit all library' 'quick all'; do
  run ./tools/dvmhrun 5 ./tests/cluster/endings $case
  expect_code 0
  expect_silence
  expect_lines "$log" "^process [0-9]* of 5 is here\$" 5
done

# Under the launcher itself there are its own lines too, but still one message of ours.
run $RTS_TEST_MPIEXEC -n 4 ./tests/cluster/failures error-all
expect_code 1
expect_lines "$errors" 'RTS err' 1

if ls /dev/shm/dvmh-rts-* >/dev/null 2>&1; then
  echo "FAIL: something of ours stays in /dev/shm"
  failed=$((failed + 1))
fi
finish
