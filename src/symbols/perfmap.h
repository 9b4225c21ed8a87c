/* SPDX-License-Identifier: BSD-2-Clause */
/* perf-PID.map, what JIT compilers write: "start size name" a line, both in hex. */
#ifndef TALLY_SYMBOLS_PERFMAP_H
#define TALLY_SYMBOLS_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "symbols/jit.h"

/* Add the whole lines of `len` bytes to `jit`; with `is_last` also what follows the last of them,
 * else `*ret_used` bytes need not come again. Lines that make no sense are left out and counted in
 * `jit`, and `err` (may be NULL) speaks of the first. Copies what it keeps. 0 or -ENOMEM. */
int tally_perfmap_parse(const char *data, size_t len, bool is_last, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err);

#endif
