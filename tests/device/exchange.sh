#!/bin/sh
# exchange.sh - processes whose arrays lie on GPUs exchange edges: tests/device/exchange.c, compiled by dvmhcc, as several processes, with each way of
# DVMH_EXCHANGE. All results must be right, and with `auto` messages must go from GPU to GPU, as the log says, and with `staging` none.
#
# use: exchange.sh PROGRAM SEED [SETTING...]   SETTING: NAME=VALUE for the processes; ipc=no: GPUs do not reach each other
# RTS_TEST_MPIEXEC: the launcher (mpiexec)

program=$1
seed=$2
shift 2
expect_ipc=yes
settings=
for setting; do
  case $setting in
    ipc=no) expect_ipc=no ;;
    *) settings="$settings $setting" ;;
  esac
done
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
failures=0

# try PROCESSES WAY SETTING...
try() {
  processes=$1 way=$2
  shift 2
  begin=$(date +%s)
  timeout -k 10 "${RTS_TEST_PROGRAM_TIMEOUT:-60}" env DVMH_EXCHANGE="$way" DVMH_LOGLEVEL=debug DVMH_NUM_THREADS=1 $settings "$@" \
    ${RTS_TEST_MPIEXEC:-mpiexec} -n "$processes" "$program" "$seed" 24 >"$log" 2>&1
  code=$?
  sent=$(sed -n 's/.* \([0-9]*\) messages to other processes went from GPU to GPU.*/\1/p' "$log" | sort -n | tail -n 1)
  verdict=PASS
  if [ "$way" = auto ] && [ "$expect_ipc" = yes ]; then
    [ "${sent:-0}" -gt 0 ] || verdict="FAIL (nothing went from GPU to GPU)"
  else
    [ "${sent:-0}" -eq 0 ] || verdict="FAIL ($sent messages went from GPU to GPU)"
  fi
  [ "$code" -eq 0 ] || verdict="FAIL (code $code)"
  echo "$verdict  exchange $seed, $processes processes, $way $settings $*: ${sent:-no} messages from GPU to GPU, $(($(date +%s) - begin)) s"
  if [ "$verdict" != PASS ]; then
    grep -v 'dvmh: debug: loop of' "$log" | tail -n 20
    failures=$((failures + 1))
  fi
}

try 2 auto DVMH_OVERLAP=1
if [ "$expect_ipc" = yes ]; then
  try 4 auto DVMH_PROC_GRID=2,2 DVMH_OVERLAP=$((seed % 2))
  try 4 auto DVMH_NUM_CUDAS=1,1,0,1
else
  try 4 staging DVMH_NUM_CUDAS=1,1,0,1
fi
[ "$failures" -eq 0 ]
