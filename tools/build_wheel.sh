#!/bin/sh
# SPDX-License-Identifier: MIT
# build_wheel.sh BUILD PYTHON [FOLDER]: packs the library of a build directory into a wheel of the
# Python package, in FOLDER, or else in BUILD/wheel. Nothing is written into the tree.
set -eu
build=$(realpath "$1") python=$2
folder=${3:-$build/wheel}
"$python" -c 'import cffi, setuptools, wheel' 2>/dev/null || {
	echo "$python lacks cffi, setuptools or wheel: 'pip install cffi setuptools wheel' adds them," >&2
	echo "and 'make wheel PYTHON=/usr/bin/python3' takes Debian's Python, which has them" >&2
	exit 1
}
source=$(realpath "$(dirname "$0")/../python")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"
folder=$(realpath "$folder")
# setuptools writes beside its sources.
cp -r "$source" "$scratch/python"
ln -s "$source/../include" "$scratch/include"
cd "$scratch/python"
TAKT_BUILD=$build "$python" -B setup.py --quiet bdist_wheel --dist-dir "$folder" >"$scratch/log" 2>&1 || {
	cat "$scratch/log" >&2
	exit 1
}
ls "$folder"/takt-*.whl
