#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD SECONDS: each libFuzzer target for so long, from its committed corpus.
# New inputs stay in BUILD; crashes stop the run and lie in the current folder.
set -eu
build=$1 seconds=$2
here=$(dirname "$0")
for target in "$build"/tests/fuzz/fuzz-*; do
	[ -x "$target" ] && [ -f "$target" ] || continue
	name=$(basename "$target")
	mkdir -p "$build/corpus/$name"
	echo "$name: $seconds s" >&2
	"$target" -max_total_time="$seconds" -print_final_stats=1 -rss_limit_mb=4096 \
		"$build/corpus/$name" "$here/corpus/${name#fuzz-}"
done
