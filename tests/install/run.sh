#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SOURCE: installs into a scratch folder, then builds the example against the
# installed header, library and pkg-config file, as a user would, and runs it.
set -eu
build=$1 source=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root" >/dev/null

pc=$(find "$root" -name takt.pc)
export PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR="$root"
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o "$root/count_cycles" "$source/examples/count_cycles.c" $(pkg-config --cflags --libs takt)
library=$(dirname "$(find "$root" -name libtakt.so)")
as "$source/examples/kernels/dot_product.s" -o "$root/kernel.o"
got=$(LD_LIBRARY_PATH="$library" "$root/count_cycles" SKX "$root/kernel.o")
echo "$got" | sed 's/^/# /'
case $got in
*4.00*) echo "ok 1 - the example, built against the installed library, finds 4.00 cycles" ;;
*) echo "not ok 1 - the example finds 4.00 cycles" ;;
esac
man=$(find "$root" -name 'takt-analyze.1')
if [ -n "$man" ]; then echo "ok 2 - man page installed"; else echo "not ok 2 - man page installed"; fi
# The command finds its modules by itself, also after all was moved.
unset LD_LIBRARY_PATH TAKT_MODULE_DIR
try() {
	command=$(find "$1" -path '*/bin/takt')
	got=$("$command" analyze --arch=SKX --no-sensitivity "$source/examples/kernels/dot_product.s" 2>&1) || true
	case $got in
	*"4.00 cycles per iteration on SKX"*) echo "ok $2 - $3" ;;
	*) echo "$got" | sed 's/^/# /'; echo "not ok $2 - $3" ;;
	esac
}
try "$root" 3 "the installed command runs, with its modules"
mkdir "$root/elsewhere"
find "$root" -mindepth 1 -maxdepth 1 ! -name elsewhere -exec mv {} "$root/elsewhere" ';'
try "$root/elsewhere" 4 "and in another folder"
case $(readelf -d "$(find "$root" -path '*/bin/takt')") in
*NEEDED*libtakt*) echo "not ok 5 - the command does not need the shared library" ;;
*) echo "ok 5 - the command does not need the shared library" ;;
esac
# Where LLVM's modules are, the program that runs them has to be beside them.
if [ -z "$(find "$root" -name takt-llvm.so)" ]; then echo "ok 6 - takt-assembler # SKIP no LLVM"
elif [ -x "$(find "$root" -name takt-llvm.so -printf '%h')/takt-assembler" ]; then
  echo "ok 6 - takt-assembler installed beside its modules"
else echo "not ok 6 - takt-assembler installed beside its modules"; fi
schema=$(find "$root" -path '*/share/takt/schemas/analyze.schema.json')
if [ -n "$schema" ]; then echo "ok 7 - schemas installed"; else echo "not ok 7 - schemas installed"; fi
completions=$(find "$root" -path '*/completions/takt' -o -path '*/site-functions/_takt' -o -path '*/takt.fish' | wc -l)
if [ "$completions" = 3 ]; then echo "ok 8 - completions installed"; else echo "not ok 8 - completions installed"; fi
# A kernel of the user's own includes the installed kernel.h.
kernels=$(find "$root" -path '*/share/takt/kernels')
cp "$kernels/adler32.c" "$root/own.c"
if got=$("$command" evaluate build "$root/evaluation" --small --kernels="$kernels" --kernel="$root/own.c" 2>&1); then
  echo "ok 9 - a kernel is built against the installed kernel.h"
else
  echo "$got" | sed 's/^/# /'; echo "not ok 9 - a kernel is built against the installed kernel.h"
fi
echo 1..9
