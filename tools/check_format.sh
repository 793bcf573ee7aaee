#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that clang-format would change no C or C++ file. With --fix, lets it change them.
set -eu
cd "$(dirname "$0")/.."
mode=${1:---check}
case $mode in
--check) set -- --dry-run --Werror ;;
--fix) set -- -i ;;
*)
	echo "usage: tools/check_format.sh [--fix]" >&2
	exit 2
	;;
esac
# Another version lays some lines out differently; this is Debian 12's.
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
	echo "clang-format is version $version; the tree is formatted by version 14" >&2
	exit 2
fi
git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format "$@"
