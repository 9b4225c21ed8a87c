/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of spans in the order of their addresses. No two runs overlap, so one look finds the run of
 * an address. Runs are kept in chunks: inserting one moves the others of its chunk alone.
 */
#ifndef TALLY_DWARF_RUNS_H
#define TALLY_DWARF_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Spans that were added one after the other and follow each other: mostly those of a function. */
struct tally_line_run {
	uint64_t start, end;
	uint32_t first, nr; /* of the spans */
};

struct tally_line_chunk;

/* All zero is empty. */
struct tally_line_runs {
	TALLY_VEC(struct tally_line_chunk *) chunks; /* none is empty */
};

/* The last run that starts at or before `addr`, or NULL. `ret_next` is where the run after it
 * starts, UINT64_MAX if there is none. A caller may move the run's end up to there. Valid until a
 * run is inserted. */
struct tally_line_run *tally_line_runs_before(const struct tally_line_runs *runs, uint64_t addr,
					      uint64_t *ret_next);

/* Insert a run that overlaps no other one. 0 or -ENOMEM, nothing changed. */
int tally_line_runs_insert(struct tally_line_runs *runs, const struct tally_line_run *run);

void tally_line_runs_free(struct tally_line_runs *runs);

#endif
