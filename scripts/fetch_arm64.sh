#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_arm64.sh: what tests/hardware/arm64.py needs of Debian's arm64 packages, unpacked under the directory that
# it prints: a kernel (boot/), busybox, libraries to link tally with, and perf with the libraries that it wants. They are
# fetched once; remove the directory to have them anew. Needs no rights, and changes nothing on the system: apt
# works on lists of its own.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=linux-image-6.12-cloud-arm64 # means the newest of 6.12
libraries="zlib1g-dev libzstd-dev liblzma-dev libiberty-dev libncurses-dev"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tally
dir=$cache/arm64-$(cksum <"$0" | cut -d ' ' -f 1) # what another version of this script fetched will not do
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

rm -rf "$cache"/arm64-*
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs"
: >"$dir/apt/status"
cat >"$dir/apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Dir::State "$dir/apt";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
END
export APT_CONFIG="$dir/apt/apt.conf"

# Without a network apt-get update only warns.
fetch() {
	apt-get update -qq &&
		image=$(apt-cache depends "$kernel" | sed -n 's/^ *Depends: //p') && [ -n "$image" ] &&
		apt-get install -qq -y --download-only linux-perf &&
		mv "$dir"/apt/cache/archives/*.deb "$dir/debs" && cd "$dir/debs" &&
		# shellcheck disable=SC2086
		apt-get download -qq "$image" busybox-static $libraries
}

fetch_and_unpack "$dir"
rm -rf "$dir/apt"
echo "$dir/root"
