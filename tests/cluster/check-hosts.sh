#!/bin/sh
# check-hosts.sh - several machines: three network namespaces with names and addresses of their own, joined by a bridge in a fourth, so
# that nothing of this machine's network is touched. A script takes the place of ssh. Results are those of one process; a failure on
# one machine ends the job on all, with one message. Skipped where namespaces are not allowed.

. "${srcdir:-.}/tests/cluster/cluster.sh"
srcdir=$(cd "${srcdir:-.}" && pwd)
top=$(pwd)
id=dvmh$$
machines="1 2 3"
net=10.213.77

case $($RTS_TEST_MPIEXEC --version 2>/dev/null) in
  *'Open MPI'*4.* | *OpenRTE*4.*) ;;
  *)
    echo "SKIP: the way to other machines is replaced in Open MPI 4 only"
    exit 77
    ;;
esac
for tool in ip unshare hostname; do
  if ! command -v $tool >/dev/null; then
    echo "SKIP: there is no command '$tool'"
    exit 77
  fi
done

# Everything in a namespace goes with it.
clean() {
  for machine in switch $machines; do
    for pid in $(ip netns pids "$id-$machine" 2>/dev/null); do
      kill -9 "$pid" 2>/dev/null
    done
    ip netns del "$id-$machine" 2>/dev/null
  done
  rm -rf "$log" "$errors" ${scratch:-}
}
trap clean EXIT

# may COMMAND: it belongs to making the machines.
may() {
  if ! "$@" >"$log" 2>&1; then
    echo "SKIP: network namespaces cannot be made here: $*: $(cat "$log")"
    exit 77
  fi
}
may ip netns add "$id-switch"
may ip -n "$id-switch" link add bridge type bridge
may ip -n "$id-switch" link set bridge up
for machine in $machines; do
  may ip netns add "$id-$machine"
  may ip -n "$id-switch" link add "port$machine" type veth peer name eth0 netns "$id-$machine"
  may ip -n "$id-switch" link set "port$machine" master bridge up
  may ip -n "$id-$machine" address add "$net.$machine/24" dev eth0
  may ip -n "$id-$machine" link set eth0 up
  may ip -n "$id-$machine" link set lo up
done
may ip netns exec "$id-1" unshare --uts hostname node1

scratch=check-hosts.$$.scratch
mkdir "$scratch" || exit 1
scratch=$top/$scratch
# The way to a machine: its address, then words that its shell joins.
cat >"$scratch/agent" <<END
#!/bin/sh
machine=\${1##*.}
shift
exec ip netns exec "$id-\$machine" unshare --uts sh -c "hostname node\$machine; \$*"
END
chmod +x "$scratch/agent"

# on_machines MACHINES ARGUMENTS: dvmhrun on the first so many machines, started on the first.
on_machines() {
  count=$1
  shift
  : >"$scratch/hosts"
  for machine in $machines; do
    [ "$machine" -le "$count" ] && echo "$net.$machine" >>"$scratch/hosts"
  done
  # Ports that Open MPI listens on are reachable through eth0 only.
  run env OMPI_MCA_plm_rsh_agent="$scratch/agent" OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0 \
    "$scratch/agent" "$net.1" cd "$top" '&&' ./tools/dvmhrun --hosts "$scratch/hosts" "$@"
}

on_machines 2 4 ./tests/cluster/failures ok
if [ "$code" -ne 0 ] && grep -q 'namespace\|not permitted' "$errors"; then
  echo "SKIP: the machines do not work here: $(head -n 3 "$errors")"
  exit 77
fi
expect_code 0
expect_silence
expect_lines "$log" '^process [0-3] of 4 is here$' 4
on_machines 3 2 3 ./tests/cluster/grid --cores
expect_code 0
expect_lines "$log" '^2: 2 3$' 6
on_machines 3 3 hostname
expect_lines "$log" '^node[123]$' 3
on_machines 2 4 ./tests/cluster/failures codes
expect_code 11
# All fail, on every machine; the message comes once. What the launcher has to say comes too.
for case in error-all error-first error-last error-late; do
  on_machines 3 6 ./tests/cluster/failures $case
  expect_code 1
  expect_lines "$errors" 'RTS err' 1
done
on_machines 2 4 ./tests/cluster/failures killed
expect_code 137

# A whole program, against the same one compiled by a plain compiler.
if [ -x ./dvmhcc ] && [ -f .libs/libdvmh.so ]; then
  sanitizer=
  case ${RTS_TEST_SANITIZER:-none} in
    asan) sanitizer=-fsanitize=address,undefined ;;
    tsan) sanitizer=-fsanitize=thread ;;
  esac
  for program in jacobi2d sor; do
    cc=${RTS_TEST_CC:-cc}
    run $cc -std=c99 -O1 -ffp-contract=off -Wno-unknown-pragmas -o "$scratch/plain" "$srcdir/examples/$program.c" -lm
    expect_code 0
    run env DVMHCC_CFLAGS="-isystem $srcdir/include" DVMHCC_LIBS="-L$top/.libs -ldvmh -Wl,-rpath,$top/.libs" \
      ./dvmhcc -std=c99 -O1 -ffp-contract=off $sanitizer -autoTfm -o "$scratch/$program" "$srcdir/examples/$program.c" -lm
    expect_code 0
    "$scratch/plain" >"$scratch/expected" 2>&1
    for grid in '2 2' '3 1' '1 3'; do
      on_machines 3 $grid "$scratch/$program"
      expect_code 0
      if ! cmp -s "$log" "$scratch/expected"; then
        wrong "$shown: the output is not that of the sequential program"
      fi
    done
  done
else
  echo "dvmhcc was not built: no whole program runs"
fi
finish
