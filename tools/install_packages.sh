#!/bin/sh
# SPDX-License-Identifier: MIT
# install_packages.sh [LIST]: installs the packages of LIST, else of tools/packages.txt, that this
# Debian system lacks.
# Does nothing, and needs no root, when all are there.
set -eu
list=${1:-$(dirname "$0")/packages.txt}

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "note: not a Debian system; install what tools/packages.txt names by hand" >&2
	exit 0
fi

missing=
for package in $(sed 's/#.*//' "$list"); do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
	root=sudo
	command -v sudo >/dev/null 2>&1 || {
		echo "error: packages are missing:$missing" >&2
		echo "note: as root, run: apt-get install$missing" >&2
		exit 1
	}
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -q >&2
# shellcheck disable=SC2086 # the list is words
$root apt-get install -q -y --no-install-recommends $missing >&2
