#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install missing packages and build optimized programs: build/tally, build/tally-jevents and build/jevents, and the
# core for this processor, build/libtally-core.a.
#   --install PREFIX   also install everything: programs, libraries, headers, pkg-config files, documents
#   --static [DIR]     instead build DIR/tally, a single stripped file that needs no shared libraries (docs/static.md);
#                      DIR is build-static by default
set -eu
. "$(dirname "$0")/lib.sh"

prefix=
static=
case $#:${1-} in
0:) ;;
2:--install) prefix=${2:?--install needs a directory} ;;
1:--static) static=$root/build-static ;;
2:--static) static=$2 ;;
*)
	echo "usage: build.sh [--install PREFIX | --static [DIR]]" >&2
	exit 2
	;;
esac
case $prefix in
'' | /*) ;;
*) prefix=$(pwd)/$prefix ;;
esac

if [ -n "$prefix" ]; then
	as_needed=
	[ -w "$prefix" ] || mkdir -p "$prefix" 2>/dev/null || as_needed=as_root
	$as_needed mkdir -p "$prefix"
fi
# shellcheck disable=SC2086
install_missing $build_packages
if [ -n "$static" ]; then
	setup_build "$static" --buildtype=release -Db_lto=true -Dtests=none -Dlibrary=false -Dstatic=true
	ninja -C "$static" src/cli/tally >"$static/build.log" 2>&1 || {
		cat "$static/build.log" >&2
		exit 1
	}
	strip -o "$static/tally" "$static/src/cli/tally"
	echo "built: $static/tally"
	exit 0
fi
setup_build "$root/build" --buildtype=release -Db_lto=true --prefix "${prefix:-/usr/local}"
targets="src/cli/tally src/jevents/tally-jevents src/jevents/jevents"
# "all" would also build the test and benchmark programs, which are not installed.
[ -z "$prefix" ] || targets="$targets libraries documents"
# shellcheck disable=SC2086
ninja -C "$root/build" $targets >"$root/build/build.log" 2>&1 || {
	cat "$root/build/build.log" >&2
	exit 1
}
ln -sf src/cli/tally "$root/build/tally"
ln -sf src/jevents/tally-jevents "$root/build/tally-jevents"
ln -sf src/jevents/jevents "$root/build/jevents"
arch=$(uname -m)
case $arch in
x86_64 | aarch64 | riscv64)
	"$root/scripts/build_core.sh" "$arch" "$root/build"
	ln -sf "libtally-core-$arch.a" "$root/build/libtally-core.a"
	;;
esac
echo "built: $root/build/tally"
if [ -n "$prefix" ]; then
	$as_needed meson install -C "$root/build" --no-rebuild >"$root/build/install.log"
	echo "installed: $prefix"
	# The dynamic linker finds the libraries in its cache, which only root can write.
	[ "$(id -u)" != 0 ] && [ -z "$as_needed" ] || $as_needed ldconfig
	libdir=$(sed -n 's|^Installing .*/tally\.pc to \(.*\)/pkgconfig$|\1|p' "$root/build/install.log")
	case $(PATH=$PATH:/sbin ldconfig -p) in
	*" => $libdir/libtally.so.0"*) ;;
	*)
		echo "To build and run programs with libtally:"
		echo "  export PKG_CONFIG_PATH='$libdir/pkgconfig' LD_LIBRARY_PATH='$libdir'"
		;;
	esac
fi
