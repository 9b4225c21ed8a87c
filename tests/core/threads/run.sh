#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh ROOT DIR [SECONDS [SEED]]: build the core and the host of threads with TSan in DIR and
# run the stress. TAP. An hour by hand: tests/core/threads/run.sh . /tmp 3600
set -u
root=$1
dir=$2
seconds=${3:-${TALLY_STRESS_SECONDS:-20}}
seed=${4:-1}

echo 1..1
mkdir -p "$dir"
if ! echo 'int main(void) { return 0; }' | ${CC:-gcc} -x c -fsanitize=thread -o "$dir/probe" - 2>/dev/null; then
	echo "ok 1 - threads as CPUs # SKIP ${CC:-gcc} cannot build with -fsanitize=thread"
	exit 0
fi
abi="attr_size read sample_encode sample_fields"
# shellcheck disable=SC2046
${CC:-gcc} -std=gnu11 -g -O1 -fsanitize=thread -D_GNU_SOURCE -DTALLY_CORE_DEBUG -Wall -Wextra -Werror \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
	-I"$root/include" -I"$root/src" -I"$root/tests" "$root"/tests/core/threads/*.c "$root"/src/core/*.c \
	$(for name in $abi; do echo "$root/src/abi/$name.c"; done) -pthread -o "$dir/stress" || exit 1
if TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" "$dir/stress" "$seconds" "$seed" >"$dir/stress.log" 2>&1; then
	sed -n 's/^# /# /p' "$dir/stress.log"
	echo "ok 1 - threads as CPUs, $seconds seconds, no finding"
else
	sed 's/^/# /' "$dir/stress.log" | head -n 80
	echo "not ok 1 - threads as CPUs"
fi
