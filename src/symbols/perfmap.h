/* SPDX-License-Identifier: BSD-2-Clause */
/* perf-PID.map, what JIT compilers write: "start size name" a line, both in hex. */
#ifndef TALLY_SYMBOLS_PERFMAP_H
#define TALLY_SYMBOLS_PERFMAP_H

#include <stddef.h>

#include "base/error.h"
#include "symbols/table.h"

/* Parse `len` bytes and finish `table` (which must be empty). Malformed lines are left out, as
 * a JIT may be writing still; their number is `*ret_skipped` and `err` (both may be NULL)
 * speaks of the first. Copies what it keeps. 0 or -ENOMEM. */
int tally_perfmap_parse(const char *data, size_t len, struct tally_symtab *table,
			size_t *ret_skipped, struct tally_error *err);

#endif
