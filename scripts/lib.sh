# SPDX-License-Identifier: BSD-2-Clause
# Functions and variables that the scripts share: packages, paths, build options.
# shellcheck shell=sh

root=$(cd "$(dirname "$0")/.." && pwd)
jobs=$(nproc)

# Debian 12 packages: needed for the build, also needed to build the tests, and used by each tier's checks if installed.
build_packages="gcc g++ libc6-dev meson ninja-build pkg-config libzstd-dev zlib1g-dev liblzma-dev libiberty-dev libncurses-dev libdw-dev libbz2-dev libdeflate-dev libcapstone-dev scdoc"
test_packages="libcmocka-dev python3"
quick_packages="clang-format universal-ctags linux-perf"
full_packages="binutils git xz-utils procps libcap2-bin passwd libpfm4 gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu gcc-arm-linux-gnueabi libc6-dev-i386 lib32gcc-12-dev qemu-system-misc qemu-system-arm cpio libc6-dev-arm64-cross tmux qemu-system-x86 qemu-user busybox-static musl-tools libxml2-utils python3-jsonschema chromium chromium-driver golang-go valgrind bsdutils clang man-db libbenchmark-dev abigail-tools doxygen debhelper dpkg-dev lintian debootstrap prometheus victoria-metrics"
demo_packages="$build_packages gzip xz-utils coreutils"

# Build options for each tier. The quick tier must not take long. UBSan's messages would take a third of the build time
# and two thirds of each program's startup time, so undefined behaviour traps instead, and ASan reports the line. -O1 is
# a compiler argument because meson resets its own option to the build type's default when it reconfigures.
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
		echo "$0: '$*' requires root, and sudo is not installed" >&2
		return 1
	fi
}

# missing_packages PACKAGE...: print the packages that are not installed.
missing_packages() {
	for package in "$@"; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
	done
}

# install_packages PACKAGE...: install packages.
install_packages() {
	echo "installing:" "$@"
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update -qq || return 1
	as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# install_missing PACKAGE...: install the packages that are not installed; fail if this is not possible.
install_missing() {
	missing=$(missing_packages "$@")
	# shellcheck disable=SC2086
	[ -z "$missing" ] || install_packages $missing
}

# install_available PACKAGE...: install the packages that are not installed, and print those that could not be installed.
# Checks that need them are skipped.
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
	[ -z "$missing" ] || echo "not installed; checks that need them are skipped:" $missing
	return 0
}

# setup_build DIR [OPTION...]: set up or reconfigure a build directory. If meson cannot reconfigure the directory, for
# example because an older commit created it, remove the directory and set it up again.
setup_build() {
	dir=$1
	shift
	# meson uses ccache if it is installed; these settings share objects between clones of the repository.
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

# debian_mirror: print the address of the Debian mirror that this system uses.
debian_mirror() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

# private_apt DIR ARCHITECTURE [RELEASE]: make apt use its own lists and cache in DIR, until this shell exits, and fetch
# the lists: of the system's releases, or of another one from the system's mirror.
private_apt() {
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	cat >"$1/apt.conf" <<-END
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
		Dir::State "$1";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
	END
	if [ -n "${3:-}" ]; then
		mirror=$(debian_mirror)
		[ -n "$mirror" ] || {
			echo "apt's lists name no Debian mirror; run apt-get update"
			return 1
		}
		keys=/usr/share/keyrings/debian-archive-keyring.gpg
		echo "deb [signed-by=$keys] $mirror $3 main" >"$1/sources.list"
		cat >>"$1/apt.conf" <<-END
			Dir::Etc::sourcelist "$1/sources.list";
			Dir::Etc::sourceparts "-";
			Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";
		END
	fi
	export APT_CONFIG="$1/apt.conf"
	apt-get update -qq
}

# fetch_and_unpack DIR: call the caller's fetch(), which puts packages into DIR/debs, and unpack them into DIR/root,
# which exists only if everything succeeded. Kernel packages contain many modules, which are not needed and therefore
# not unpacked.
fetch_and_unpack() {
	(fetch) >"$1/fetch.log" 2>&1 || {
		tail -n 5 "$1/fetch.log" >&2
		return 1
	}
	rm -rf "$1/unpacked"
	mkdir "$1/unpacked"
	for deb in "$1"/debs/*.deb; do
		case $deb in
		*/linux-image-* | */linux-binary-*)
			dpkg --fsys-tarfile "$deb" | tar -x -C "$1/unpacked" --exclude='./lib/modules' --exclude='./usr/lib/modules/*/kernel'
			;;
		*) dpkg -x "$deb" "$1/unpacked" ;;
		esac
	done
	rm -rf "$1/debs"
	mv "$1/unpacked" "$1/root"
}
