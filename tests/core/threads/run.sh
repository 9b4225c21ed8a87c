#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh ROOT DIR [SECONDS [SEED]]: build the core and the threads host in DIR and run the stress test: with TSan, also
# with 64-bit words that consist of two; then for 32 bits with ASan and UBSan. Prints TAP. To run it for an hour:
# tests/core/threads/run.sh . /tmp 3600
set -u
root=$1
dir=$2
seconds=${3:-${TALLY_STRESS_SECONDS:-20}}
seed=${4:-1}
number=0
. "$root/tests/core/runner.sh"
two_words='-DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_SEQUENCE -DTALLY_CORE_IRQ_HEADER="core/threads/threads_irq.h"'
# The 64-bit kernel headers work for 32-bit builds as well.
bits32="-m32 -idirafter /usr/include/$(${CC:-gcc} -print-multiarch 2>/dev/null) -fsanitize=address,undefined -fno-sanitize-recover"

# stress NAME SECONDS FLAGS
stress() {
	number=$((number + 1))
	if ! can_run "$3" threads; then
		echo "ok $number - $1 # SKIP $why"
		return
	fi
	# shellcheck disable=SC2046,SC2086
	${CC:-gcc} -std=gnu11 -g -O1 -D_GNU_SOURCE -DTALLY_CORE_DEBUG '-DTALLY_CORE_DEBUG_HOOK="core/hook.h"' -Wall -Wextra -Werror \
		-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers $3 \
		-I"$root/include" -I"$root/src" -I"$root/tests" "$root"/tests/core/threads/*.c \
		$(sed "s|^|$root/src/|" "$root/src/core/sources.txt") -pthread -o "$dir/stress" || exit 1
	if TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" run_program "$dir/stress" "$2" "$seed" >"$dir/stress.log" 2>&1; then
		sed -n 's/^# /# /p' "$dir/stress.log"
		echo "ok $number - $1, $2 seconds, no finding"
	else
		sed 's/^/# /' "$dir/stress.log" | head -n 80
		echo "not ok $number - $1"
	fi
}

echo 1..4
quarter=$((seconds / 4 + 1))
stress "threads as CPUs" "$seconds" "-fsanitize=thread"
stress "and words of two halves" "$quarter" "-fsanitize=thread $two_words"
stress "on 32 bits" "$quarter" "$bits32"
stress "on 32 bits, and words of two halves" "$quarter" "$bits32 $two_words"
