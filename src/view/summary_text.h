/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a profile: what was measured, the top functions, source lines and threads. It
 * fits on one screen. The browser prints it when it ends, and 'tally report' prints it if there is
 * no terminal.
 */
#ifndef TALLY_VIEW_SUMMARY_TEXT_H
#define TALLY_VIEW_SUMMARY_TEXT_H

#include <stdbool.h>

#include "view/top_lists.h"

/* With fewer samples than this, a share may be wrong by several percentage points. */
enum { TALLY_FEW_SAMPLES = 100 };

struct tally_summary {
	const char *name;       /* of the recording; not escaped */
	const char *event_name; /* not escaped */
	bool is_time;           /* weights are in ns */
	bool has_chains;
	bool inlined_apart; /* inlined functions have costs of their own */
	bool is_temporary;  /* the recording is not kept in a file */
	bool is_own_code;   /* functions of others are folded into their callers */
	bool is_partial;    /* the selection is not the whole event */
	uint64_t nr, period;
	uint64_t whole;       /* period that corresponds to 100 % */
	uint64_t all;         /* period of all samples of the event */
	bool is_narrow;       /* `all` has only the chosen times, CPUs and tasks */
	uint64_t first, last; /* times of the first and the last sample in ns, or 0 */
	const char *health;   /* health lines without comment marks; the first one is shown */
	size_t columns;       /* maximum width of a line */
	bool has_footnotes;   /* names that do not fit are also shown whole, below */
	bool whole_names;     /* names may be wider than their columns */
};

/* Append "2.35 s of CPU in 5.10 s, 46% of a CPU; 4 threads; 1234 samples of cpu-clock". The time
 * of idle tasks is not included. */
void tally_summary_headline(const struct tally_summary *summary,
			    const struct tally_top_lists *lists, struct tally_str *out);

/* Return the heading of a list of functions by self cost. */
const char *tally_self_heading(bool inlined_apart);

/* Append the whole summary. */
void tally_summary_text(const struct tally_summary *summary, const struct tally_top_lists *lists,
			struct tally_str *out);

#endif
