#!/bin/bash -eu
# SPDX-License-Identifier: MIT
# Builds the fuzz targets and their corpora as OSS-Fuzz wants them: in $OUT, each target
# beside the shared libraries that it needs. The environment is that of OSS-Fuzz's base-builder
# (CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, OUT, WORK), with the packages of
# tools/packages.txt, but for LLVM, and with zip.
cd "${SRC:-$(dirname "$0")/../../..}/takt" 2>/dev/null || cd "$(dirname "$0")/../../.."
build=${WORK:-/tmp}/takt-fuzz
engine="$LIB_FUZZING_ENGINE"
# Engines are C++ libraries; clang links C programs here.
case $engine in -fsanitize=*) ;; *) engine="$engine -lc++" ;; esac

rm -rf "$build"
meson setup "$build" -Dfuzz=true -Dfuzz_engine="$engine" -Dllvm_config= -Db_lundef=false \
	-Ddefault_library=static -Dc_link_args="-Wl,--disable-new-dtags,-rpath,'\$ORIGIN/lib'"
ninja -C "$build"

mkdir -p "$OUT/lib"
for target in "$build"/tests/fuzz/fuzz-*; do
	[ -f "$target" ] && [ -x "$target" ] || continue
	name=$(basename "$target")
	cp "$target" "$OUT/"
	(cd tests/fuzz/corpus && zip -q -r "$OUT/${name}_seed_corpus.zip" "${name#fuzz-}")
	# The machine that runs the targets has none of the libraries that this one installed.
	ldd "$target" | awk '/=> \// {print $3}' | grep -v -E '/(libc|libm|libdl|libpthread|librt|ld-linux)[.-]' |
		xargs -r cp -L -n -t "$OUT/lib"
done
