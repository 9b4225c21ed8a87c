/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed between two sides of recordings of one event, and whether it did.
 *
 *	ret = tally_diff_new(&options, nr_recordings, &diff);
 *	ret = tally_diff_add(diff, &recording, &profile, event);    of each; the profile may go then
 *	ret = tally_diff_judge(diff);
 *
 * Rows are told apart by names, as two builds have nothing else in common. A row's value is a
 * share, or a time, for each recording and the mean of them for each side; docs/diff.md has the
 * statistics.
 *
 * Samples are compared by blocks of time as well, as they depend on those before: the profile is
 * made with TALLY_BY_LABEL, and tally_diff_clock_label() is the label of each sample. It has no
 * filter of its own, as what does not pass counts for the blocks.
 *
 * It does not: read files, put rows in order, print. Not thread-safe.
 */
#ifndef TALLY_PROFILE_DIFF_H
#define TALLY_PROFILE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "profile/hist.h"
#include "profile/profile.h"

enum { TALLY_SIDE_A, TALLY_SIDE_B, TALLY_SIDES };

/* What a function itself cost; and with all that it called, once for each sample. */
enum { TALLY_DIFF_SELF, TALLY_DIFF_TOTAL, TALLY_DIFF_MEASURES };

#define TALLY_NAME_NONE UINT32_MAX

struct tally_diff_options {
	unsigned keys; /* TALLY_KEY_COMM, _DSO, _SYMBOL; without the last also no paths */
	bool by_path;  /* rows are whole callchains, without the rounds of recursions */
	/* Samples that pass are rows; their strings must outlive it. Shares are of all samples, or
	   of these. */
	struct tally_profile_filter filter;
	bool relative;
	bool by_nr;    /* samples count for one each, whatever their periods */
	bool absolute; /* values are no shares of the recording, but sums times its `scale` */
	double same;   /* a row may be called the same within this part of its value */
};

/* Numbers the time of one recording in blocks that grow with it: at most 64 in the end. */
struct tally_diff_clock {
	uint64_t first;
	unsigned level; /* how often the blocks were doubled */
	bool is_started;
};

/* The label of a sample at `time`, in ns. */
uint32_t tally_diff_clock_label(struct tally_diff_clock *clock, uint64_t time);

struct tally_diff_recording {
	uint32_t side;
	uint32_t input; /* a number of the caller's */
	double scale;   /* of absolute values: the value of one unit of the period */
	struct tally_diff_clock clock;
	/* Set by tally_diff_add(). */
	uint64_t nr, period;
	double weight, squares;  /* sum of the weights that values are shares of; of squares */
	double fine_nr, fine_ww; /* blocks with samples; sum of the squares of their weights */
	double wide_nr, wide_ww; /* the same of four blocks each */
};

enum tally_diff_verdict {
	TALLY_DIFF_UNKNOWN, /* it cannot be told */
	TALLY_DIFF_FEW,     /* nor could it, with so few samples */
	TALLY_DIFF_SAME,    /* within `within` */
	TALLY_DIFF_GREW,
	TALLY_DIFF_SHRANK,
};

/* What became of a row's function, as far as samples tell. */
enum tally_diff_state {
	TALLY_DIFF_BOTH,        /* it is on both sides */
	TALLY_DIFF_NEW,         /* on side B only */
	TALLY_DIFF_GONE,        /* on side A only */
	TALLY_DIFF_INLINED_NOW, /* on side B as an inlined function only */
	TALLY_DIFF_WAS_INLINED, /* on side A as an inlined function only */
	TALLY_DIFF_MOVED_TO,    /* a function of this name is in another file on side B */
	TALLY_DIFF_MOVED_FROM,  /* the same on side A */
};

struct tally_diff_value {
	double mean[TALLY_SIDES];
	double period[TALLY_SIDES], nr[TALLY_SIDES]; /* of all recordings of the side */
	double noise;  /* half the interval that the difference is in, with all rows judged, in 19
			  of 20 comparisons; INFINITY: not known */
	double within; /* the most that the sides may differ by, as a part of side A's; or INFINITY
			*/
	double p;      /* how likely such a difference is if nothing changed, of this row alone */
	enum tally_diff_verdict verdict;
};

struct tally_diff_row {
	uint32_t comm, file, symbol; /* in `names`, or TALLY_NAME_NONE */
	uint32_t path;  /* in `paths`: the bytes of so many uint32_t, names of functions, outermost
			   first; or TALLY_NAME_NONE */
	uint32_t other; /* TALLY_DIFF_MOVED_*: a row that has the function's other file */
	uint32_t first; /* the first of its cells, + 1 */
	uint8_t cpumode;
	uint8_t seen[TALLY_SIDES]; /* how its function was on a stack: see diff_private.h */
	enum tally_diff_state state;
	struct tally_diff_value values[TALLY_DIFF_MEASURES];
};

/* What one recording has in one row. */
struct tally_diff_sum {
	double weight, period, nr, squares;
	/* Over its blocks, and over longer ones: sums of squares, and of products with the weight
	   of all that is in the block. */
	double fine_xx, fine_xw, wide_xx, wide_xw;
};

struct tally_diff_cell {
	uint32_t recording, next; /* of the row: + 1, 0 ends */
	struct tally_diff_sum sums[TALLY_DIFF_MEASURES];
};

struct tally_diff {
	struct tally_diff_options options;
	struct tally_intern names, paths, keys;
	TALLY_VEC(struct tally_diff_recording) recordings;
	TALLY_VEC(struct tally_diff_row) rows;
	TALLY_VEC(struct tally_diff_cell) cells;
	bool has_paths;              /* all recordings have callchains: totals mean something */
	bool has_some_paths;         /* some have */
	uint64_t nr_of[TALLY_SIDES]; /* recordings */
	uint64_t judged[TALLY_DIFF_MEASURES]; /* rows that share the doubt */
};

/* 0 or -ENOMEM. */
int tally_diff_new(const struct tally_diff_options *options, struct tally_diff **ret_diff);
void tally_diff_free(struct tally_diff *diff);

/* Add what `profile`, which is finished, has of its event number `event`. `recording` has the side,
 * the scale and the clock. 0 or -ENOMEM, and the diff is good for nothing but being freed. */
int tally_diff_add(struct tally_diff *diff, const struct tally_diff_recording *recording,
		   struct tally_profile *profile, uint32_t event);

/* Fill values, states and verdicts of all rows. 0 or -ENOMEM. */
int tally_diff_judge(struct tally_diff *diff);

/* The value of a row in one recording. */
double tally_diff_value_of(const struct tally_diff *diff, const struct tally_diff_row *row,
			   uint32_t recording, int measure);

/* A name of a row; NULL for TALLY_NAME_NONE. */
const char *tally_diff_name(const struct tally_diff *diff, uint32_t name);

#endif
