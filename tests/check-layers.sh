#!/bin/sh
# check-layers.sh - a file of the library includes only files of its own layer or of lower ones.
#
# The table below gives every file's layer; a file that is not in it fails the check, so that a new file gets its
# place by decision. Further rules: <mpi.h> stands only in rts/comm.c, CUDA headers only under rts/cuda, HAVE_CUDA
# only in rts/backend_table.c; rts/host and rts/cuda see layers 0, 1, 4 and their own folder, and only
# rts/backend_table.c sees them; public headers include only each other; programs see public headers only; headers
# do not include each other in a circle. Every run first proves that planted bad includes are found.

srcdir=${srcdir:-.}
AWK=${AWK:-awk}

# The table: layer, then names under rts/ (with .c, .h or both).
table='
0 types status log median memory environment environment_table stats handle call interval launcher
1 box front_box layout layout_index
2 comm environment_share agreement farewell
3 distribution placement uneven array array_inside array_move array_place loop loop_prepare dependence reduction element shadow_compute
4 backend backend_table exchange_ops handler_ops items
5 planner candidates estimates launches launch_estimates form options block transform tile cost site site_key saved sequence schedule period choice reason
6 variable region coherence coherence_values replica transfer exchange redistribute gather collect section permute clause remote consistent across_array pipeline pipeline_cut pipeline_edges pipeline_inside pipeline_old pipeline_out pipeline_stages exec exec_data exec_follow exec_launch exec_launch_memory exec_times compare exec_query exec_query_inside exec_query_reduction exec_reduction halo overlap report plan_file runtime
7 compiler-hooks/
'

program='
function layer_of(file,   stem) {
  if (file ~ /^include\/.*\.h$/) return "public"
  if (file ~ /^rts\/host\//) return "host"
  if (file ~ /^rts\/cuda\//) return "cuda"
  if (file ~ /^(compiler-hooks|tools)\//) return layer["compiler-hooks/"]
  if (file ~ /^(sor-bench|npb-lu|examples)\//) return "program"
  stem = file
  sub(/^rts\//, "", stem)
  sub(/\.[ch]$/, "", stem)
  return stem in layer ? layer[stem] : "unknown"
}
function allowed(from, file, to) {
  if (to == "public") return 1
  if (from == "public") return 0
  if (from == "program" || to == "program") return from == to
  if (from == "host" || from == "cuda") return to == from || to == 0 || to == 1 || to == 4
  if (to == "host" || to == "cuda") return file == "rts/backend_table.c"
  return to + 0 <= from + 0
}
function fault(text) { print file ":" FNR ": " text; faults++ }
function one_include(spelled,   name, target, folder) {
  name = substr(spelled, 2, length(spelled) - 2)
  if (name == "mpi.h") {
    if (file != "rts/comm.c") fault(spelled ": only rts/comm.c may include it")
    return
  }
  if (name ~ /^(cuda\.h|cuda_.*|cuda\/.*|cooperative_groups.*|curand.*|cub\/.*|nvToolsExt.*|nvtx3\/.*|thrust\/.*)$/) {
    if (mine != "cuda") fault(spelled ": only files under rts/cuda may include it")
    return
  }
  folder = file
  sub(/[^\/]*$/, "", folder)
  if (("include/" name) in exists) target = "include/" name
  else if (name in exists) target = name
  else if ((folder name) in exists) {
    target = folder name
    if (mine != "program") fault(spelled ": write it from the root: \"" target "\"")
  } else {
    if (spelled ~ /^"/) fault(spelled ": no such file in the tree")
    return
  }
  if (file ~ /\.(h|cuh)$/) print file, target > edges
  if (layer_of(target) != "unknown" && !allowed(mine, file, layer_of(target)))
    fault(spelled " is of layer " layer_of(target) ", this file of layer " mine)
}
BEGIN {
  count = split(table, rows, "\n")
  for (i = 1; i <= count; i++) {
    words = split(rows[i], word, " ")
    for (j = 2; j <= words; j++) layer[word[j]] = word[1]
  }
  printf "" > edges
  for (i = 1; i < ARGC; i++) exists[ARGV[i]] = 1
}
FNR == 1 {
  file = FILENAME
  mine = layer_of(file)
  if (mine == "unknown") fault("this file is in no layer; add it to the table in tests/check-layers.sh")
}
mine == "unknown" { next }
/HAVE_CUDA/ && file != "rts/backend_table.c" { fault("HAVE_CUDA may stand in rts/backend_table.c only") }
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  text = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
  end = index(substr(text, 2), substr(text, 1, 1) == "<" ? ">" : "\"")
  one_include(substr(text, 1, end + 1))
}
END { exit faults > 0 }
'

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# check_tree FOLDER: print every broken rule; the status says whether there was none.
check_tree() (
  cd "$1" || exit 1
  folders=
  for folder in compiler-hooks examples include npb-lu rts sor-bench tools; do
    [ -d "$folder" ] && folders="$folders $folder"
  done
  find $folders -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort |
    xargs "$AWK" -v table="$(echo "$table" | tr '\n' '~' | sed 's/~/\\n/g')" -v edges="$scratch/edges" "$program"
  faults=$?
  if ! tsort "$scratch/edges" >/dev/null 2>"$scratch/circles"; then
    echo "headers include each other in a circle:"
    sed 's/^tsort: //' "$scratch/circles"
    faults=1
  fi
  exit "$faults"
)

# plant FILE LINE: a copy of the tree with LINE added to FILE must be refused, in a message that names FILE.
plant() {
  rm -rf "$scratch/tree"
  mkdir "$scratch/tree"
  for folder in compiler-hooks include rts sor-bench tools; do
    [ -d "$srcdir/$folder" ] && cp -R "$srcdir/$folder" "$scratch/tree/"
  done
  chmod -R u+w "$scratch/tree"
  mkdir -p "$scratch/tree/${1%/*}"
  printf '%s\n' "$2" >>"$scratch/tree/$1"
  if check_tree "$scratch/tree" >"$scratch/output" 2>&1 || ! grep -q "$1" "$scratch/output"; then
    echo "FAIL: the check does not see '$2' planted into $1"
    exit 1
  fi
}

if ! check_tree "$srcdir"; then
  echo "FAIL: see above"
  exit 1
fi
plant rts/box.h '#include "rts/runtime.h"'
plant rts/cost.c '#include <mpi.h>'
plant rts/exec.c '#include <cuda_runtime.h>'
plant rts/exec.c '#include "rts/host/host.h"'
plant rts/host/planted.c '#include "rts/array.h"'
plant rts/planner.c '#ifdef HAVE_CUDA'
plant rts/planted_file.c 'int x;'
plant include/dvmhx.h '#include "rts/types.h"'
plant sor-bench/planted.c '#include "rts/types.h"'
plant include/dvmhlib_types.h '#include "dvmhlib2.h"'
plant rts/log.c '#include "rts/no_such_file.h"'
exit 0
