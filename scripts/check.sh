#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check.sh [--full]: install missing packages, build with sanitizers, and run checks and tests. Without --full, only the
# tests of the tier "quick" run, which take minutes (tests/README.md). The last line is "N passed, N failed"; the exit
# status is 0 if all passed. Tests that this machine cannot run are skipped and listed.
set -u
. "$(dirname "$0")/lib.sh"

# build, options: the tests' build directory and its options. processors: targets for which the core is built
# standalone.
case $* in
'')
	tier=quick build=$root/build-check options=$quick_options
	packages=$quick_packages processors=$(uname -m)
	;;
--full)
	tier=full build=$root/build-full options=$full_options
	packages="$quick_packages $full_packages" processors="x86_64 aarch64 riscv64 i686 riscv32 armv7a cortex-m3 cortex-m4"
	;;
*)
	echo "usage: $0 [--full]" >&2
	exit 2
	;;
esac
passed=0
failed=0
skipped=0

skip() {
	skipped=$((skipped + 1))
	printf 'skipped: %s\n' "$1"
}

# check NAME COMMAND...: run a check and print its result. Status 77 means that the check was skipped; the last line of
# its output is the reason.
check() {
	name=$1
	shift
	output=$("$@" 2>&1)
	status=$?
	last=$(printf '%s\n' "$output" | tail -n 1)
	if [ $status = 0 ]; then
		passed=$((passed + 1))
		printf 'ok: %s: %s\n' "$name" "$last"
	elif [ $status = 77 ]; then
		skip "$name: $last"
	else
		failed=$((failed + 1))
		printf 'FAILED: %s\n' "$name"
		printf '%s\n' "$output" | tail -n 40
	fi
}

# with_git COMMAND..., with_ctags COMMAND...: run a check that needs git or Universal Ctags, or skip the check if that
# tool is missing.
with_git() {
	git -C "$root" ls-files >/dev/null 2>&1 || {
		echo "$root is not a git checkout, or git cannot read it"
		return 77
	}
	"$@"
}

with_ctags() {
	ctags --list-features 2>/dev/null | grep -q '^json' || {
		echo "Universal Ctags with JSON output is not installed"
		return 77
	}
	"$@"
}

# Formatting depends on the version of clang-format.
check_format() {
	version=$(clang-format --version 2>&1)
	case $version in
	*"version 14."*) ;;
	*)
		echo "the format needs clang-format 14; installed: $version"
		return 77
		;;
	esac
	cd "$root" || return 1
	git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' | grep . >/dev/null || return 1
	git ls-files -co --exclude-standard '*.c' '*.h' | xargs -n 50 -P "$jobs" clang-format --dry-run --Werror &&
		echo "all files are formatted"
}

build_with_sanitizers() {
	# shellcheck disable=SC2086
	setup_build "$build" $options || return 1
	if ! ninja -C "$build" >"$build/build.log" 2>&1; then
		grep -E "error|warning|undefined|FAILED" "$build/build.log"
		return 1
	fi
	echo "built with ASan and UBSan, no warnings"
}

# leaks_are_refused: true if LeakSanitizer does not work here. It uses ptrace, which some machines do not permit.
leaks_are_refused() {
	probe=$build/leak-probe
	echo 'int main(void) { return 0; }' | cc -fsanitize=address -x c -o "$probe" - &&
		ASAN_OPTIONS=detect_leaks=0 "$probe" && ! ASAN_OPTIONS=detect_leaks=1 "$probe"
}

run_tests() {
	leaks=1
	if output=$(leaks_are_refused 2>&1); then
		leaks=0
		skip "leak detection: $(printf '%s\n' "$output" | grep -m 1 Sanitizer)"
	fi
	export ASAN_OPTIONS=detect_leaks=$leaks
	rm -f "$build/meson-logs/testlog.json"
	TALLY_STRESS_SECONDS=${TALLY_STRESS_SECONDS:-60} meson test -C "$build" --no-rebuild --num-processes "$jobs" >"$build/tests.log" 2>&1
	# If there is no log, the tests did not start.
	counts=$(python3 "$root/scripts/count_tests.py" "$build") || {
		failed=$((failed + 1))
		tail -n 20 "$build/tests.log"
		return
	}
	printf '%s\n' "$counts" | head -n -1
	# shellcheck disable=SC2046
	set -- $(printf '%s\n' "$counts" | tail -n 1)
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# Tests of tracepoints need tracefs, so mount it if permitted.
if [ "$(id -u)" = 0 ] && [ ! -d /sys/kernel/tracing/events ]; then
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
fi

# shellcheck disable=SC2086
install_missing $build_packages $test_packages || {
	echo "FAILED: cannot install packages that the build of the tests needs:" $(missing_packages $build_packages $test_packages)
	echo "0 passed, 1 failed"
	exit 1
}
# shellcheck disable=SC2086
install_available $packages
check "dependency rules" python3 "$root/scripts/check_includes.py" "$root"
check "source tree" with_ctags python3 "$root/scripts/check_layers.py" "$root"
check "public headers" sh "$root/scripts/check_headers.sh" "$root"
check "format" with_git check_format
check "design coverage" python3 "$root/scripts/check_design_coverage.py" "$root"
check "ceilings" with_git with_ctags python3 "$root/scripts/check_ceilings.py" "$root"
check "documents" python3 "$root/scripts/check_docs.py" "$root"
check "English" python3 "$root/scripts/check_english.py" "$root"
check "schemas" python3 "$root/scripts/check_schemas.py" "$root"
before=$failed
check "build" build_with_sanitizers
if [ "$failed" -gt "$before" ]; then
	echo "$passed passed, $failed failed: no tests were run, because the build failed"
	exit 1
fi
for arch in $processors; do
	check "core alone, $arch" sh "$root/scripts/build_core.sh" "$arch" "$build"
done
check "core alone, with the classic ABI" sh "$root/scripts/build_core.sh" --classic "$(uname -m)" "$build"
if [ $tier = full ]; then
	check "core alone, with the classic ABI, 32 bits" sh "$root/scripts/build_core.sh" --classic riscv32 "$build"
	# With -Os, compilers call more functions in their run-time library.
	for arch in riscv32 cortex-m4; do
		check "core alone, with -Os, $arch" sh "$root/scripts/build_core.sh" "$arch" "$build" --add -Os
	done
	check "documentation of the public headers" python3 "$root/scripts/check_doxygen.py" "$root"
	check "interfaces of the libraries" with_git "$root/scripts/check_abi.sh"
	check "sizes of the core are up to date" python3 "$root/scripts/core_sizes.py" --check "$root" "$build/sizes"
fi
check "generated pages are up to date" python3 "$root/scripts/update_docs.py" --check "$root" "$build/src/cli/tally"
run_tests
[ "$skipped" = 0 ] || echo "$skipped skipped; the lines above give the reasons"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
