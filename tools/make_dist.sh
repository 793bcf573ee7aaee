#!/bin/sh
# SPDX-License-Identifier: MIT
# make_dist.sh FOLDER: writes FOLDER/takt-VERSION.tar.xz, the sources of the checked-out commit. The
# same commit gives the same bytes, whatever the folder, the user, the time and git's configuration.
set -eu
folder=$1
cd "$(dirname "$0")/.."
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
# The folder may be another user's, as in a container: whoever runs this trusts it.
git() { command git -c safe.directory="$PWD" "$@"; }
if ! git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
	echo "error: no git repository: the archive is made of a commit" >&2
	echo "note: these sources may have come from such an archive already" >&2
	exit 1
fi
git diff --quiet HEAD || echo "note: changes that are not committed are left out" >&2
mkdir -p "$folder"
archive=$folder/takt-$version.tar.xz
# A pipe would hide a failure of git.
trap 'rm -f "$archive.tar" "$archive.new"' EXIT
git -c tar.umask=0022 archive --format=tar --prefix="takt-$version/" --output="$archive.tar" HEAD
XZ_OPT= XZ_DEFAULTS= xz --threads=1 -6 --stdout "$archive.tar" >"$archive.new"
mv "$archive.new" "$archive"
echo "$archive"
