#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch_x86.sh: fetch and unpack the amd64 packages of Debian that tests/hardware/ftrace_kernel.py needs: an older and a newer
# kernel (boot/), and busybox. Prints the directory. The packages are fetched once; remove the directory to fetch them
# again. Needs no privileges and does not change the system.
set -eu
. "$(dirname "$0")/lib.sh"

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tally-tests/x86
if [ -d "$dir/root" ]; then
	echo "$dir/root"
	exit 0
fi

# The package named after a series depends on the newest kernel in that series.
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
