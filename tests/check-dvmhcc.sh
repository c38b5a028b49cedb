#!/bin/sh
# check-dvmhcc.sh - the driver of dvmhcc, with a translation that changes nothing: files of every kind in and out, messages, exit codes,
# nothing left behind after errors and signals. The programs print what they print when the C compiler alone makes them.

top=$(pwd)
srcdir=$(cd "${srcdir:-.}" && pwd)
CC=${RTS_TEST_CC:-cc}
dvmhcc=$top/tests/dvmhcc/passthrough
if [ ! -x "$dvmhcc" ]; then
  echo "FAIL: run this in the build folder; $dvmhcc is missing"
  exit 1
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir temporary
TMPDIR=$work/temporary
DVMHCC_CFLAGS=
DVMHCC_LIBS=
export TMPDIR DVMHCC_CFLAGS DVMHCC_LIBS
unset DVMHCC_CC
faults=0
checks=0

# check WHAT COMMAND...: the command must succeed.
check() {
  what=$1
  shift
  checks=$((checks + 1))
  if ! "$@"; then
    echo "FAIL: $what: $*"
    [ -s log ] && sed 's/^/  | /' log
    faults=$((faults + 1))
  fi
}

# run EXIT-CODE ARGUMENTS...: dvmhcc ends so, and leaves nothing in the folder for temporary files nor half-written outputs.
run() {
  expected=$1
  shift
  "$dvmhcc" "$@" >log 2>&1
  code=$?
  check "exit code $code instead of $expected of dvmhcc $*" [ "$code" -eq "$expected" ]
  check "temporary files of dvmhcc $*" [ -z "$(ls temporary)" ]
  check "half-written files of dvmhcc $*" [ -z "$(find . -name '*.tmp*')" ]
}
logged() { check "the message" grep -qF -e "$1" log; }
absent() { check "it should not be there" [ ! -e "$1" ]; }
same() {
  "$@" >output.1 2>&1
  check "the output" cmp -s output.1 output.0
}

# ---- a program of two sources, an object and a library

mkdir -p a b
cat >a/part.c <<'END'
int part_a(void) { return 1; }
END
cat >b/part.c <<'END'
#include "part.h"
#pragma dvm actual(N)
int part_b(void) { return N; }
END
echo '#define N 20' >b/part.h
echo 'int other(void) { return 300; }' >other.c
echo 'int in_library(void) { return 4000; }' >library.c
cat >main.c <<'END'
#define _GNU_SOURCE
#define VERBOSE printf
#include <stdio.h>
#include <stdlib.h>
#include <complex.h>
#undef I
#include <tgmath.h>
#include <errno.h>
#include <assert.h>
#include <stdbool.h>
int part_a(void), part_b(void), other(void), in_library(void);
static int I;
#pragma dvm array distribute[block]
static double A[10];
int main(int count, char **words) {
  char *text = NULL;
  assert(count > 0 && "a comment // in a string");
  A[I] = sqrt(16.0) + fabs((float)-1.5f);
  errno = 0;
  bool good = asprintf(&text, "%d %g %s", part_a() + part_b() + other() + in_library(), A[0], count > 1 ? words[1] : "none") > 0;
  #pragma dvm region
  VERBOSE("%s %d %d %s:%d\n", text, good, errno, __FILE__, __LINE__);
  free(text);
  return fflush(stdout) == EOF ? EXIT_FAILURE : EXIT_SUCCESS;
}
END
$CC -c other.c -o other.o && $CC -c library.c -o library.o && ar rc liblibrary.a library.o || exit 1
$CC -Wno-unknown-pragmas main.c a/part.c b/part.c other.o library.o -lm -o plain && ./plain word >output.0 || exit 1

warnings="-std=gnu11 -Wall -Wextra -Werror -Wno-unknown-pragmas"
run 0 $warnings -O2 main.c a/part.c b/part.c other.o liblibrary.a -lm -o program
same ./program word
check "nothing is printed" [ ! -s log ]
run 0 main.c a/part.c b/part.c other.o -L. -llibrary -lm
same ./a.out word
run 0 -c main.c
run 0 -c b/part.c -o b.o
run 0 -c -g a/part.c -o a/nested.o
run 0 -o linked main.o b.o a/nested.o other.o liblibrary.a -lm
same ./linked word
run 0 -s $warnings -MD main.c a/part.c b/part.c other.o liblibrary.a -lm -o sequential
same ./sequential word
check "dependencies with -s" grep -q '^part.o: b/part.c.* b/part.h' part.d
rm -f *.d
cp main.c "my main's.c"
run 0 -MMD "my main's.c" a/part.c b/part.c other.o liblibrary.a -lm -o "my program"
"./my program" word >output.1
sed "s/main.c/my main's.c/" output.0 >output.2
check "the output of a program with blanks in its name" cmp -s output.1 output.2
check "dependencies, blanks escaped" grep -qF "my\\ main's.o: my\\ main's.c" "my main's.d"
run 0 -autoTfm -noCuda -Minfo -v -c a/part.c -o a/verbose.o
logged "-c "
logged "/part.dvmh.c"

# ---- generated sources

run 0 --emit kept -c main.c
check "the generated source" [ -s kept/main.dvmh.c ]
check "headers are included again" grep -q '^#include <tgmath.h>' kept/main.dvmh.c
check "it is short" [ "$(wc -l <kept/main.dvmh.c)" -lt 400 ]
check "directives" grep -qF '/* dvm: array distribute[block] */' kept/main.dvmh.c
$CC kept/main.dvmh.c a/part.c b/part.c other.o liblibrary.a -lm -o from_kept || faults=$((faults + 1))
same ./from_kept word

# ---- messages

cat >wrong.c <<'END'
#include <stdio.h>
#include <math.h>
#define VALUE undeclared
#pragma dvm region

int f(void) {
	return VALUE;
}
#pragma dvm actual(A, \
		refuse)
END
sed 's/refuse/A/' wrong.c >wrong_c.c
cp program kept_program
run 1 -o program wrong.c wrong_c.c missing.c
logged "wrong.c:10:3: error: this translation refuses to refuse"
logged "  10 | 		refuse)"
logged "     | 		^~~~~~"
logged "wrong_c.c:7:"
logged "cannot read 'missing.c'"
check "an earlier program stays" cmp -s program kept_program
run 1 -c wrong.c -o wrong.o --emit kept_not
absent wrong.o
absent kept_not/wrong.dvmh.c
run 1 main.c -o unlinked -lm
absent unlinked
run 1 -o none
logged "no input files"
run 1 -c a/part.c -o no_such_folder/a.o
DVMHCC_CC=false run 1 -c a/part.c -o a/failed.o
absent a/failed.o
cat >unsure <<END
#!/bin/sh
$CC "\$@"
case " \$* " in *" -E "*) ;; *) exit 3 ;; esac
END
chmod +x unsure
DVMHCC_CC=./unsure run 1 -c a/part.c -o a/failed.o
absent a/failed.o
check "a compiler that fails has told why" [ ! -s log ]
DVMHCC_CC="$work/no such compiler" run 1 -c a/part.c
logged "cannot run '$work/no': No such file or directory"
TMPDIR=$work/missing run 1 -c a/part.c
logged "missing': No such file or directory; set TMPDIR"
run 0 --help
logged "use: dvmhcc"
run 0 --version
logged "dvmhcc (dvmh-rts"
if [ -w /dev/full ]; then
  for option in --help --version; do
    "$dvmhcc" $option >/dev/full 2>log
    check "$option notices that its output is lost" [ $? -eq 1 ]
  done
fi

# ---- outputs that are no files

run 0 -c a/part.c -o /dev/null
check "/dev/null is still a device" [ -c /dev/null ]
run 0 -MD -MF /dev/null -c a/part.c -o a/nested.o
check "/dev/null is still a device" [ -c /dev/null ]

# ---- signals: the compiler waits, dvmhcc is told to end

cat >waiting <<END
#!/bin/sh
case " \$* " in
  *" -E "*) exec $CC "\$@" ;;
esac
echo half >"$work/waited.o.tmp"
echo \$\$ >started
exec sleep 60
END
chmod +x waiting
for signal in TERM INT HUP; do
  rm -f started
  # A shell's background jobs ignore INT, and dvmhcc respects that: so it is started by a program that restores it.
  DVMHCC_CC=./waiting "$dvmhcc" -c a/part.c -o waited.o >log 2>&1 &
  job=$!
  tries=0
  while [ ! -s started ] && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  if [ "$signal" = INT ]; then
    kill -INT "$job"
    sleep 0.3
    check "an ignored INT stays ignored" kill -0 "$job"
    kill -TERM "$job"
    wait "$job"
    code=143
  else
    kill "-$signal" "$job"
    wait "$job"
    code=$?
  fi
  case $signal in TERM) wanted=143 ;; INT) wanted=143 ;; HUP) wanted=129 ;; esac
  check "ended by SIG$signal" [ "$code" -eq "$wanted" ]
  check "temporary files after SIG$signal" [ -z "$(ls temporary)" ]
  absent waited.o
  absent waited.o.tmp
  check "the compiler has ended" [ -z "$(ps -o pid= -p "$(cat started)" 2>/dev/null)" ]
done

# ---- the run-time system

if [ -f "$top/.libs/libdvmh.so" ]; then
  case ${RTS_TEST_SANITIZER:-none} in
    asan) sanitizer=-fsanitize=address,undefined ;;
    tsan) sanitizer=-fsanitize=thread ;;
    *) sanitizer= ;;
  esac
  cat >linked.c <<'END'
#include <stdio.h>
#include <dvmhlib2.h>
int main(int count, char **words) {
  dvmh_init_C(0, &count, &words);
  printf("%d\n", (int)count);
  dvmh_exit_C(0);
  return 1;
}
END
  DVMHCC_CFLAGS="-isystem $srcdir/include" DVMHCC_LIBS="-L$top/.libs -ldvmh -Wl,-rpath,$top/.libs" \
    "$dvmhcc" $sanitizer --emit kept linked.c -o linked >log 2>&1
  check "linking with the library" [ $? -eq 0 ]
  check "headers of the library are included again" grep -qx '#include <dvmhlib2.h>' kept/linked.dvmh.c
  check "the program with the library" [ "$(./linked word 2>&1)" = 2 ]
fi

echo "$checks checks, $faults failed"
[ "$faults" -eq 0 ]
