#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_riscv64.sh: fetch and unpack the riscv64 libraries of Debian to link tally with, for tests/hardware/cross.py.
# Debian has riscv64 since release 13, so these packages are from that release. They are linked with the cross compiler's
# libc: the linker of release 12 crashes on the libc of release 13. Prints the directory. The packages are fetched once;
# remove the directory to fetch them again. Needs no privileges and does not change the system: apt uses its own lists in
# the cache directory.
set -eu
. "$(dirname "$0")/lib.sh"

release=trixie
packages="zlib1g-dev libzstd-dev liblzma-dev libiberty-dev libncurses-dev"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests
dir=$cache/riscv64-$(cksum <"$0" | cut -d ' ' -f 1) # another version of this script fetches again
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

rm -rf "$cache"/riscv64-*
mkdir -p "$dir/debs"

fetch() {
	# shellcheck disable=SC2086
	private_apt "$dir/apt" riscv64 "$release" && cd "$dir/debs" && apt-get download -qq $packages
}

fetch_and_unpack "$dir"
rm -rf "$dir/apt"
echo "$dir/root"
