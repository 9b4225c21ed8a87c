#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build_cross.sh ARCHITECTURE DIR SYSROOT [TARGET...]: build tally for arm64 or riscv64, statically linked, in DIR/build,
# and also other targets of meson. SYSROOT is the directory that fetch_ARCHITECTURE.sh prints.
set -eu
. "$(dirname "$0")/lib.sh"

arch=$1
out=$2
sysroot=$3
shift 3
case $arch in
arm64) processor=aarch64 ;;
riscv64) processor=riscv64 ;;
*)
	echo "build_cross.sh: unknown architecture '$arch'; use arm64 or riscv64" >&2
	exit 2
	;;
esac
gnu=$processor-linux-gnu
libraries=$sysroot/usr/lib/$gnu

mkdir -p "$out"
cat >"$out/cross.new" <<END
[binaries]
c = '$gnu-gcc'
ar = '$gnu-ar'
strip = '$gnu-strip'
pkgconfig = 'pkg-config'
[properties]
sys_root = '$sysroot'
pkg_config_libdir = '$libraries/pkgconfig'
[built-in options]
c_args = ['-idirafter', '$sysroot/usr/include']
c_link_args = ['-L$libraries']
[host_machine]
system = 'linux'
cpu_family = '$processor'
cpu = '$processor'
endian = 'little'
END
# Meson caches the locations of libraries, so another SYSROOT needs a new build directory.
cmp -s "$out/cross.new" "$out/cross.txt" || rm -rf "$out/build"
mv "$out/cross.new" "$out/cross.txt"
setup_build "$out/build" --cross-file "$out/cross.txt" --buildtype=release -Dstatic=true
ninja -C "$out/build" src/cli/tally "$@" >"$out/ninja.log" 2>&1 || {
	grep -E "error|undefined|cannot find|FAILED" "$out/ninja.log" | cut -c -300 >&2
	exit 1
}
echo "built: $out/build/src/cli/tally"
