#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install what is missing, build with sanitizers, run every check and test. Ends with a line
# "N passed, N failed"; the exit status tells whether all passed.
set -u
. "$(dirname "$0")/lib.sh"

passed=0
failed=0

# check NAME COMMAND...: one check, its output shown.
check() {
	name=$1
	shift
	if output=$("$@" 2>&1); then
		passed=$((passed + 1))
		echo "ok: $name: $(echo "$output" | tail -n 1)"
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		echo "$output" | tail -n 40
	fi
}

check_format() {
	cd "$root" || return 1
	git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' | grep . >/dev/null || return 1
	git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format --dry-run --Werror &&
		echo "all files are formatted"
}

build_with_sanitizers() {
	setup_build "$root/build-check" --buildtype=debugoptimized -Dwerror=true \
		-Db_sanitize=address,undefined -Db_lundef=false || return 1
	if ! ninja -C "$root/build-check" >"$root/build-check/build.log" 2>&1; then
		grep -E "error|warning|undefined|FAILED" "$root/build-check/build.log"
		return 1
	fi
	echo "built with ASan and UBSan, no warnings"
}

run_tests() {
	export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:quarantine_size_mb=32 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	rm -f "$root/build-check/meson-logs/testlog.json"
	TALLY_STRESS_SECONDS=${TALLY_STRESS_SECONDS:-60} meson test -C "$root/build-check" --no-rebuild --num-processes "$jobs" 2>&1 | tail -n 60
	# No log: the tests did not even start.
	counts=$(python3 "$root/scripts/count_tests.py" "$root/build-check/meson-logs/testlog.json") || {
		failed=$((failed + 1))
		return
	}
	echo "$counts" | head -n -1
	set -- $(echo "$counts" | tail -n 1)
	passed=$((passed + $1))
	failed=$((failed + $2))
}

# Tracepoints are tested where we may mount what describes them.
if [ "$(id -u)" = 0 ] && [ ! -d /sys/kernel/tracing/events ]; then
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
fi

# shellcheck disable=SC2086
install_missing $check_packages || exit 1
check "include law" python3 "$root/scripts/check_includes.py" "$root"
check "laws of the house" python3 "$root/scripts/check_house.py" "$root"
check "public headers" sh "$root/scripts/check_headers.sh" "$root"
check "format" check_format
check "design coverage" python3 "$root/scripts/check_design_coverage.py" "$root"
check "ceilings" python3 "$root/scripts/check_ceilings.py" "$root"
check "documents" python3 "$root/scripts/check_docs.py" "$root"
check "schemas" python3 "$root/scripts/check_schemas.py" "$root"
for arch in x86_64 aarch64 riscv64 i686 riscv32 armv7a cortex-m3 cortex-m4; do
	check "core alone, $arch" sh "$root/scripts/build_core.sh" "$arch" "$root/build-check"
done
# Small code calls more of what a compiler has in its library.
for arch in riscv32 cortex-m4; do
	check "core alone and small, $arch" sh "$root/scripts/build_core.sh" "$arch" "$root/build-check" --add -Os
done
check "build" build_with_sanitizers
check "sizes of the core are fresh" python3 "$root/scripts/core_sizes.py" --check "$root" "$root/build-check/sizes"
check "generated pages are fresh" python3 "$root/scripts/update_docs.py" --check "$root" "$root/build-check/src/cli/tally"
run_tests
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
