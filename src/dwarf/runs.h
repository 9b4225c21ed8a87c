/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of spans, sorted by address. Runs do not overlap, so one search finds the run that contains
 * an address. Runs are stored in chunks, so inserting a run moves only other runs in the same
 * chunk.
 */
#ifndef TALLY_DWARF_RUNS_H
#define TALLY_DWARF_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Contiguous spans that were added consecutively: usually the spans of a function. */
struct tally_line_run {
	uint64_t start, end;
	uint32_t first, nr; /* index of the first span; number of spans */
};

struct tally_line_chunk;

/* An all-zero struct is empty. */
struct tally_line_runs {
	TALLY_VEC(struct tally_line_chunk *) chunks; /* no chunk is empty */
};

/* Return the last run that starts at or before `addr`, or NULL. `*ret_next` is the start of the
 * next run, or UINT64_MAX after the last run. The caller may extend the run up to that address. The
 * pointer is valid until a run is inserted. */
struct tally_line_run *tally_line_runs_before(const struct tally_line_runs *runs, uint64_t addr,
					      uint64_t *ret_next);

/* Insert a run that does not overlap any other. Returns 0, or -ENOMEM with nothing changed. */
int tally_line_runs_insert(struct tally_line_runs *runs, const struct tally_line_run *run);

void tally_line_runs_free(struct tally_line_runs *runs);

#endif
