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
echo 1..2
