#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh ROOT DIR: test the core with each switch of tally/config.h off, and with all off, on 64 and 32 bits. TAP.
set -u
root=$1
dir=$2
number=0
. "$root/tests/core/runner.sh"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover"
bits32="-m32 -idirafter /usr/include/$(${CC:-gcc} -print-multiarch 2>/dev/null)"

# try NAME FLAGS: build and run the test, or skip it if this machine cannot run such binaries.
try() {
	number=$((number + 1))
	if ! can_run "$2 $sanitize"; then
		echo "ok $number - $1 # SKIP $why"
		return
	fi
	# shellcheck disable=SC2046,SC2086
	if ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -DTALLY_CORE_DEBUG -Wall -Wextra -Werror $sanitize \
		-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers $2 \
		'-DTALLY_CORE_DEBUG_HOOK="core/hook.h"' \
		-I"$root/include" -I"$root/src" -I"$root/tests" "$root/tests/core/switches/smoke.c" \
		$(ls "$root"/tests/core/minimal/least*.c) $(sed "s|^|$root/src/|" "$root/src/core/sources.txt") \
		-o "$dir/smoke" && run_program "$dir/smoke"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
	fi
}

echo 1..17
try "everything" ""
try "no inheritance" -DTALLY_CORE_INHERITANCE=0
try "no tracepoints" -DTALLY_CORE_TRACEPOINTS=0
try "no records of tasks" -DTALLY_CORE_SIDEBAND=0
try "samples of words" -DTALLY_CORE_SAMPLE_PARTS=0
try "no frequencies" -DTALLY_CORE_FREQUENCIES=0
try "no traps" -DTALLY_CORE_TRAPS=0
try "no users" -DTALLY_CORE_USERS=0
try "no counters for programs to read" -DTALLY_CORE_SELF_READ=0
try "no events of software" "-DTALLY_CORE_SOFTWARE_EVENTS=0 -DTALLY_CORE_TRACEPOINTS=0"
try "the older part of attrs" "-DTALLY_CORE_WHOLE_ATTR=0 -DTALLY_CORE_SAMPLE_PARTS=0 -DTALLY_CORE_TRAPS=0"
try "no words of refusals" -DTALLY_CORE_REASONS=0
try "nothing classic" -DTALLY_CORE_CLASSIC=0
try "one CPU" -DTALLY_CORE_SEVERAL_CPUS=0
try "one PMU" -DTALLY_CORE_SEVERAL_PMUS=0
try "small" -DTALLY_CORE_SMALL
try "small, on 32 bits" "$bits32 -DTALLY_CORE_SMALL"
