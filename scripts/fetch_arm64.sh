#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_arm64.sh: fetch and unpack the arm64 packages of Debian that tests/hardware/arm64*.py need: a kernel (boot/),
# busybox, libraries to link tally with, and perf with its libraries. Prints the directory. The packages are fetched once;
# remove the directory to fetch them again. Needs no privileges and does not change the system: apt uses its own lists in
# the cache directory.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=linux-image-6.12-cloud-arm64 # depends on the newest kernel of 6.12
libraries="zlib1g-dev libzstd-dev liblzma-dev libiberty-dev libncurses-dev"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests
dir=$cache/arm64-$(cksum <"$0" | cut -d ' ' -f 1) # another version of this script fetches again
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

rm -rf "$cache"/arm64-*
mkdir -p "$dir/debs"

# Without a network connection, apt-get update only prints warnings, but the next command fails.
fetch() {
	private_apt "$dir/apt" arm64 &&
		image=$(apt-cache depends "$kernel" | sed -n 's/^ *Depends: //p') && [ -n "$image" ] &&
		apt-get install -qq -y --download-only linux-perf &&
		mv "$dir"/apt/cache/archives/*.deb "$dir/debs" && cd "$dir/debs" &&
		# shellcheck disable=SC2086
		apt-get download -qq "$image" busybox-static $libraries
}

fetch_and_unpack "$dir"
rm -rf "$dir/apt"
echo "$dir/root"
