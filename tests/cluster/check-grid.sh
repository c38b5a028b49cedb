#!/bin/sh
# check-grid.sh - the grid of processes: DVMH_PROC_GRID and dvmhrun's numbers give its shape, without them it is one axis of all
# processes; axes of size 1 at the end do not count; a wrong one is told once, by name.

. "${srcdir:-.}/tests/cluster/cluster.sh"

# grid PROCESSES "N M ..": started plainly with that variable. "-": without it.
grid() {
  if [ "$2" = - ]; then
    run $RTS_TEST_MPIEXEC -n "$1" ./tests/cluster/grid
  else
    run env DVMH_PROC_GRID="$2" $RTS_TEST_MPIEXEC -n "$1" ./tests/cluster/grid
  fi
}

# shape PROCESSES GRID "AXES: N M ..": every process sees this.
shape() {
  grid "$1" "$2"
  expect_code 0
  expect_silence
  expect_lines "$log" "^$3\$" "$1"
}

# refused PROCESSES GRID TEXT
refused() {
  grid "$1" "$2"
  expect_code 1
  expect_lines "$errors" 'RTS err' 1
  if ! grep -qF -e "$3" "$errors"; then
    wrong "$shown: no '$3'"
  fi
}

shape 1 - '0:'
shape 1 1 '0:'
shape 1 '1 1 1' '0:'
shape 2 - '1: 2'
shape 2 '1 2' '2: 1 2'
shape 2 '2 1' '1: 2'
shape 3 '3' '1: 3'
shape 4 '2 2' '2: 2 2'
shape 4 '2,2' '2: 2 2'
shape 4 ' 4,1 , 1 ' '1: 4'
shape 4 '1 1 1 4' '4: 1 1 1 4'
shape 6 '2 3' '2: 2 3'
shape 6 '3 1 2 1' '3: 3 1 2'
shape 8 '2 2 2' '3: 2 2 2'
shape 8 '1 1 1 1 1 1 1 8' '8: 1 1 1 1 1 1 1 8'
shape 8 - '1: 8'

refused 4 '2 3' 'DVMH_PROC_GRID asks for 6 processes, but 4 run; their product must be the number of processes'
refused 4 '2' 'DVMH_PROC_GRID asks for 2 processes, but 4 run'
refused 2 '2x1' "DVMH_PROC_GRID: '2x1' is not allowed; allowed: a list of whole numbers"
refused 2 '0 2' "DVMH_PROC_GRID: '0 2' is not allowed"
refused 2 '-2' "DVMH_PROC_GRID: '-2' is not allowed"
refused 2 '2,,1' "DVMH_PROC_GRID: '2,,1' is not allowed"
refused 2 '2 1 1 1 1 1 1 1 1' 'DVMH_PROC_GRID has 9 axes; allowed: at most 8'
refused 3 '99999 99999 99999 99999' 'DVMH_PROC_GRID asks for'

# dvmhrun gives the shape that its numbers say, whatever the environment has.
for numbers in '1' '2' '3' '2 2' '2 3' '1 6' '2 2 2'; do
  product=1
  for number in $numbers; do
    product=$((product * number))
  done
  run env DVMH_PROC_GRID='7 7' ./tools/dvmhrun $numbers ./tests/cluster/grid
  expect_code 0
  expect_silence
  case $numbers in
    1) expect_lines "$log" '^0:$' 1 ;;
    *) expect_lines "$log" "^[0-9]: $numbers\$" "$product" ;;
  esac
done
finish
