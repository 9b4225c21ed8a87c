# SPDX-License-Identifier: BSD-2-Clause
# Shared by the scripts: what has to be installed, and where things are.
# shellcheck shell=sh

root=$(cd "$(dirname "$0")/.." && pwd)
jobs=$(nproc)

# What building takes, what building the tests takes beyond that, and what checks of the tiers use where it is there:
# Debian 12 package names.
build_packages="gcc g++ libc6-dev meson ninja-build pkg-config libzstd-dev zlib1g-dev liblzma-dev libiberty-dev libncurses-dev libdw-dev libbz2-dev libdeflate-dev libcapstone-dev scdoc"
test_packages="libcmocka-dev python3"
quick_packages="clang-format universal-ctags linux-perf"
full_packages="binutils git xz-utils procps libcap2-bin passwd libpfm4 gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu gcc-arm-linux-gnueabi libc6-dev-i386 lib32gcc-12-dev qemu-system-misc qemu-system-arm cpio libc6-dev-arm64-cross tmux qemu-system-x86 musl-tools libxml2-utils python3-jsonschema chromium chromium-driver golang-go valgrind bsdutils clang man-db"
demo_packages="$build_packages gzip xz-utils coreutils"

# How the tests of each tier are built. Quick has to take little time: the texts of UBSan would take a third of the build
# and two thirds of each start of a program, so undefined behaviour is a trap there, which ASan reports with its line. -O1 is
# an argument of the compiler because meson, when it sets up again, resets its own option to that of the build type.
sanitized="-Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false"
quick_arguments="['-O1','-g1','-fsanitize-undefined-trap-on-error']"
quick_options="--buildtype=plain -Dc_args=$quick_arguments -Dc_link_args=$quick_arguments -Dlibrary=false -Dtests=quick $sanitized"
full_options="--buildtype=debugoptimized -Dtests=full $sanitized"

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "$0: '$*' needs root, and there is no sudo" >&2
		return 1
	fi
}

# Print those of the packages that are not installed.
missing_packages() {
	for package in "$@"; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
	done
}

# Install packages that are not there.
install_packages() {
	echo "installing:" "$@"
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update -qq || return 1
	as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Install those of the packages that are not there; without all of them nothing can be built.
install_missing() {
	missing=$(missing_packages "$@")
	# shellcheck disable=SC2086
	[ -z "$missing" ] || install_packages $missing
}

# Install those of the packages that are not there, and print which could not be: what needs them is skipped.
install_available() {
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	# shellcheck disable=SC2086
	if ! install_packages $missing && as_root true 2>/dev/null; then
		for package in $missing; do
			as_root apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1
		done
	fi
	missing=$(missing_packages "$@")
	# shellcheck disable=SC2086
	[ -z "$missing" ] || echo "not installed, and what needs them is skipped:" $missing
	return 0
}

# Set up or take up a build directory; one that an older commit left and that meson cannot
# take up is made anew.
setup_build() {
	dir=$1
	shift
	# Where ccache is installed meson takes it: objects are shared by clones.
	export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR=1
	if [ -f "$dir/build.ninja" ] && meson setup --reconfigure "$dir" "$root" "$@" >"$dir.log" 2>&1; then
		return 0
	fi
	rm -rf "$dir"
	meson setup "$dir" "$root" "$@" >"$dir.log" 2>&1 || {
		cat "$dir.log" >&2
		return 1
	}
}

# The caller's fetch() puts packages into DIR/debs; what is in them goes to DIR/root, whole or not at all.
# Of a kernel the modules are left out: they are not needed, and there are many.
fetch_and_unpack() {
	(fetch) >"$1/fetch.log" 2>&1 || {
		tail -n 5 "$1/fetch.log" >&2
		return 1
	}
	rm -rf "$1/unpacked"
	mkdir "$1/unpacked"
	for deb in "$1"/debs/*.deb; do
		case $deb in
		*/linux-image-*) dpkg --fsys-tarfile "$deb" | tar -x -C "$1/unpacked" ./boot ;;
		*) dpkg -x "$deb" "$1/unpacked" ;;
		esac
	done
	rm -rf "$1/debs"
	mv "$1/unpacked" "$1/root"
}
