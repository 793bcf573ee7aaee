#!/bin/sh
# SPDX-License-Identifier: MIT
# build_deb.sh FOLDER: builds Debian packages of the checked-out commit and puts them into FOLDER.
# The tests are not built: `make check` runs them, and tests/package those of the packages.
set -eu
mkdir -p "$1"
folder=$(realpath "$1")
tools=$(realpath "$(dirname "$0")")
# Debian's tools build Debian's packages, whatever else comes first on the user's path.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
scratch=$folder/work
rm -rf "$scratch"
mkdir "$scratch"
trap 'rm -rf "$scratch"' EXIT
archive=$("$tools/make_dist.sh" "$scratch")
name=$(basename "$archive" .tar.xz)
tar -C "$scratch" -xf "$archive"
# What Debian adds is in an archive of its own.
xz --decompress "$archive"
tar --delete --file="$scratch/$name.tar" "$name/debian"
xz --threads=1 "$scratch/$name.tar"
mv "$archive" "$scratch/takt_${name#takt-}.orig.tar.xz"
cd "$scratch/$name"
log=$folder/build.log
DEB_BUILD_OPTIONS="nocheck ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --no-sign >"$log" 2>&1 || {
	tail -n 40 "$log" >&2
	echo "error: the packages were not built; all of the output is in $log" >&2
	exit 1
}
rm -f "$folder"/*takt*.deb "$folder"/takt_*
cp "$scratch"/*.deb "$scratch"/takt_* "$folder"
ls "$folder"/*.deb
