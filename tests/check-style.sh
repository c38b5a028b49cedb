#!/bin/sh
# check-style.sh - what can be seen in the text alone: files of at most 600 lines, nothing left open, no paths of
# somebody's machine, text files that end with a newline, source files that some Makemodule.am lists. The check first proves that it sees planted faults.

srcdir=${srcdir:-.}
limit=600
left_open='TO''DO|FIX''ME|(^|[^A-Za-z])XX''X([^A-Za-z]|$)|not imple''mented'
machine_path='(^|[^A-Za-z0-9_.$})])/(home|root|work|mnt|media|Users|var/tmp|tmp)/[A-Za-z0-9]'

# texts: the files of the current folder that are looked at.
texts() {
  folders=
  for folder in .ci build-aux compiler-hooks docs examples include m4 npb-lu rts sor-bench tests tools; do
    [ -d "$folder" ] && folders="$folders $folder"
  done
  { find . $folders -maxdepth 1 -type f; [ -z "$folders" ] || find $folders -mindepth 2 -type f; } | sed 's,^\./,,' | sort -u |
    grep -E '(\.(c|h|cu|cuh|cpp|sh|am|ac|md|m4|in)|^\.ci/run)$' |
    grep -vE '^(Makefile\.in|config\.h\.in|aclocal\.m4|m4/libtool\.m4|m4/lt[^/]*\.m4|build-aux/ltmain\.sh)$'
}

# told WHAT: print what comes, if anything does, with what it means; the status says whether something came.
told() {
  sed "s,\$, <- $1," | grep .
}

# unlisted: those of the files that no Makemodule.am lists; tests may stand there without their .c.
unlisted() {
  cat $(find . -maxdepth 3 -name Makemodule.am) | tr -s ' \t\\=+' '\n\n\n\n\n' | sed -n 'p; s/\.c$//p' | sort -u >"$scratch/listed"
  sed -nE -e '/^(rts|compiler-hooks)\/.*\.[ch]$/p; /^(include|tests)\/.*\.h$/p; /^sor-bench\/.*\.[ch]$/p; /^tests\/.*\.cpp$/p' \
    -e 's,^(tests/.*)\.c$,\1,p' | sort -u | comm -23 - "$scratch/listed"
}

# check_tree FOLDER: print every fault found under FOLDER; the status says whether there was none. A template of mkstemp in the folder for
# temporary files is no path of one machine.
check_tree() (
  cd "$1" || exit 1
  faults=0
  texts >"$scratch/texts"
  xargs wc -l <"$scratch/texts" | awk -v limit=$limit '$1 > limit && $2 != "total" { print $2 ": " $1 " lines" }' |
    told "at most $limit are allowed: split it" && faults=1
  grep -vE '\.md$|^tests/check-style\.sh$' "$scratch/texts" | xargs grep -nE "$left_open" /dev/null | told "something is left open" && faults=1
  xargs grep -nE "$machine_path" /dev/null <"$scratch/texts" | grep -v 'XXXXXX' | told "a path of one machine" && faults=1
  unlisted <"$scratch/texts" | told "no Makemodule.am lists it" && faults=1
  while read -r file; do
    [ -z "$(tail -c 1 "$file")" ] || echo "$file"
  done <"$scratch/texts" | told "no newline at the end" && faults=1
  exit "$faults"
)

# plant NAME TEXT-COMMAND: a tree with one faulty file must be refused.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
plant() {
  rm -rf "$tree/rts"
  mkdir "$tree/rts"
  eval "$2" >"$tree/rts/planted.c"
  if check_tree "$tree" >/dev/null; then
    echo "FAIL: the check does not see a planted fault: $1"
    exit 1
  fi
}
mkdir "$tree" "$tree/tests"
echo 'x = rts/planted.c' >"$tree/tests/Makemodule.am"
plant 'long file' 'yes "/* */" | head -n 601'
plant 'left open' 'echo "/* TO""DO: later */"'
plant 'machine path' 'echo "#define FILE_NAME \"/""home/me/data\""'
plant 'no newline' 'printf "int x;"'
echo '' >"$tree/tests/Makemodule.am"
plant 'file in no list' 'echo "int x;"'
echo 'x = rts/planted.c' >"$tree/tests/Makemodule.am"
if ! check_tree "$tree"; then
  echo "FAIL: the check refuses a good file"
  exit 1
fi

if check_tree "$srcdir"; then
  exit 0
fi
echo "FAIL: see above"
exit 1
