#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_kernels.sh: fetch and unpack the amd64 kernels of Debian's oldest and newest releases, which this machine's own
# release does not have, for tests/hardware/kernels.py. Prints the directory; the kernels are
# boot/vmlinuz-*. They are fetched
# once; remove the directory to fetch them again. Needs no privileges and does not change the system: apt uses its own
# lists in the cache directory, and the mirror from the system's lists.
set -eu
. "$(dirname "$0")/lib.sh"

releases="bullseye sid" # releases that the mirror no longer has are left out
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests
dir=$cache/kernels-$(cksum <"$0" | cut -d ' ' -f 1) # another version of this script fetches again
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

rm -rf "$cache"/kernels-*
mkdir -p "$dir/debs"

# The metapackage depends on the newest kernel. In newer releases, the image's package depends on another one that
# contains the image.
depends() {
	apt-cache depends "$1" | sed -n "s/^ *Depends: \($2-[0-9].*\)/\1/p" | head -n 1
}

fetch_release() {
	private_apt "$dir/apt-$1" amd64 "$1" || return 1
	image=$(depends linux-image-cloud-amd64 linux-image)
	[ -n "$image" ] || return 1
	binary=$(depends "$image" linux-binary)
	cd "$dir/debs" && apt-get download -qq "${binary:-$image}"
}

fetch() {
	for release in $releases; do
		(fetch_release "$release") || echo "no kernel of $release"
	done
	ls "$dir"/debs/*.deb
}

fetch_and_unpack "$dir"
# Newer releases have the kernel among its modules.
for image in "$dir"/root/usr/lib/modules/*/vmlinuz; do
	[ ! -e "$image" ] || mv "$image" "$dir/root/boot/vmlinuz-$(basename "$(dirname "$image")")"
done
rm -rf "$dir"/apt-*
echo "$dir/root"
