#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_x86.sh: what tests/hardware/ftrace.py needs of Debian's amd64 packages, unpacked under the directory that it
# prints: kernels of two ages (boot/) and busybox. They are fetched once; remove the directory to have them anew. Needs no
# rights, and changes nothing on the system.
set -eu
. "$(dirname "$0")/lib.sh"

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tally/x86
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

# The newest of a series is what the package named after the series depends on.
fetch() {
	rm -rf "$dir/debs"
	mkdir -p "$dir/debs"
	cd "$dir/debs"
	for series in linux-image-cloud-amd64 linux-image-6.12-cloud-amd64; do
		image=$(apt-cache depends "$series" | sed -n 's/^ *Depends: //p' | head -n 1)
		apt-get download -qq "$image"
	done
	apt-get download -qq busybox-static
}

mkdir -p "$dir"
fetch_and_unpack "$dir"
echo "$dir/root"
