/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes between two sides of recordings of one event, and their significance.
 *
 *	ret = tally_diff_new(&options, &diff);
 *	ret = tally_diff_add(diff, &recording, &profile, event);    for each; then free the profile
 *	ret = tally_diff_evaluate(diff);
 *
 * Rows are identified by names, because two builds have nothing else in common. A row has a value
 * for each recording, which is a share or a time, and their mean for each side.
 * docs/internals/diff-statistics.md describes the statistics.
 *
 * Samples depend on those before them, so they are also compared by blocks of time. The profile
 * must therefore be made with TALLY_BY_LABEL, and with the tally_diff_clock_label() of each sample
 * as its label. It must not have a filter: samples that do not pass also count for the blocks.
 *
 * This module does not read files, sort rows or print. Not thread-safe.
 */
#ifndef TALLY_PROFILE_DIFF_H
#define TALLY_PROFILE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "profile/hist.h"
#include "profile/profile.h"

enum { TALLY_SIDE_A, TALLY_SIDE_B, TALLY_SIDES };

/* Metrics: the cost of a function itself (self), and with all its callees (total), where each
 * sample counts once. */
enum { TALLY_DIFF_SELF, TALLY_DIFF_TOTAL, TALLY_DIFF_NR_METRICS };

#define TALLY_NAME_NONE UINT32_MAX

struct tally_diff_options {
	unsigned keys; /* TALLY_KEY_COMM, _DSO, _SYMBOL; by_path requires _SYMBOL */
	bool by_path;  /* rows are whole callchains, with the rounds of recursions removed */
	/* Only samples that pass are in rows; the strings must outlive the diff. Shares are
	 * relative to these samples if `relative`, otherwise to all. */
	struct tally_profile_filter filter;
	bool relative;
	bool by_nr;    /* each sample counts as one, whatever its period */
	bool absolute; /* values are sums times the recording's `scale`, not shares */
	double same;   /* a row may be called unchanged within this fraction of its value */
};

/* Divides the time of one recording into blocks that grow with it, so that there are at most 64. */
struct tally_diff_clock {
	uint64_t first;
	unsigned level; /* number of times the block length was doubled */
	bool is_started;
};

/* Return the label of a sample at `time`, in ns. */
uint32_t tally_diff_clock_label(struct tally_diff_clock *clock, uint64_t time);

struct tally_diff_recording {
	uint32_t side;
	uint32_t input; /* a number assigned by the caller */
	double scale;   /* for absolute values: value of one unit of the period */
	struct tally_diff_clock clock;
	/* Set by tally_diff_add(). */
	uint64_t nr, period;
	double weight, squares;  /* sum of the weights, the base of shares; sum of their squares */
	double fine_nr, fine_ww; /* blocks with samples; sum of the squares of block weights */
	double wide_nr, wide_ww; /* the same for blocks four times as long */
};

enum tally_diff_verdict {
	TALLY_DIFF_UNKNOWN, /* undecided */
	TALLY_DIFF_FEW,     /* undecided, because there are too few samples */
	TALLY_DIFF_SAME,    /* unchanged up to `within` */
	TALLY_DIFF_GREW,
	TALLY_DIFF_SHRANK,
};

/* Change of a row's function, as far as samples show it. */
enum tally_diff_state {
	TALLY_DIFF_BOTH,        /* on both sides */
	TALLY_DIFF_NEW,         /* on side B only */
	TALLY_DIFF_GONE,        /* on side A only */
	TALLY_DIFF_INLINED_NOW, /* on side B as an inlined function only */
	TALLY_DIFF_WAS_INLINED, /* on side A as an inlined function only */
	TALLY_DIFF_MOVED_TO,    /* a function of this name is in another file on side B */
	TALLY_DIFF_MOVED_FROM,  /* the same on side A */
};

struct tally_diff_value {
	double mean[TALLY_SIDES];
	double period[TALLY_SIDES], nr[TALLY_SIDES]; /* over all recordings of the side */
	double noise;  /* half the width of the interval that contains the difference: in 19 of
	                * 20 comparisons this holds for all rows with enough samples; INFINITY:
	                * unknown */
	double within; /* upper bound of the difference, as a fraction of side A's value; or
	                * INFINITY */
	double p;      /* probability of such a difference without a change, for this row alone */
	enum tally_diff_verdict verdict;
};

struct tally_diff_row {
	uint32_t comm, file, symbol; /* ids in `names`, or TALLY_NAME_NONE */
	uint32_t path;  /* id in `paths` of an array of uint32_t, the ids of function names,
	                 * outermost first; or TALLY_NAME_NONE */
	uint32_t other; /* TALLY_DIFF_MOVED_*: a row with the function in the other file */
	uint32_t first; /* index + 1 of its first cell */
	uint8_t cpumode;
	uint8_t seen[TALLY_SIDES]; /* how its function appeared on stacks: see diff_private.h */
	enum tally_diff_state state;
	struct tally_diff_value values[TALLY_DIFF_NR_METRICS];
};

/* Sums of one row in one recording. */
struct tally_diff_sum {
	double weight, period, nr, squares;
	/* Over blocks, and over longer ones: sums of squares, and of products with the weight of
	 * the block. */
	double fine_xx, fine_xw, wide_xx, wide_xw;
};

struct tally_diff_cell {
	uint32_t recording, next; /* index + 1 of the row's next cell; 0 ends the list */
	struct tally_diff_sum sums[TALLY_DIFF_NR_METRICS];
};

struct tally_diff {
	struct tally_diff_options options;
	struct tally_intern names, paths, keys;
	TALLY_VEC(struct tally_diff_recording) recordings;
	TALLY_VEC(struct tally_diff_row) rows;
	TALLY_VEC(struct tally_diff_cell) cells;
	bool has_paths;              /* all recordings have callchains, so totals are meaningful */
	bool has_some_paths;         /* some recordings have callchains */
	uint64_t nr_of[TALLY_SIDES]; /* number of recordings */
	uint64_t judged[TALLY_DIFF_NR_METRICS]; /* rows that share the error probability */
};

/* Create a diff. Returns 0 or -ENOMEM. */
int tally_diff_new(const struct tally_diff_options *options, struct tally_diff **ret_diff);
void tally_diff_free(struct tally_diff *diff);

/* Add the samples of event number `event` of a finished profile. `recording` contains the side, the
 * scale and the clock. Returns 0 or -ENOMEM; after an error the diff can only be freed. */
int tally_diff_add(struct tally_diff *diff, const struct tally_diff_recording *recording,
		   struct tally_profile *profile, uint32_t event);

/* Compute values, states and verdicts of all rows. Returns 0 or -ENOMEM. */
int tally_diff_evaluate(struct tally_diff *diff);

/* Return the value of a row in one recording. */
double tally_diff_value_of(const struct tally_diff *diff, const struct tally_diff_row *row,
			   uint32_t recording, int measure);

/* Return a name of a row; NULL for TALLY_NAME_NONE. */
const char *tally_diff_name(const struct tally_diff *diff, uint32_t name);

#endif
