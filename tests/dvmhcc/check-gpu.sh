#!/bin/sh
# check-gpu.sh - programs whose loops dvmhcc compiles for GPUs, on the GPU that the host plays (tests/emulated_cuda): they do what a plain C
# compiler makes of them, byte for byte, in the modes below; every loop that -Minfo says GPUs can run did run there, and nvcc, where there is one,
# compiles what was generated. Programs gpu-* of the corpus have loops that cannot, and say in `expect` comments what is told of them.
#
# use: check-gpu.sh [NAME...]    in the build folder. Names are those of the corpus and of examples/; without one a few are checked, with
#      `all` all of them, which takes a quarter of an hour. tests/dvmhcc/programs.sh has the variables that matter, and RTS_TEST_NVCC: nvcc (empty: none).

script=$0
. "${srcdir:-.}/tests/dvmhcc/programs.sh"
corpus=$srcdir/tests/dvmhcc/corpus
emulated=$top/tests/emulated_cuda
few="ok-gpu-language ok-gpu-values ok-across-3d ok-across-sweeps ok-reduction-maxloc ok-remote-access-clause ok-files sor gpu-refused"
for_nvcc="ok-gpu-language ok-reduction-maxloc"

use_emulated() {
  [ -n "$DVMHCC_NVCC" ] && return
  DVMHCC_NVCC="$srcdir/tests/dvmhcc/nvcc-emulated.sh"
  DVMHCC_LIBS="$emulated/.libs/libdvmh-emulated.a -fopenmp
    $(sed -n "s/^dependency_libs='\(.*\)'/\1/p" "$emulated/libdvmh-emulated.la") -lstdc++ -lm -lpthread"
  DVMHCC_CFLAGS="-isystem $srcdir/include"
  EMULATED_FLAGS=$sanitizer
  export DVMHCC_CFLAGS DVMHCC_NVCC DVMHCC_LIBS EMULATED_FLAGS
}

# where NAME: the folder that it lies in.
where() {
  if [ -e "$corpus/$1" ] || [ -e "$corpus/$1.c" ]; then
    echo "$corpus"
  else
    echo "$srcdir/examples"
  fi
}

# ran_there WHAT: each loop that can run on GPUs, and that ran, ran there; and there was one.
ran_there() {
  for file in $sources; do
    limited $DVMHCC -Minfo $flags -c -o "$place/minfo.o" "$file" >/dev/null
  done 2>"$place/minfo"
  (cd "$place" && DVMH_REPORT=1 DVMH_NUM_THREADS=1 limited "./$1" $arguments <"$input" >/dev/null 2>"$place/report")
  awk '
    FNR == 1 { part++ }
    part == 1 && /: parallel loop/ { sub(/: parallel loop.*/, ""); sub(/.*\//, ""); loop = $0 }
    part == 1 && /^  GPU: yes/ { gpu[loop] = 1 }
    part == 2 && /% .* x / { loop = $(NF - 1); for (i = 1; i <= NF; i++) if ($i ~ /:[0-9]+,$/) loop = $i; sub(/,$/, "", loop); sub(/.*\//, "", loop) }
    part == 2 && / at best with / && gpu[loop] { if (/with gpu/) there++; else print "on the host: " loop }
    END { for (loop in gpu) if (!there) { print "no loop ran on the GPU"; exit } }' "$place/minfo" "$place/report" >"$place/difference"
  if [ -s "$place/difference" ]; then
    cat "$place/report" >>"$place/difference"
    fault "loops did not run on the GPU" "$place/difference"
  fi
}

# check_program LABEL OPTION SETTINGS...: build it with an option and run it with each of the settings.
check_program() {
  label=$1
  option=$2
  shift 2
  build "$label" $DVMHCC $option $sanitizer || { fault "not built, $label" "$place/$label.log"; return; }
  # Which loops of others run on GPUs is for -Minfo to say.
  case $name in
    gpu-* | ok-gpu-*) ;;
    *) sed -i '/ does not run on GPUs: /d' "$place/$label.log" ;;
  esac
  messages whole "$place/$label.log"
  for settings; do
    compare "$label" "EMULATED_CUDA_QUIET=1 DVMH_NUM_THREADS=1 $settings"
  done
}

check_nvcc() {
  for file in $sources; do
    DVMHCC_NVCC=$nvcc limited $DVMHCC -arch=sm_90 $flags -c -o "$place/object.o" "$file" >"$place/nvcc.log" 2>&1 ||
      fault "nvcc does not compile it" "$place/nvcc.log"
  done
}

# check_objects: with -c there is one object a source, which links like any other.
check_objects() {
  objects=
  for file in $sources; do
    object=$place/$(basename "$file" .c).o
    limited $DVMHCC $flags $sanitizer -c -o "$object" "$file" >"$place/object.log" 2>&1 || fault "not compiled with -c" "$place/object.log"
    objects="$objects $object"
  done
  limited $DVMHCC $sanitizer $objects -lm -o "$place/objects" >"$place/objects.log" 2>&1 || { fault "not linked" "$place/objects.log"; return; }
  compare objects "EMULATED_CUDA_QUIET=1 DVMH_NUM_THREADS=1"
  ran_there objects
}

# refuses WHAT TEXT: a compiler for GPUs that does not like the file (it does what the standard input says): nothing is written, and it is told.
refuses() {
  { echo '#!/bin/sh' && cat; } >"$place/nvcc"
  chmod +x "$place/nvcc"
  DVMHCC_NVCC=$place/nvcc limited $DVMHCC $flags -c -o "$place/refused.o" "$name.c" >"$place/refused.log" 2>&1
  [ $? -eq 1 ] || fault "no exit code 1, $1" "$place/refused.log"
  [ -e "$place/refused.o" ] && fault "an object was written, $1"
  grep -qF "$2" "$place/refused.log" || fault "$1 is not told" "$place/refused.log"
  grep -q "error: the code of .* for GPUs was not compiled; -noCuda leaves it out" "$place/refused.log" || fault "no advice, $1" "$place/refused.log"
}

# check_driver: what is written where, and what happens when the compiler for GPUs fails.
check_driver() {
  for option in -noCuda -Minfo; do
    limited $DVMHCC $flags $option --emit "$place/kept$option" -c -o "$place/kept.o" "$name.c" >"$place/kept.log" 2>&1 || fault "not compiled, $option" "$place/kept.log"
  done
  [ -f "$place/kept-Minfo/$name.dvmh.cu" ] || fault "--emit does not keep the file for GPUs"
  [ -e "$place/kept-noCuda/$name.dvmh.cu" ] && fault "a file for GPUs in spite of -noCuda"
  grep -q cuda_ "$place/kept-noCuda/$name.dvmh.c" && fault "handlers for GPUs in spite of -noCuda"
  echo 'echo "ok.c(7): error: strange" >&2; exit 2' | refuses 'an error' 'ok.c(7): error: strange'
  echo 'echo "to standard output"; exit 1' | refuses 'an error' 'to standard output'
  echo 'kill -9 $$' | refuses 'a crash' "was ended by signal 9"
  DVMHCC_NVCC="$place/none" limited $DVMHCC $flags -c -o "$place/refused.o" "$name.c" >"$place/refused.log" 2>&1 && fault "a compiler that is not there"
  grep -qF "cannot run '$place/none'" "$place/refused.log" || fault "that there is no compiler is not told" "$place/refused.log"
}

# check_reasons: -Minfo gives the reasons that warnings give, and says of the one other loop that it can run there.
check_reasons() {
  limited $DVMHCC -Minfo $flags -c -o "$place/minfo.o" "$name.c" >"$place/minfo" 2>&1
  sed -n 's/.* does not run on GPUs: //p' "$place/minfo" | sort >"$place/warned"
  sed -n 's/^  GPU: no, [^ ]*:[0-9]*: //p' "$place/minfo" | sort >"$place/informed"
  [ "$(grep -c '^  GPU: yes' "$place/minfo")" -eq 1 ] || fault "-Minfo does not say that one loop can run there" "$place/minfo"
  diff "$place/warned" "$place/informed" >"$place/difference" && [ -s "$place/warned" ] || fault "-Minfo and warnings differ" "$place/difference"
}

check_one() {
  begin "$1" "$(where "$1")"
  use_emulated
  if make_reference; then
    [ -n "${only-}" ] || check_program plain-layouts -O1 "" "EMULATED_CUDA_RESIDENT=1"
    check_program autoTfm -autoTfm "" "DVMH_PLANNER=random:1" "DVMH_PLANNER=random:2 EMULATED_CUDA_RESIDENT=2 EMULATED_CUDA_ORDER=random:3"
    [ "$faults" -eq 0 ] && [ -f "$name.c" ] && ran_there autoTfm
    [ -d "$name" ] && check_objects
    [ "${name#gpu-}" != "$name" ] && check_reasons
    [ "$name" = ok-gpu-language ] && [ -z "${only-}" ] && check_driver
    case " $given " in
      '  ') case " $for_nvcc " in *" $name "*) [ -n "$nvcc" ] && check_nvcc ;; esac ;;
      *) [ -n "$nvcc" ] && check_nvcc ;;
    esac
  fi
  finish
}

# ---- planted faults: a compiler whose code for GPUs is wrong must be noticed

# planted WHAT SCRIPT: the file for GPUs goes through sed before it is compiled.
planted() {
  {
    echo '#!/bin/sh'
    echo 'for word; do case $word in *.cu) sed -i "'"$2"'" "$word" ;; esac; done'
    echo "exec $srcdir/tests/dvmhcc/nvcc-emulated.sh \"\$@\""
  } >"$work/planted"
  chmod +x "$work/planted"
  if (use_emulated; DVMHCC_NVCC=$work/planted; only=-autoTfm check_one ok-gpu-language) | grep -q '^passed$'; then
    echo "FAIL: the check does not see a planted fault: $1"
    exit 1
  fi
}

check_planted() {
  planted 'another operation' 's/rf_SUM/rf_MAX/'
  planted 'code that does not compile' 's/DVMHX_DEVICE/nothing/'
}

names() {
  case $given in
    '') printf '%s\n' $few ;;
    all)
      (cd "$corpus" && ls -d ok-*.c ok-*/ gpu-*.c) | sed 's,\.c$,,; s,/$,,'
      (cd "$srcdir/examples" && ls *.c) | sed 's,\.c$,,'
      ;;
    *) printf '%s\n' $given ;;
  esac
}

need_dvmhcc
if [ ! -f "$emulated/libdvmh-emulated.la" ]; then
  echo "SKIP: no emulated GPU in this build"
  exit 77
fi
if [ "${RTS_TEST_SANITIZER:-none}" = tsan ]; then
  echo "SKIP: ThreadSanitizer does not know the threads of the emulated GPU"
  exit 77
fi
nvcc=${RTS_TEST_NVCC-}
export given
[ "${1-}" = --one ] || given=$*
run_script "$@"
