#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing and make an optimized build/tally.
set -eu
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2086
install_missing $build_packages
setup_build "$root/build" --buildtype=release -Db_lto=true
ninja -C "$root/build" src/cli/tally >"$root/build/build.log" 2>&1 || {
	cat "$root/build/build.log" >&2
	exit 1
}
ln -sf src/cli/tally "$root/build/tally"
echo "built: $root/build/tally"
