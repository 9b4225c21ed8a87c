#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing and make an optimized build/tally, build/tally-jevents, and the core for
# this processor as build/libtally-core.a.
set -eu
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086
install_missing $build_packages
setup_build "$root/build" --buildtype=release -Db_lto=true
ninja -C "$root/build" src/cli/tally src/jevents/tally-jevents >"$root/build/build.log" 2>&1 || {
	cat "$root/build/build.log" >&2
	exit 1
}
ln -sf src/cli/tally "$root/build/tally"
ln -sf src/jevents/tally-jevents "$root/build/tally-jevents"
arch=$(uname -m)
case $arch in
x86_64 | aarch64 | riscv64)
	"$root/scripts/build_core.sh" "$arch" "$root/build"
	ln -sf "libtally-core-$arch.a" "$root/build/libtally-core.a"
	;;
esac
echo "built: $root/build/tally"
