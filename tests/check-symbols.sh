#!/bin/sh
# check-symbols.sh - libdvmh exports what the public headers declare and nothing else: names dvmh_* and dvmhx_*, a few
# loop_* of an older interface, and the C++ symbols of the module initialisers, which are part of the binary interface of
# the DVMH compilers.

srcdir=${srcdir:-.}
CC=${RTS_TEST_CC:-cc}
NM=${RTS_TEST_NM:-nm}
AWK=${AWK:-awk}
library=.libs/libdvmh.so
if [ ! -f "$library" ]; then
  if [ -f libdvmh.la ]; then
    echo "SKIP: this build has no shared library"
    exit 77
  fi
  echo "FAIL: run this in the build folder, where libdvmh.la is"
  exit 1
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
faults=0

# What a sanitizer, the linker or clang's OpenMP adds is not ours.
$NM -D --defined-only "$library" | $AWK '{ print $NF }' | sed 's/@.*//' |
  grep -vE '^(_init|_fini|_edata|_end|__bss_start|__odr_asan.*|__asan_.*|__gcov_.*|\.gomp_critical_user_.*)$' |
  sort -u >"$scratch/exported"

cat >"$scratch/initialisers" <<'END'
_ZN21DvmhModuleInitializer11executeInitEv
_ZN21DvmhModuleInitializer13executeFinishEv
_ZN21DvmhModuleInitializer4headE
_ZN21DvmhModuleInitializerC1EPFvvES1_
_ZN21DvmhModuleInitializerC2EPFvvES1_
END

grep -vE '^(dvmhx?|loop)_' "$scratch/exported" | grep -vxF -f "$scratch/initialisers" >"$scratch/foreign"
if [ -s "$scratch/foreign" ]; then
  echo "exported, but neither dvmh_*, dvmhx_*, loop_* nor a module initialiser:"
  sed 's/^/  /' "$scratch/foreign"
  faults=1
fi

# declared_names: from preprocessed text on stdin, the functions and variables that files under include/ declare.
# Bodies of inline functions are left out by counting braces, `static` and `typedef` by their first word.
declared_names() {
  $AWK '
    /^#/ { ours = $3 ~ /include\/(dvmh|planted)[^\/]*\.h"/; next }
    ours {
      text = $0
      while (match(text, /[{};]/)) {
        mark = substr(text, RSTART, 1)
        if (depth == 0) statement = statement " " substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + 1)
        if (mark == "{") depth++
        else if (mark == "}") {
          if (--depth == 0 && statement ~ /\)[ \t]*$/) statement = ""   # end of a function body
        } else if (depth == 0) {
          one(statement)
          statement = ""
        }
      }
      if (depth == 0) statement = statement " " text
    }
    function one(s) {
      gsub(/__extension__/, "", s)
      gsub(/__attribute__ *\(\([^)]*(\([^)]*\))?[^)]*\)\)/, " ", s)
      if (s ~ /^[ \t]*(static|typedef|inline|_Static_assert|struct [a-zA-Z_0-9]*[ \t]*$|_Pragma)/) return
      if (match(s, /(dvmhx?|loop)_[A-Za-z0-9_]*[ \t]*\(/)) {
        name = substr(s, RSTART, RLENGTH - 1)
        sub(/[ \t]+$/, "", name)
        print name
      } else if (s ~ /extern/ && match(s, /dvmhx?_[A-Za-z0-9_]*[ \t]*(\[[^]]*\])*[ \t]*$/)) {
        name = substr(s, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_].*$/, "", name)
        print name
      }
    }'
}

for file in "$srcdir"/include/*.h; do
  echo "#include \"$file\""
done >"$scratch/all.c"
case $srcdir in /*) ;; *) sed -i "s|\"|\"$(pwd)/|" "$scratch/all.c" ;; esac
$CC -E -std=gnu11 -I"$srcdir/include" "$scratch/all.c" >"$scratch/all.i" || exit 1
declared_names <"$scratch/all.i" | sort -u >"$scratch/declared"
if [ ! -s "$scratch/declared" ]; then
  echo "FAIL: no declaration found in the public headers"
  exit 1
fi
cat "$scratch/declared" "$scratch/initialisers" | sort -u | comm -23 - "$scratch/exported" >"$scratch/missing"
if [ -s "$scratch/missing" ]; then
  echo "declared in include/, but not exported:"
  sed 's/^/  /' "$scratch/missing"
  faults=1
fi
sort -u "$scratch/declared" "$scratch/initialisers" | comm -13 - "$scratch/exported" | grep -E '^(dvmhx?|loop)_' >"$scratch/undeclared"
if [ -s "$scratch/undeclared" ]; then
  echo "exported, but in no public header:"
  sed 's/^/  /' "$scratch/undeclared"
  faults=1
fi

# The check itself: it must read declarations of every shape.
mkdir "$scratch/include"
cat >"$scratch/include/planted.h" <<'END'
typedef struct dvmhx_a { int (*dvmhx_member)(int); } dvmhx_a_t;
enum { DVMHX_ONE = 1 };
extern int *dvmh_variable;
void dvmh_one(int a, void (*dvmh_callback)(int)); int dvmhx_two(void);
static inline int dvmhx_inline(int x) { if (x) { dvmh_one(x, 0); } return dvmhx_two(); }
struct dvmhx_b;
long loop_four(int *loop, void **dvmh_out);
__attribute__((visibility("default"))) double
dvmh_three(const struct dvmhx_b *dvmhx_parameter,
           long n);
END
echo "#include \"$scratch/include/planted.h\"" >"$scratch/planted.c"
found=$($CC -E -std=gnu11 "$scratch/planted.c" | declared_names | sort | tr '\n' ' ')
if [ "$found" != "dvmh_one dvmh_three dvmh_variable dvmhx_two loop_four " ]; then
  echo "FAIL: the check read a planted header wrongly: $found"
  exit 1
fi

if [ "$faults" -ne 0 ]; then
  echo "FAIL: see above"
  exit 1
fi
echo "$(wc -l <"$scratch/declared") declared names are exported, and nothing else is"
