#!/bin/sh
# check-dvmhrun.sh - what dvmhrun makes of its command line: the launcher's command for each kind of launcher (a script that prints its
# arguments plays them), the environment, exit codes, signals, and one message with the reason for everything that is wrong.

. "${srcdir:-.}/tests/cluster/cluster.sh"
scratch=check-dvmhrun.$$.scratch
mkdir "$scratch" || exit 1

# fake NAME VERSION: a launcher that says this version, and prints its arguments, a variable, and the standard input.
fake() {
  cat >"$scratch/$1" <<END
#!/bin/sh
if [ "\$*" = --version ]; then echo "$2"; exit; fi
echo "args: \$*"
echo "grid: \$DVMH_PROC_GRID threads: \$DVMH_NUM_THREADS"
exit \${FAKE_CODE:-0}
END
  chmod +x "$scratch/$1"
}
fake openmpi 'mpirun (Open MPI) 4.1.4'
fake openmpi5 'mpirun (Open MPI) 5.0.3'
fake hydra 'HYDRA build details: Version: 4.0.2'
fake unknown 'srun 23.1'
cores=$(./tests/cluster/grid --cores | sed -n 's/^cores//p' | wc -w)
case $cores in
  '' | 0) echo "the processors of this machine are unknown"; exit 1 ;;
esac

# launch LAUNCHER ARGUMENTS: in an environment without other variables, of which dvmhrun passes some on.
launch() {
  launcher=$1
  shift
  run env -i PATH="$PATH" FAKE_CODE="${FAKE_CODE:-0}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 DVMHRUN_MPIRUN="$scratch/$launcher" ./tools/dvmhrun "$@"
}

# says LINE: standard output has it.
says() {
  if ! grep -qxF -e "$1" "$log"; then
    wrong "$shown: no line '$1'"
  fi
}

# Launchers that do not say who they are; their time runs while the rest is checked.
printf '#!/bin/sh\n[ "$*" != --version ] || { echo $$ >"$0.pid"; sleep 300 | sleep 300; }\n' >"$scratch/hangs"
printf '#!/bin/sh\nexec >&- 2>&-; [ "$*" != --version ] || sleep 300\n' >"$scratch/lingers"
chmod +x "$scratch/hangs" "$scratch/lingers"
(
  DVMHRUN_MPIRUN="$scratch/hangs" timeout 60 ./tools/dvmhrun 2 sh -c exit >"$scratch/hanging.log" 2>&1
  echo "code $?" >>"$scratch/hanging.log"
) &
hanging=$!

# ---- commands ----
many=$((2 * cores + 2))
launch openmpi 2 $((cores + 1)) sh -c 'exit 3' -v
expect_code 0
expect_silence
says "args: -q --map-by slot --oversubscribe --bind-to none -n $many sh -c exit 3 -v"
says "grid: 2 $((cores + 1)) threads: "
launch openmpi5 $many sh
says "args: --map-by slot:OVERSUBSCRIBE --bind-to none -n $many sh"
launch hydra $many sh
says "args: -bind-to none -n $many sh"
launch unknown --threads 7 3 2 sh -x
says "args: -n 6 sh -x"
says "grid: 3 2 threads: 7"
launch openmpi $many --threads=3 -- sh
says "args: -q --map-by slot --oversubscribe --bind-to none -n $many sh"
says "grid: $many threads: 3"
if [ "$cores" -ge 2 ] && [ "$cores" -eq "$(getconf _NPROCESSORS_ONLN)" ] && ! grep -q , /sys/devices/system/cpu/cpu0/topology/thread_siblings_list; then
  launch openmpi 2 sh
  says "args: -q --map-by slot:PE=$((cores / 2)) --bind-to core -n 2 sh"
  launch hydra 2 sh
  says "args: -bind-to core:$((cores / 2)) -n 2 sh"
  launch openmpi --threads $((cores / 2 + 1)) 2 sh
  says "args: -q --map-by slot --oversubscribe --bind-to none -n 2 sh"
fi
launch openmpi -v $many sh
expect_code 0
expect_lines "$errors" "^dvmhrun: $many processes on $cores cores: more threads than cores" 1
expect_lines "$errors" "^dvmhrun: $scratch/openmpi --map-by slot --oversubscribe --bind-to none -n $many sh\$" 1

# ---- machines ----
printf '# machines\nalpha\n\n  beta  # the second\ngamma\n' >"$scratch/hosts"
launch openmpi --hosts "$scratch/hosts" 4 sh
says "args: --map-by slot --oversubscribe --bind-to none -x DVMH_PROC_GRID --host alpha:2,beta:1,gamma:1 -n 4 sh"
launch openmpi --hosts "$scratch/hosts" 2 sh
says "args: --map-by slot --oversubscribe --bind-to none -x DVMH_PROC_GRID --host alpha:1,beta:1 -n 2 sh"
launch hydra --hosts="$scratch/hosts" 3 sh
says "args: -bind-to none -hosts alpha:1,beta:1,gamma:1 -n 3 sh"
printf 'alpha:3\nbeta slots=2\n' >"$scratch/slots"
launch openmpi --hosts "$scratch/slots" 2 2 sh
says "args: --map-by slot --oversubscribe --bind-to none -x DVMH_PROC_GRID --host alpha:3,beta:1 -n 4 sh"

# bad_hosts TEXT MESSAGE
bad_hosts() {
  printf -- "$1" >"$scratch/bad"
  launch openmpi --hosts "$scratch/bad" 6 sh
  expect_code 2
  expect_message "$2"
}
bad_hosts '' "names none"
bad_hosts '# nothing\n' "names none"
bad_hosts 'a:3\nb:2\n' "6 processes; allowed by the slots of $scratch/bad: at most 5"
bad_hosts 'a\nb c\n' "$scratch/bad:2: that is no machine; allowed: NAME, NAME:SLOTS or NAME slots=SLOTS"
bad_hosts 'a:0\n' "bad:1: that is no machine"
bad_hosts 'a:x\n' "bad:1: that is no machine"
bad_hosts 'a slots=-1\n' "bad:1: that is no machine"
bad_hosts 'a:2 slots=2\n' "bad:1: that is no machine"
bad_hosts 'a slots=2 b\n' "bad:1: that is no machine"
bad_hosts 'a,b\n' "bad:1: that is no machine"
bad_hosts ':4\n' "bad:1: that is no machine"
bad_hosts '-x\n' "bad:1: that is no machine"
bad_hosts 'a:99999999999\n' "bad:1: that is no machine"
bad_hosts 'a:4\nb\n' "'a' on line 1 has slots, 'b' has none"
bad_hosts 'a\nb\na\n' "bad:3: 'a' stands on line 1 already"
launch openmpi --hosts "$scratch/none" 2 sh
expect_code 2
expect_message "the file of machines '$scratch/none' cannot be read: "
launch openmpi --hosts "$scratch" 2 sh
expect_code 2
expect_message "cannot be read: "
launch unknown --hosts "$scratch/hosts" 2 sh
expect_code 1
expect_message "is no launcher that dvmhrun knows machines' options of"

# ---- what is wrong ----
# bad CODE MESSAGE ARGUMENTS
bad() {
  code_wanted=$1
  message=$2
  shift 2
  launch openmpi "$@"
  expect_code "$code_wanted"
  expect_message "$message"
}
bad 2 "extent of the grid of processes '0'; allowed: a whole number 1..1000000" 0 sh
bad 2 "extent of the grid of processes '-2'" 2 -2 sh
bad 2 "extent of the grid of processes '99999999999999999999'" 99999999999999999999 sh
bad 2 "the grid of processes has more than 1000000 processes" 1001 1000 sh
bad 2 "more than 8 extents" 1 1 1 1 1 1 1 1 1 sh
bad 2 "'--bogus' is no option of it" --bogus 2 sh
bad 2 "--threads '0'; allowed: a whole number 1..4096" --threads 0 2 sh
bad 2 "--threads 'two'" --threads two 2 sh
bad 2 "--threads needs a value" 2 --threads
bad 127 "there is no program 'no-such-program' in PATH" 2 no-such-program
bad 127 "there is no program './no-such-program'" 2 ./no-such-program
bad 127 "there is no program '2x2' in PATH; numbers of processes are whole" 2x2 sh
bad 127 "there is no program 'x3' in PATH; numbers of processes are whole" 2 x3 sh
bad 126 "cannot be run: it is no file, or you may not execute it" 2 "$scratch/hosts"
bad 126 "cannot be run" "$scratch/hosts"
bad 126 "cannot be run" 2 "./$scratch"
launch openmpi 2
expect_code 2
expect_lines "$errors" 'no program is given' 1
launch no-such-launcher 2 sh
expect_code 127
expect_message "'$scratch/no-such-launcher' (from DVMHRUN_MPIRUN) is not there; install it"
launch hosts 2 sh
expect_code 126
expect_message "cannot be executed"
launch lingers 2 sh
expect_code 0
run env DVMHRUN_MPIRUN=' ' MPIEXEC="$scratch/unknown" ./tools/dvmhrun 2 sh
expect_code 2
expect_message "DVMHRUN_MPIRUN has blanks only; allowed: a command"
run env -u DVMHRUN_MPIRUN MPIEXEC=' ' ./tools/dvmhrun 2 sh
expect_code 2
expect_message "MPIEXEC has blanks only"
run env DVMHRUN_MPIRUN= MPIEXEC="$scratch/unknown -a b" ./tools/dvmhrun 2 sh
says "args: -a b -n 2 sh"
if [ "$(id -u)" -eq 0 ]; then
  run env -u OMPI_ALLOW_RUN_AS_ROOT DVMHRUN_MPIRUN="$scratch/openmpi" ./tools/dvmhrun 2 sh
  expect_code 1
  expect_message "Open MPI runs nothing for root"
fi
run ./tools/dvmhrun --help
expect_code 0
expect_lines "$log" '^usage: dvmhrun' 1
run ./tools/dvmhrun --version
expect_code 0
expect_lines "$log" '^dvmhrun (dvmh-rts)' 1

# ---- codes, of launchers and of programs that run alone ----
run env FAKE_CODE=7 DVMHRUN_MPIRUN="$scratch/unknown" ./tools/dvmhrun 2 sh
expect_code 7
expect_lines "$errors" "'$scratch/unknown' does not start any program here (code 7); dvmhrun -v shows the command" 1
run env DVMHRUN_MPIRUN=false ./tools/dvmhrun 2 sh
expect_code 1
expect_lines "$errors" "false' does not start any program here (code 1); dvmhrun -v shows the command" 1
run ./tools/dvmhrun sh -c 'echo "$DVMH_PROC_GRID"; exit 5'
expect_code 5
says 1
run ./tools/dvmhrun --threads 2 1 1 sh -c 'echo "$DVMH_PROC_GRID, $DVMH_NUM_THREADS"'
says "1 1, 2"
FAKE_CODE=9 launch openmpi 2 sh
expect_code 9
expect_lines "$errors" "does not start any program here (code 9); dvmhrun -v shows the command" 1

# ---- with the launcher there is ----
run ./tools/dvmhrun 2 sh -c 'exit 6'
expect_code 6
expect_silence
run ./tools/dvmhrun 2 cat <"$scratch/hosts"
expect_code 0
expect_lines "$log" '^alpha$' 1
run env DVMH_NUM_THREADS=1,3 ./tools/dvmhrun 4 ./tests/cluster/grid --cores
expect_code 0
expect_lines "$log" '^threads 1$' 2
expect_lines "$log" '^threads 3$' 2
run ./tools/dvmhrun --threads 2 3 ./tests/cluster/grid --cores
expect_lines "$log" '^threads 2$' 3
run env -u OMP_NUM_THREADS ./tools/dvmhrun "$many" ./tests/cluster/grid --cores
expect_lines "$log" '^threads 1$' "$many"
# Processes that are bound have their own cores, use them all, and share them when they are bound to the same.
if [ "$cores" -ge 2 ] && [ "$cores" -eq "$(getconf _NPROCESSORS_ONLN)" ]; then
  run env -u OMP_NUM_THREADS ./tools/dvmhrun 2 ./tests/cluster/grid --cores
  expect_code 0
  if [ "$(sed -n 's/^cores//p' "$log" | tr ' ' '\n' | grep . | sort | uniq -d | wc -l)" -ne 0 ]; then
    wrong "$shown: processes have cores in common"
  fi
  expect_lines "$log" "^threads $(sed -n 's/^cores//p' "$log" | head -n 1 | wc -w)\$" 2
  run env -u OMP_NUM_THREADS taskset -c 0,1 $RTS_TEST_MPIEXEC --bind-to none -n 2 ./tests/cluster/grid --cores
  [ "$code" -eq 0 ] && expect_lines "$log" '^threads 1$' 2
fi

# ---- signals: they reach the program, which ends by them; nothing of it stays ----
# signal NAME: sent to dvmhrun.
signal() {
  ./tools/dvmhrun 2 sh -c 'echo $$ >>"$0"; exec sleep 300' "$PWD/$scratch/pids" >"$log" 2>"$errors" &
  job=$!
  tries=0
  while [ "$(cat "$scratch/pids" 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  kill -"$1" "$job"
  (sleep 20; kill -9 "$job") >/dev/null 2>&1 &
  guard=$!
  wait "$job" 2>/dev/null
  code=$?
  kill "$guard"
  shown="signal $1"
  ran=$((ran + 1))
  [ "$code" -gt 128 ] || [ "$code" -eq 1 ] || wrong "signal $1: exit code $code"
  sleep 0.2
  tries=0
  for pid in $(cat "$scratch/pids"); do
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do
      sleep 0.1
      tries=$((tries + 1))
    done
    if kill -0 "$pid" 2>/dev/null; then
      wrong "signal $1: process $pid is still there"
      kill -9 "$pid"
    fi
  done
  rm -f "$scratch/pids"
}
signal TERM
signal HUP
signal KILL

# ---- the launcher that hangs ----
wait $hanging
code=$?
mv "$scratch/hanging.log" "$errors"
: >"$log"
shown="a launcher that hangs"
ran=$((ran + 1))
expect_lines "$errors" "^dvmhrun: the launcher of MPI programs '$scratch/hangs' (from DVMHRUN_MPIRUN) does not tell its version within 10 seconds" 1
expect_lines "$errors" '^code 1$' 1
if kill -0 "$(cat "$scratch/hangs.pid")" 2>/dev/null; then
  wrong "$shown: it is still there"
fi
finish
