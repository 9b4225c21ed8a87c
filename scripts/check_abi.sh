#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check_abi.sh [REF]: build the libraries of REF (default: the last release tag, v*) and of the working tree, and compare
# their interfaces with abidiff (Debian: abigail-tools). Fails if a program linked with the old libraries would not run
# correctly with the new ones, unless the SONAME is different. Exits with 77 if there is nothing to compare.
set -eu
. "$(dirname "$0")/lib.sh"

command -v abidiff >/dev/null || {
	echo "abidiff (Debian: abigail-tools) is not installed"
	exit 77
}
ref=${1-$(git -C "$root" describe --tags --abbrev=0 --match 'v*' 2>/dev/null)} || ref=
[ -n "$ref" ] || {
	echo "this clone has no release tag"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
git -C "$root" archive "$ref" | tar -x -C "$work/tree"

# build TREE DIR: build the shared libraries of a tree, with debug information.
build() {
	meson setup "$2" "$1" --buildtype=debugoptimized -Dtests=none >"$2.log" 2>&1 &&
		ninja -C "$2" libraries >>"$2.log" 2>&1 || {
		tail -n 20 "$2.log"
		return 1
	}
}
build "$work/tree" "$work/old"
build "$root" "$work/new"

failed=0
for old in "$work"/old/src/library/lib*.so; do
	name=$(basename "$old")
	new=$work/new/src/library/$name
	soname=$(basename "$(readlink "$old")")
	if [ ! -e "$new" ] || [ "$(basename "$(readlink "$new")")" != "$soname" ]; then
		echo "$soname: replaced by another SONAME"
		continue
	fi
	status=0
	abidiff --no-added-syms --drop-private-types --headers-dir1 "$work/tree/include/tally" \
		--headers-dir2 "$root/include/tally" "$old" "$new" >"$work/report" || status=$?
	if [ $status = 0 ]; then
		echo "$soname: compatible with $ref"
	else
		cat "$work/report"
		echo "$soname: programs linked with $ref would not run; restore the interface, or change the SONAME"
		failed=1
	fi
done
exit $failed
