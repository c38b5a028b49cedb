#!/bin/sh
# check-bfs.sh - the BFS example as a program: the same levels and parents from every algorithm, on one process and on several; known answers of real
# graphs; the line of JSON; wrong options are told with exit code 2.
#
# In the build folder. RTS_TEST_GRAPHS is the folder of the real graphs, which a clone of the repository does not have: without them those checks are
# left out. Without mpiexec there is one process.

program=./examples/bfs/bfs
graphs=${RTS_TEST_GRAPHS:-${srcdir:-.}/../shared/data/graphs}
scratch=check-bfs.$$
failed=0
ran=0
mkdir "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT

fault() {
  echo "fails: $*"
  [ -s "$scratch/log" ] && head -n 20 "$scratch/log"
  failed=$((failed + 1))
}

# on PROCESSES ARGUMENTS: run with valid results; output goes to $scratch/log, levels and parents to $scratch/out.
on() {
  processes=$1
  shift
  ran=$((ran + 1))
  rm -f "$scratch/out"
  if [ "$processes" -eq 1 ]; then
    DVMH_NUM_THREADS=2 "$program" "$@" --validate --output "$scratch/out" >"$scratch/log" 2>&1 </dev/null
  else
    DVMH_NUM_THREADS=1 OMP_NUM_THREADS=1 $RTS_TEST_MPIEXEC -n "$processes" "$program" "$@" --validate \
      --output "$scratch/out" >"$scratch/log" 2>&1 </dev/null
  fi || fault "$processes processes: $*"
}

# same PROCESSES ARGUMENTS: what `on` wrote last as the reference must come again.
same() {
  on "$@"
  cmp -s "$scratch/out" "$scratch/reference" || fault "other levels or parents: $*"
}

reference() {
  on 1 "$@"
  mv "$scratch/out" "$scratch/reference"
}

# bad PART ARGUMENTS: exit code 2 and a message with PART.
bad() {
  part=$1
  shift
  ran=$((ran + 1))
  "$program" "$@" >"$scratch/log" 2>&1 </dev/null
  code=$?
  [ "$code" -eq 2 ] && grep -q -e "$part" "$scratch/log" || fault "exit code $code, or no '$part': $*"
}

says() {
  grep -q -e "$1" "$scratch/log" || fault "no '$1' in the output"
}

# ---- the same from all ----

for graph in "-s 10 -e 8 --roots 3" "-s 9 -e 3 --roots 3 --directed" "-s 0 -e 2 --root 0" "-s 6 -e 1 --root 5"; do
  reference $graph --algorithm queue
  for algorithm in hybrid "sweep --sweep-options none" "sweep --sweep-options cache,restrict,pack"; do
    same 1 $graph --algorithm $algorithm
  done
  [ -n "${RTS_TEST_MPIEXEC:-}" ] || continue
  for algorithm in hybrid queue "sweep --sweep-options cache,restrict"; do
    same 3 $graph --algorithm $algorithm
  done
done
# However the runtime cuts loops and wants arrays to lie.
reference -s 11 -e 4 --roots 4
for seed in 1 2 3; do
  DVMH_PLANNER=random:$seed
  export DVMH_PLANNER
  for algorithm in hybrid queue "sweep --sweep-options cache,restrict"; do
    same 1 -s 11 -e 4 --roots 4 --algorithm $algorithm
  done
done
unset DVMH_PLANNER
# A second process axis, along which parts are the same; and more processes than words of vertices.
if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
  reference -s 8 -e 8 --roots 2
  DVMH_PROC_GRID=2,2
  export DVMH_PROC_GRID
  same 4 -s 8 -e 8 --roots 2
  unset DVMH_PROC_GRID
  reference -s 7 -e 2 --roots 2
  same 4 -s 7 -e 2 --roots 2
  # A process keeps its part of a graph, of edges both ways: 2 / 6 of them when all have as many.
  on 1 -s 16 -e 4 --roots 1 --json
  all=$(sed -n 's/.*"kept":\([0-9]*\).*/\1/p' "$scratch/log")
  on 6 -s 16 -e 4 --roots 1 --json
  kept=$(sed -n 's/.*"kept":\([0-9]*\).*/\1/p' "$scratch/log")
  [ "${kept:-$all}" -lt $((all / 2)) ] || fault "a process of 6 keeps $kept neighbours of $all"
  # Files, in more than one piece, whose numbers of vertices are known at their ends only.
  awk 'BEGIN { for (i = 0; i < 70000; i++) print i * 7 % 20000, i * 13 % 19997 }' >"$scratch/large"
  for direction in "" --directed; do
    reference -g "$scratch/large" --roots 2 $direction
    same 3 -g "$scratch/large" --roots 2 $direction
  done
else
  echo "no mpiexec: one process only"
fi

# ---- on an emulated GPU, where it has been built ----

if [ -x ./tests/emulated_cuda/emulated_bfs ]; then
  for graph in "-s 10 -e 8 --roots 2" "-s 9 -e 3 --roots 2 --directed" "-s 6 -e 1 --root 5"; do
    program=./examples/bfs/bfs
    reference $graph --device host
    program=./tests/emulated_cuda/emulated_bfs
    EMULATED_CUDA_PROCESSORS=1
    export EMULATED_CUDA_PROCESSORS
    same 1 $graph --device cuda
    [ -n "${RTS_TEST_MPIEXEC:-}" ] || continue
    for algorithm in hybrid queue "sweep --sweep-options cache"; do
      same 3 $graph --device cuda --algorithm $algorithm
    done
  done
  on 1 -s 8 --roots 2 --json
  says '"device":"cuda"'
  DVMH_NUM_CUDAS=0
  export DVMH_NUM_CUDAS
  bad "allowed: host, since" -s 8 --device cuda
  on 1 -s 8 --roots 2 --json
  says '"device":"host"'
  unset DVMH_NUM_CUDAS
  # A GPU without room for the graph: the host does it.
  EMULATED_CUDA_MEMORY=300000
  export EMULATED_CUDA_MEMORY
  on 1 -s 12 --roots 2 --json
  says '"device":"host"'
  unset EMULATED_CUDA_MEMORY EMULATED_CUDA_PROCESSORS
  program=./examples/bfs/bfs
fi

# ---- the file of the smallest graphs, and roots ----

printf '0 1\n1 2\n5 5\n' >"$scratch/few"
on 1 -g "$scratch/few" --root 2
printf '# root 2: vertex level parent\n0 2 1\n1 1 2\n2 0 2\n3 -1 -1\n4 -1 -1\n5 -1 -1\n' >"$scratch/wanted"
cmp -s "$scratch/out" "$scratch/wanted" || fault "levels of a small graph"
on 1 -g "$scratch/few" --roots 10
says "3 searches; 3 roots without edges skipped"
on 1 -g "$scratch/few" --root 4 --json
says '"levels":1,"reached":1,"edges":0,'
: >"$scratch/none"
on 1 -g "$scratch/none"
says "0 searches; 0 roots"
bad "the graph has no vertices" -g "$scratch/none" --root 0
bad "a vertex 0..5" -g "$scratch/few" --root 6
bad "a vertex 0..1023" -s 10 --root 1024

# ---- options ----

bad "a list of cache" --sweep-options cache,fast
bad "sweep, queue or hybrid" --algorithm bfs
DVMH_NUM_CUDAS=0
export DVMH_NUM_CUDAS
bad "allowed: host, since" --device cuda
unset DVMH_NUM_CUDAS
bad "host or cuda" --device gpu
bad "0..31" -s 32
bad "one of the options" --fast 1
bad "with its value" --roots
bad "No such file" -g "$scratch/no-such-file"
bad "Is a directory" -g "$scratch"
# A pipe has no size, and this one more than is made room for at first.
mkfifo "$scratch/pipe"
awk 'BEGIN { for (v = 0; v < 20000; v++) print v, v + 1 - v % 2 * 2 }' >"$scratch/pipe" &
on 1 -g "$scratch/pipe" --root 0
says "graph: 20000 vertices, 20000 with edges; 10000 edges; left out: 0 self-loops, 10000 duplicates"
bad "for edge lists only" -g "$scratch/none" --format metis --base 0
bad "pack given for" -s 17 -e 16 --algorithm sweep --sweep-options pack
on 1 -s 8 --roots 2 --json
keys='"program" "kind" "algorithm" "scale" "edges_per_vertex" "seed" "threads" "processes" "vertices" "edges" "loops" "duplicates" "kept" "build_s" "prepare_s"
  "searches" "skipped" "gteps_min" "gteps_q1" "gteps_median" "gteps_q3" "gteps_max" "gteps_harmonic" "failed":0'
for key in $keys; do
  tail -n 1 "$scratch/log" | grep -q -e "$key" || fault "no $key in the line of JSON"
done

# ---- real graphs ----

# levels_of FILE: "vertex level" of what the program wrote, sorted.
levels_of() {
  grep -v '^#' "$1" | awk '{ print $1, $2 }' | sort -n
}

# as_known FILE: levels must be those of the file, in which a large number means not reached.
as_known() {
  awk '{ print $1, ($2 == "9223372036854775807" ? -1 : $2) }' "$1" | sort -n >"$scratch/known"
  levels_of "$scratch/out" | cmp -s - "$scratch/known" || fault "other levels than $1"
}

if [ -d "$graphs" ]; then
  for algorithm in hybrid queue "sweep --sweep-options cache"; do
    on 1 -g "$graphs/p2p-31.e" --base 1 --root 6 --algorithm $algorithm
    as_known "$graphs/p2p-31-BFS"
    on 1 -g "$graphs/p2p-31.e" --base 1 --root 6 --directed --algorithm $algorithm
    as_known "$graphs/p2p-31-BFS-directed"
  done
  says "62586 vertices, 62586 with edges; 147892 "
  if [ -n "${RTS_TEST_MPIEXEC:-}" ]; then
    on 3 -g "$graphs/p2p-31.e" --base 1 --root 6
    as_known "$graphs/p2p-31-BFS"
    on 3 -g "$graphs/p2p-31.e" --base 1 --root 6 --directed
    as_known "$graphs/p2p-31-BFS-directed"
  fi
  largest=$(awk '{ d[$1]++; d[$2]++ } END { for (v in d) if (d[v] > d[best] || (d[v] == d[best] && v + 0 < best + 0)) best = v; print best }' \
    "$graphs/luxembourg_osm.mtx")
  for algorithm in hybrid queue "sweep --sweep-options cache,restrict"; do
    on 1 -g "$graphs/luxembourg_osm.mtx" --root "$largest" --json --algorithm $algorithm
    says '"levels":952,"reached":114599,"edges":119666,'
  done
  on 1 -g "$graphs/delaunay_n16.mtx" --root 1
  says "65536 vertices, 65536 with edges; 196575 edges"
  [ "$(awk '$1 == 1 && $2 ~ /^[0-9]+$/ { print ($2 >= 59) }' "$scratch/log")" = 1 ] || fault "levels of delaunay_n16"
  on 1 -g "$graphs/polblogs.txt" --counts --roots 2
  says "1490 vertices, 1224 with edges; 16715 edges; left out: 3 self-loops, 2372 duplicates"
  on 1 -g "$graphs/polblogs.txt" --counts --directed --roots 2
  says "left out: 3 self-loops, 65 duplicates"
else
  echo "no folder $graphs: known answers of real graphs are not checked"
fi

if [ "$failed" -gt 0 ]; then
  echo "FAIL: $failed faults in $ran runs"
  exit 1
fi
echo "$ran runs passed"
