#!/bin/sh
# check-files.sh - a file that one grid of processes writes is that of one process, byte for byte, and every other grid reads it; in pieces of
# any size, by one process or by all. Mistakes are told once. Variables of process 0 reach processes that lack them, and the report is one.

. "${srcdir:-.}/tests/cluster/cluster.sh"
scratch=check-files.$$
mkdir "$scratch" || exit 1

# on "N M .." "SETTINGS" ARGUMENTS: run on a grid.
on() {
  grid=$1
  settings=$2
  shift 2
  run env DVMH_PROC_GRID="$grid" DVMH_NUM_THREADS=1 $settings $RTS_TEST_MPIEXEC -n "$(($(echo "$grid" | sed 's/ / * /g')))" \
    ./tests/cluster/files "$@"
}

on 1 '' write "$scratch/one" w
expect_code 0
expect_silence
for grid in 1 2 3 '2 2' 6 '4 2' '2 2 2'; do
  for settings in '' 'DVMH_IO_BUF_SIZE=100' 'DVMH_IO_BUF_SIZE=1000 DVMH_PARALLEL_IO_THRES=0'; do
    on "$grid" "$settings" write "$scratch/many" wp
    expect_code 0
    expect_silence
    if ! cmp "$scratch/one" "$scratch/many"; then
      wrong "$shown: the file differs from that of one process"
    fi
    on "$grid" "$settings" read "$scratch/one" rp
    expect_code 0
    expect_silence
  done
done

# wrong_way NAME TEXT: one message, in all that may have failed.
wrong_way() {
  on '2 2' '' "$1"
  expect_code 1
  expect_lines "$errors" 'RTS err' 1
  expect_lines "$errors" "$2.*files.c:41" 1
}
wrong_way null 'dvmh_void_fputs: the FILE \* is NULL'
wrong_way closed 'dvmh_void_fputs: the file is closed'
wrong_way foreign 'dvmh_void_fputs: the FILE \* is none'
wrong_way much 'dvmh_void_fwrite_distrib: 37 items of 4 bytes are more than the array.s 72 bytes'
wrong_way part 'dvmh_void_fread_distrib: 12 items of 1 bytes are no whole number of elements of 8 bytes'
wrong_way handle 'dvmh_fread_distrib: no array'

# The environment, with processes started differently: mpiexec -n 1 .. : -n 2 ..
apart() {
  run $RTS_TEST_MPIEXEC -n 1 env $1 ./tests/cluster/grid --cores : -n 2 env $2 ./tests/cluster/grid --cores
}
apart 'DVMH_PROC_GRID=1,3 DVMH_NUM_THREADS=1,2,3' ''
expect_code 0
expect_lines "$log" '^2: 1 3$' 3
expect_lines "$log" '^threads 2$' 1
expect_lines "$log" '^threads 3$' 1
apart 'DVMH_NUM_THREADS=1' 'DVMH_NUM_THREADS=2 DVMH_PROC_GRID=7'
expect_code 0
expect_lines "$log" '^1: 3$' 3
expect_lines "$log" '^threads 2$' 2
apart 'DVMH_NUM_THREADS=4' 'DVMH_NUM_THREADS='
expect_code 0
expect_lines "$log" '^threads 4$' 3
apart 'DVMH_STRATEGIE=jam DVMH_NUM_THREADS=1' ''
expect_code 0
expect_lines "$errors" 'DVMH_STRATEGIE' 1
apart 'DVMH_NUM_THREADS=1' 'DVMH_STRATEGIE=jam'
expect_code 0
expect_lines "$errors" 'DVMH_STRATEGIE' 2
apart 'DVMH_NUM_THREADS=many' ''
expect_code 1
expect_lines "$errors" "RTS err.*DVMH_NUM_THREADS: 'many' is not allowed" 1
apart 'DVMH_NUM_THREADS=1' 'DVMH_STRATEGY=all'
expect_code 1
expect_lines "$errors" "RTS err.*DVMH_STRATEGY: 'all' is not allowed" 1

on 3 DVMH_REPORT=1 report
expect_code 0
expect_lines "$errors" '^== DVMH report, 3 processes: loops ran 0 times' 1
run $RTS_TEST_MPIEXEC -n 1 ./tests/cluster/files report : -n 2 env DVMH_REPORT=1 ./tests/cluster/files report
expect_code 0
expect_silence
finish
