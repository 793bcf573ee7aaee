#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the library's binary interface with the one that its version began with.
#
#	check_abi.sh BUILD
#
# Programs that were linked to a version must go on working with later ones of the same version
# (include/takt/common.h). The base is the last tag or, if there is none, the commit that abi_base
# names. It is built in BUILD-abi, and compared by abidiff of libabigail.
set -eu
cd "$(dirname "$0")/.."
build=$1
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
base=$(git describe --tags --abbrev=0 2>/dev/null || sed -n 's/^\([0-9a-f]\{40\}\)$/\1/p' tools/abi_base)
source=$build-abi/source
if [ "$(cat "$build-abi/base" 2>/dev/null)" != "$base" ]; then
	rm -rf "$build-abi"
	mkdir -p "$source"
	git archive "$base" | tar -x -C "$source"
	# The interface needs no module.
	meson setup "$build-abi/build" "$source" -Dllvm_config= >/dev/null
	meson compile -C "$build-abi/build" takt:shared_library >/dev/null
	echo "$base" >"$build-abi/base"
fi
echo "binary interface of $(git rev-parse --short "$base"), version $version, and of this tree:"
# A change that programs do not notice (a reserved field that got a name) is listed in
# abi_changes.ini, with the reason.
if ! abidiff --headers-dir1 "$source/include/takt" --headers-dir2 include/takt \
	--drop-private-types --no-added-syms --suppressions tools/abi_changes.ini \
	"$build-abi/build/libtakt.so" "$build/libtakt.so"; then
	echo "changed: undo it, list it in tools/abi_changes.ini if programs do not notice it, or" \
		"give meson.build and include/takt/common.h a new version" >&2
	exit 1
fi
echo "compatible"
