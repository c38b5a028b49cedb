#!/usr/bin/env bash
# quickstart.sh - from a fresh clone to a running demonstration or a full test, in one command.
#
#   ./quickstart.sh demo        build with optimisation for this machine, compile SOR in two and three dimensions with dvmhcc and run
#                               it, with loops along the storage and across it, without and with reorganisation of the array
#   ./quickstart.sh test        build and run all tests, then those of libraries and programs again under ASan and UBSan; with RTS_TEST_FULL=1
#                               in all their variants, and with static libraries too
#   ./quickstart.sh test-tsan   build with ThreadSanitizer and run the tests
#
# Missing Debian or Ubuntu packages are installed with apt-get when this runs as root or sudo asks no password;
# else they are named, and nothing is changed. Everything is built under build/; a second run builds nothing twice.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source_dir=$PWD
cores=$(nproc 2>/dev/null || echo 1)

usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' quickstart.sh
}

say() {
  printf '== %s\n' "$*"
}

# --- packages

# needs_autoreconf: is there no configure script, or one older than what it is made from?
needs_autoreconf() {
  [ -x configure ] && [ -f Makefile.in ] && [ -f config.h.in ] || return 0
  [ -n "$(find configure.ac Makefile.am m4 ./*/Makemodule.am -newer configure \( -name '*.m4' -o -name '*.a[cm]' \) -print -quit)" ]
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# as_root COMMAND...: run as root, by sudo where that asks nothing.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# install_packages PACKAGE...: install those that are missing, or say which and end.
install_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian or Ubuntu system: please have these packages' likes installed: $*"
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
    say "installing packages: ${missing[*]}"
    if as_root apt-get -qq update && as_root apt-get -qq -y --no-install-recommends install "${missing[@]}"; then
      return 0
    fi
    echo "quickstart.sh: apt-get could not install these packages: ${missing[*]}" >&2
  else
    echo "quickstart.sh: these packages are missing: ${missing[*]}" >&2
  fi
  echo "Install them as root, then run this again:" >&2
  echo "  apt-get update && apt-get install ${missing[*]}" >&2
  exit 1
}

packages_for() {
  local packages=(build-essential pkg-config libopenmpi-dev openmpi-bin libhwloc-dev)
  if needs_autoreconf; then
    packages+=(autoconf automake libtool)
  fi
  case $1 in
    test | test-tsan) packages+=(clang libomp-dev clang-format libclang-19-dev) ;;
  esac
  install_packages "${packages[@]}"
  # dvmhcc needs a libclang, of any version; the demo goes on without.
  if [ "$1" = demo ] && ! compgen -G '/usr/lib/llvm-*/include/clang-c/Index.h' >/dev/null; then
    (install_packages libclang-19-dev) || true
  fi
  # Debian keeps the sanitizers' run-time libraries of clang in a package of their own.
  if [ "$1" = test-tsan ] && [ -z "$(find "$(clang -print-resource-dir)/" -name '*tsan*' -print -quit)" ]; then
    install_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
  fi
}

# --- building

# logged FILE COMMAND...: run with all output in FILE; show its end when the command fails.
logged() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    echo "quickstart.sh: this failed: $*" >&2
    tail -n 40 "$log" >&2
    echo "(all of it: $log)" >&2
    return 1
  fi
}

# configure_in NAME OPTIONS...: configure build/NAME unless that was done with the same options.
configure_in() {
  local name=$1 dir=build/$1
  shift
  if [ -f config.status ]; then
    echo "quickstart.sh: this folder itself is configured, so that no other can be: run make distclean here first" >&2
    return 1
  fi
  mkdir -p "$dir"
  if needs_autoreconf; then
    say "writing configure"
    logged build/autoreconf.log autoreconf -fi || return 1
  fi
  if [ -f "$dir/config.status" ] && [ "$(cat "$dir/.quickstart-options" 2>/dev/null)" = "$*" ]; then
    return 0
  fi
  say "configuring $dir: $*"
  rm -f "$dir/.quickstart-options"
  (cd "$dir" && logged configure.log "$source_dir/configure" "$@") || return 1
  printf '%s\n' "$*" >"$dir/.quickstart-options"
}

# build_in NAME TARGETS...: make TARGETS in build/NAME; say so with the first thing that is really built.
build_in() {
  local dir=build/$1 log=build/$1/build.log
  shift
  if ! make -C "$dir" -j"$cores" V=0 "$@" 2>&1 | awk -v log_file="$log" -v dir="$dir" '
    BEGIN { printf "" >log_file }
    { print >log_file }
    /^  [A-Z]/ && !said { print "== building " dir; fflush(); said = 1 }'; then
    echo "quickstart.sh: this failed: make -C $dir $*" >&2
    tail -n 40 "$log" >&2
    echo "(all of it: $log)" >&2
    return 1
  fi
}

# --- testing

passed=0 failed=0 skipped=0

# count_results DIR: add the results that automake left in DIR, and show what failed.
count_results() {
  local dir=$1 file word
  while IFS= read -r file; do
    word=$(sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' "$file" | head -n 1)
    case $word in
      PASS | XFAIL) passed=$((passed + 1)) ;;
      SKIP)
        skipped=$((skipped + 1))
        printf 'skipped %s\n' "${file%.trs}: $(tail -n 2 "${file%.trs}.log" | head -n 1)"
        ;;
      *)
        failed=$((failed + 1))
        printf '\nFAILED %s (end of its log)\n' "${file%.trs}"
        tail -n 40 "${file%.trs}.log" || true
        ;;
    esac
  done < <(find "$dir" -name '*.trs' | sort)
}

# test_in NAME TARGET OPTIONS...: configure, build, run make TARGET in build/NAME. A build that fails counts as one
# failed test, and so does a run that fails although no test did.
test_in() {
  local name=$1 target=$2 dir=build/$1 before jobs code=0 programs=(check TESTS=)
  shift 2
  [ "$target" = check ] || programs=("$target-programs")
  if ! configure_in "$name" "$@" || ! build_in "$name" "${programs[@]}"; then
    failed=$((failed + 1))
    return 0
  fi
  find "$dir" -name '*.trs' -delete
  jobs=${QUICKSTART_TEST_JOBS:-$((cores < 2 ? 1 : 2))}
  say "testing in $dir ($target)"
  make -C "$dir" -k -j"$jobs" "$target" >"$dir/check.log" 2>&1 || code=$?
  before=$failed
  count_results "$dir"
  if [ "$code" -ne 0 ] && [ "$failed" -eq "$before" ]; then
    failed=$((failed + 1))
    echo "FAILED make $target in $dir, although no test failed (end of $dir/check.log)"
    tail -n 40 "$dir/check.log"
  fi
}

# closing_line: the totals of all runs; the status says whether all is well.
closing_line() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
}

# --- commands

# demo_table: JSON lines of runs, those without and with reorganisation together, to a table.
demo_table() {
  awk '
    function value(key,   text) {
      if (!match($0, "\"" key "\":(\"[^\"]*\"|\\[[^]]*\\]|[^,}]*)")) return ""
      text = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
      gsub(/["[\]]/, "", text)
      return text
    }
    function extents(   text) { text = value("n"); gsub(/,/, "x", text); return text }
    BEGIN {
      form = "%-22s %-9s %12s %9s %7s %9s  %-24s %s\n"
      printf form, "program", "order", "without, ms", "with, ms", "gain", "memcpies", "layout chosen", "verified"
    }
    value("planner") == "off" { without = value("steady_sweep_s"); good = value("verified"); next }
    {
      with = value("steady_sweep_s")
      good = good == "true" && value("verified") == "true" ? "yes" : "NO"
      printf form, value("program") " " extents(), value("order"), sprintf("%.2f", 1000 * without), sprintf("%.2f", 1000 * with),
        sprintf("%.2f", with > 0 ? without / with : 0), sprintf("%.2f", value("steady_to_memcpy")), value("layouts"), good
    }'
}

# demo_run PROGRAM ARGUMENTS: its line of JSON; what went wrong is told on standard error.
demo_run() {
  local program=build/demo/sor-bench/$1
  shift
  "$program" "$@" --verify --json || { echo "quickstart.sh: this failed: $program $* --verify --json" >&2; return 1; }
}

demo() {
  local code=0 order mode suffix= lines=build/demo/demo.json
  packages_for demo
  configure_in demo --enable-native --disable-static
  if ! grep -q '^#define HAVE_LIBCLANG 1' build/demo/config.h; then
    say "no libclang, so no dvmhcc: the demo runs the same programs with handlers written by hand"
    suffix=-record
  fi
  build_in demo "sor-bench/sor3d$suffix" "sor-bench/sor2d$suffix"
  say "successive over-relaxation, double; time of a sweep when it is steady, without and with reorganisation of the array"
  : >"$lines"
  for order in natural reversed; do
    for mode in off cost; do
      demo_run "sor2d$suffix" -n 2048 --order $order --planner $mode >>"$lines" || code=1
    done
    for mode in off cost; do
      demo_run "sor3d$suffix" -n 192 --order $order --planner $mode >>"$lines" || code=1
    done
  done
  demo_table <"$lines"
  echo "(gain: without / with; memcpies: the sweep with reorganisation in copies of the array by all threads)"
  return $code
}

case ${1-} in
  demo | test | test-tsan | --help | -h)
    if [ $# -gt 1 ]; then
      echo "quickstart.sh: unexpected argument '$2'; use: ./quickstart.sh demo | test | test-tsan | --help" >&2
      exit 2
    fi
    ;;
esac
case ${1-} in
  demo)
    demo
    ;;
  test)
    packages_for test
    static=--disable-static
    [ -z "${RTS_TEST_FULL-}" ] || static=--enable-static
    test_in test check --enable-werror $static
    test_in asan check-unit --enable-asan --enable-werror --disable-static --without-cuda
    closing_line
    ;;
  test-tsan)
    packages_for test-tsan
    test_in tsan check-unit --enable-tsan --disable-static --without-cuda
    closing_line
    ;;
  --help | -h)
    usage
    ;;
  *)
    echo "quickstart.sh: unknown command '${1-}'; use: ./quickstart.sh demo | test | test-tsan | --help" >&2
    exit 2
    ;;
esac
