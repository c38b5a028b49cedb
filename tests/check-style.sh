#!/bin/sh
# check-style.sh - what can be seen in the text alone: files of at most 600 lines, nothing left open, no paths of
# somebody's machine, text files that end with a newline, source files that some Makemodule.am lists. The check first proves that it sees planted faults.

srcdir=${srcdir:-.}
limit=600
left_open='TO''DO|FIX''ME|(^|[^A-Za-z])XX''X([^A-Za-z]|$)|not imple''mented'
machine_path='(^|[^A-Za-z0-9_.$})])/(home|root|work|mnt|media|Users|var/tmp|tmp)/[A-Za-z0-9]'

# A template of mkstemp in the folder for temporary files is no path of one machine.
# check_tree FOLDER: print every fault found under FOLDER; the status says whether there was none.
check_tree() (
  cd "$1" || exit 1
  faults=0
  folders=
  for folder in .ci build-aux compiler-hooks docs examples include m4 npb-lu rts sor-bench tests tools; do
    [ -d "$folder" ] && folders="$folders $folder"
  done
  for file in $(find . $folders -maxdepth 1 -type f; [ -z "$folders" ] || find $folders -mindepth 2 -type f); do
    file=${file#./}
    case $file in
      *.c | *.h | *.cu | *.cuh | *.cpp | *.sh | *.am | *.ac | *.md | *.m4 | *.in | .ci/run) ;;
      *) continue ;;
    esac
    case $file in
      Makefile.in | config.h.in | aclocal.m4 | m4/libtool.m4 | m4/lt*.m4 | build-aux/ltmain.sh) continue ;;
    esac
    lines=$(wc -l <"$file")
    if [ "$lines" -gt "$limit" ]; then
      echo "$file: $lines lines, at most $limit are allowed: split it"
      faults=1
    fi
    case $file in
      *.md | tests/check-style.sh) ;;
      *) grep -nE "$left_open" "$file" /dev/null && { echo "$file: something is left open"; faults=1; } ;;
    esac
    grep -nE "$machine_path" "$file" /dev/null | grep -v 'XXXXXX' && { echo "$file: a path of one machine"; faults=1; }
    case $file in
      rts/*.[ch] | compiler-hooks/*.[ch] | include/*.h | sor-bench/*.[ch] | tests/*.h | tests/*.cpp)
        listed=$file ;;
      tests/*.c) listed=${file%.c} ;;
      *) listed= ;;
    esac
    if [ -n "$listed" ] && ! cat $(find . -maxdepth 3 -name Makemodule.am) | grep -qwF "$listed"; then
      echo "$file: no Makemodule.am lists it"
      faults=1
    fi
    if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then
      echo "$file: no newline at the end"
      faults=1
    fi
  done
  exit "$faults"
)

# plant NAME TEXT-COMMAND: a tree with one faulty file must be refused.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
plant() {
  rm -rf "$scratch/rts"
  mkdir "$scratch/rts"
  eval "$2" >"$scratch/rts/planted.c"
  if check_tree "$scratch" >/dev/null; then
    echo "FAIL: the check does not see a planted fault: $1"
    exit 1
  fi
}
mkdir "$scratch/tests"
echo 'x = rts/planted.c' >"$scratch/tests/Makemodule.am"
plant 'long file' 'yes "/* */" | head -n 601'
plant 'left open' 'echo "/* TO""DO: later */"'
plant 'machine path' 'echo "#define FILE_NAME \"/""home/me/data\""'
plant 'no newline' 'printf "int x;"'
echo '' >"$scratch/tests/Makemodule.am"
plant 'file in no list' 'echo "int x;"'
echo 'x = rts/planted.c' >"$scratch/tests/Makemodule.am"
if ! check_tree "$scratch"; then
  echo "FAIL: the check refuses a good file"
  exit 1
fi

if check_tree "$srcdir"; then
  exit 0
fi
echo "FAIL: see above"
exit 1
