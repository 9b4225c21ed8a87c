#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh ROOT DIR: test the 64-bit words of core/atomic.h with each implementation of core/atomic64.h. Prints TAP.
set -u
root=$1
dir=$2
number=0
. "$root/tests/core/runner.sh"

# build FLAG... SOURCE...
build() {
	${CC:-gcc} -std=gnu11 -g -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-parameter \
		'-DTALLY_CORE_IRQ_HEADER="core/words/words_irq.h"' -I"$root/include" -I"$root/src" -I"$root/tests" \
		-pthread -o "$dir/words" "$@"
}

# try NAME THREADS FLAGS [SOURCE...]: skip the test if it cannot be built or run on this machine.
try() {
	number=$((number + 1))
	# words.c uses threads that are interrupted by signals.
	if ! can_run "$3" "$([ "${4-}" ] || echo threads)"; then
		echo "ok $number - $1 # SKIP $why"
		return
	fi
	# shellcheck disable=SC2086
	if build $3 "$root/tests/core/words/${4-words}.c" ${5+"$root/$5"} && run_program "$dir/words" "$2"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
	fi
}

echo 1..7
try "native" 3 ""
try "interrupts off, one CPU" 1 -DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_IRQ
try "a sequence, one CPU" 1 -DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_SEQUENCE
try "a sequence, several CPUs" 3 -DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_SEQUENCE
try "cmpxchg8b" 3 "-m32 -mno-sse"
try "a sequence on 32 bits" 3 "-m32 -DTALLY_CORE_ATOMIC64=TALLY_ATOMIC64_SEQUENCE"
try "shifts of 64 bits on 32" 1 "-m32 -ffreestanding -fno-tree-loop-distribute-patterns" shifts src/core/memory.c
