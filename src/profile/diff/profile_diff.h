/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes between two sides, each with one or more recordings of one event, and the significance of
 * these changes.
 *
 *	ret = tally_diff_new(&options, &diff);
 *	ret = tally_diff_add(diff, &recording, &profile, event);    for each; then free the profile
 *	ret = tally_diff_evaluate(diff);
 *
 * Rows are identified by names, because two builds have nothing else in common. A row has one value
 * for each recording, which is a share or a time, and the mean of these values for each side.
 * docs/internals/diff-statistics.md describes the statistics.
 *
 * Samples depend on preceding samples, so they are also compared by time blocks. The profile must
 * therefore be built with TALLY_BY_LABEL, and with the tally_diff_clock_label() of each sample as
 * its label. It must not have a filter, because samples that do not pass also count towards the
 * blocks.
 *
 * This module does not read files, sort rows or print. Not thread-safe.
 */
#ifndef TALLY_PROFILE_DIFF_PROFILE_DIFF_H
#define TALLY_PROFILE_DIFF_PROFILE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "profile/diff/file_names.h"
#include "profile/hist.h"
#include "profile/profile_model.h"
#include "profile/short_names.h"

enum { TALLY_SIDE_A, TALLY_SIDE_B, TALLY_SIDES };

/* Metrics: the cost of a function without its callees (self), and including all its callees
 * (total). Each sample counts once. */
enum { TALLY_DIFF_SELF, TALLY_DIFF_TOTAL, TALLY_DIFF_NR_METRICS };

#define TALLY_NAME_NONE UINT32_MAX

struct tally_diff_options {
	unsigned keys; /* TALLY_KEY_COMM, _DSO, _SYMBOL; by_path requires _SYMBOL */
	bool by_path;  /* rows are whole callchains, with rounds of recursion removed */
	bool no_total; /* TALLY_DIFF_TOTAL is not computed */
	/* Only samples that pass the filter are in rows. The filter's strings must outlive the
	 * diff. Shares are relative to these samples if `relative` is set, otherwise to all
	 * samples. */
	struct tally_profile_filter filter;
	bool relative;
	bool by_nr;    /* each sample counts as one, regardless of its period */
	bool absolute; /* values are sums times the recording's `scale`, not shares */
	/* A row may be called unchanged if its change and noise together are within this
	 * fraction of its value. */
	double same;
	/* Each recording does the same work, so its phases are not noise. Ignored if a side has
	 * several recordings, which show how far phases differ between runs. */
	bool same_work;
};

/* Divides the duration of a recording into at most 64 blocks. The blocks grow with the
 * recording. */
struct tally_diff_clock {
	uint64_t first;
	unsigned level; /* number of times the block length was doubled */
	bool is_started;
};

/* Return the label of a sample at `time`, in ns. */
uint32_t tally_diff_clock_label(struct tally_diff_clock *clock, uint64_t time);

struct tally_diff_recording {
	uint32_t side;
	uint32_t input; /* number assigned by the caller */
	double scale;   /* for absolute values: value per unit of the period */
	struct tally_diff_clock clock;
	/* Set by tally_diff_add(). */
	uint64_t nr, period;
	double weight, squares;  /* sums of the weights (the base of shares) and of their squares */
	double fine_nr, fine_ww; /* number of blocks with samples; sum of squared block weights */
	double wide_nr, wide_ww; /* same, for blocks four times as long */
};

enum tally_diff_verdict {
	TALLY_DIFF_UNKNOWN, /* undecided */
	TALLY_DIFF_FEW,     /* undecided, because there are too few samples */
	TALLY_DIFF_SAME,    /* `within` is small enough to count as unchanged */
	TALLY_DIFF_GREW,
	TALLY_DIFF_SHRANK,
};

/* Change to a row's function, as far as the samples show. */
enum tally_diff_state {
	TALLY_DIFF_BOTH,        /* exists on both sides */
	TALLY_DIFF_NEW,         /* exists only on side B */
	TALLY_DIFF_GONE,        /* exists only on side A */
	TALLY_DIFF_INLINED_NOW, /* inlined everywhere on side B, but not on side A */
	TALLY_DIFF_WAS_INLINED, /* inlined everywhere on side A, but not on side B */
	TALLY_DIFF_MOVED_TO,    /* a function with the same name is in another file on side B */
	TALLY_DIFF_MOVED_FROM,  /* a function with the same name is in another file on side A */
};

struct tally_diff_value {
	double mean[TALLY_SIDES];
	double period[TALLY_SIDES], nr[TALLY_SIDES]; /* sums over all of the side's recordings */
	/* Half the width of the confidence interval for the difference, or INFINITY if unknown. In
	 * 19 of 20 comparisons, the intervals of all rows with enough samples contain the true
	 * difference. */
	double noise;
	double within; /* upper bound of the difference as a fraction of A's value, or INFINITY */
	double p;      /* probability of such a difference if nothing changed, for this row only */
	enum tally_diff_verdict verdict;
	bool has_phases; /* undecided, but would have a verdict with `same_work` */
};

struct tally_diff_row {
	uint32_t comm, file, symbol; /* IDs in `names`, or TALLY_NAME_NONE */
	/* ID in `names` of the function with its parameters, which distinguishes overloads;
	 * `symbol` if the parameters are not known. */
	uint32_t variant;
	/* ID in `paths` of an array of function name IDs (uint32_t), outermost first; or
	 * TALLY_NAME_NONE. */
	uint32_t path;
	uint32_t other; /* for TALLY_DIFF_MOVED_*: the function's row in the other file */
	uint32_t first; /* index + 1 of the row's first cell */
	uint8_t cpumode;
	uint8_t seen[TALLY_SIDES]; /* how the function appeared on stacks: see diff_private.h */
	enum tally_diff_state state;
	struct tally_diff_value values[TALLY_DIFF_NR_METRICS];
};

/* Sums for one row in one recording. */
struct tally_diff_sum {
	double weight, period, nr, squares;
	/* Sums over blocks (fine) and over longer blocks (wide): the sum of the row's squared
	 * weight, and the sum of the row's weight times the block's weight. */
	double fine_xx, fine_xw, wide_xx, wide_xw;
};

struct tally_diff_cell {
	uint32_t recording, next; /* index + 1 of the row's next cell; 0 ends the list */
	struct tally_diff_sum sums[TALLY_DIFF_NR_METRICS];
};

struct tally_diff {
	struct tally_diff_options options;
	struct tally_intern names, paths, keys;
	struct tally_file_names files;
	struct tally_short_names short_names; /* set by tally_diff_evaluate() */
	TALLY_VEC(uint32_t) short_of;         /* by ID in `names`: index in `short_names` + 1 */
	TALLY_VEC(struct tally_diff_recording) recordings;
	TALLY_VEC(struct tally_diff_row) rows;
	TALLY_VEC(struct tally_diff_cell) cells;
	bool has_paths;              /* there are totals: all recordings have callchains */
	bool has_some_paths;         /* some recordings have callchains */
	uint64_t nr_of[TALLY_SIDES]; /* number of recordings on each side */
	uint64_t judged[TALLY_DIFF_NR_METRICS]; /* number of rows with enough samples */
};

/* Create a diff. Returns 0 or -ENOMEM. */
int tally_diff_new(const struct tally_diff_options *options, struct tally_diff **ret_diff);
void tally_diff_free(struct tally_diff *diff);

/* Add the samples of event number `event` in a finished profile. `recording` contains the side, the
 * scale and the clock. Returns 0 or -ENOMEM. After an error, the diff can only be freed. */
int tally_diff_add(struct tally_diff *diff, const struct tally_diff_recording *recording,
		   struct tally_profile *profile, uint32_t event);

/* Compute the values, states and verdicts of all rows. Recordings cannot be added afterwards.
 * Returns 0 or -ENOMEM. */
int tally_diff_evaluate(struct tally_diff *diff);

/* Return a row's value in one recording. */
double tally_diff_value_of(const struct tally_diff *diff, const struct tally_diff_row *row,
			   uint32_t recording, int measure);

/* Return the name with this ID, or NULL for TALLY_NAME_NONE. */
const char *tally_diff_name(const struct tally_diff *diff, uint32_t name);

/* Return the short name of a function, distinct in the diff, for a row's `variant`, or for an ID
 * in a path. */
const char *tally_diff_short_name(const struct tally_diff *diff, uint32_t name);

#endif
