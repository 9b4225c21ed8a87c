#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_arm64.sh DIR SYSROOT: build tally, the recorder of the differential suite and the programs of
# tests/hardware/arm64 for arm64, statically linked, in DIR. SYSROOT is the directory that fetch_arm64.sh prints.
set -eu
. "$(dirname "$0")/lib.sh"

out=$1
sysroot=$2
mkdir -p "$out"
cat >"$out/cross.new" <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '$sysroot'
pkg_config_libdir = '$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig'
[built-in options]
c_args = ['-idirafter', '$sysroot/usr/include']
c_link_args = ['-L$sysroot/usr/lib/aarch64-linux-gnu']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
# Meson caches the locations of libraries, so another SYSROOT needs a new build directory.
cmp -s "$out/cross.new" "$out/cross.txt" || rm -rf "$out/build"
mv "$out/cross.new" "$out/cross.txt"
setup_build "$out/build" --cross-file "$out/cross.txt" --buildtype=release -Dstatic=true
ninja -C "$out/build" src/cli/tally tests/differential/differential-record tests/hardware/arm64/self-read \
	tests/hardware/arm64/loop tests/hardware/arm64/regions tests/hardware/arm64/work >"$out/ninja.log" 2>&1 || {
	grep -E "error|undefined|cannot find|FAILED" "$out/ninja.log" | cut -c -300 >&2
	exit 1
}
echo "built: $out/build/src/cli/tally"
