#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_bench.sh SECONDS DIR: configure, build and test tally from scratch in DIR, repeatedly for SECONDS.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
end=$(($(date +%s) + $1))

left() {
	now=$(date +%s)
	echo $((end > now ? end - now : 0))
}

while [ "$(left)" -gt 0 ]; do
	rm -rf "$2/build"
	meson setup "$2/build" "$root" --buildtype=debugoptimized
	timeout "$(left)" ninja -C "$2/build"
	[ "$(left)" = 0 ] || timeout "$(left)" meson test -C "$2/build" --no-rebuild
done >/dev/null 2>&1 </dev/null
rm -rf "$2/build"
