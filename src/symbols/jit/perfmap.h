/* SPDX-License-Identifier: BSD-2-Clause */
/* perf-PID.map files, as written by JIT compilers: lines of "start size name" with hexadecimal
 * numbers. */
#ifndef TALLY_SYMBOLS_JIT_PERFMAP_H
#define TALLY_SYMBOLS_JIT_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "symbols/jit/jit.h"

/* Add the complete lines in the `len` bytes to `jit`. If `is_last` is set, also add an incomplete
 * last line. `*ret_used` is the number of bytes that were consumed and must not be passed again.
 * Malformed lines are skipped and counted in `jit`; `err` (may be NULL) describes the first one.
 * The bytes are not referenced afterwards. Returns 0 or -ENOMEM. */
int tally_perfmap_parse(const char *data, size_t len, bool is_last, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err);

#endif
