/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples by function and address; tally_profile does not distinguish addresses. Each address of a
 * function has two counts: the samples taken at this address, and the samples with the address
 * anywhere on their stack. For a call instruction, the second count is the total cost of its
 * callees.
 *
 *	ret = tally_annotate_new(machine, &options, &annotate);
 *	ret = tally_annotate_add(annotate, sample);	(many)
 *	ret = tally_annotate_finish(annotate);
 *	... read the functions and their addresses; annotation.h maps them to instructions
 *
 * Addresses outside all functions are counted only in the totals. Memory use grows with the number
 * of distinct addresses, up to a limit; look-ups that exceed the limit are counted. Not
 * thread-safe.
 */
#ifndef TALLY_PROFILE_ANNOTATE_PROFILE_ANNOTATE_H
#define TALLY_PROFILE_ANNOTATE_PROFILE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "profile/callers.h"
#include "profile/process/feed.h"
#include "profile/profile_frames.h"
#include "profile/process/machine.h"

struct tally_annotate;

/* Quality of the match of a word with the name of a function. */
enum tally_symbol_match {
	TALLY_MATCH_NONE,
	TALLY_MATCH_PART,  /* is part of its displayed or short name */
	TALLY_MATCH_SHORT, /* is its short name, or the last component of its name: "fold" */
	TALLY_MATCH_WHOLE, /* is its displayed or raw name */
};

/* Return how well `word` matches a symbol's name. */
enum tally_symbol_match tally_symbol_match(struct tally_dso *dso, const struct tally_symbol *symbol,
					   const char *word);

struct tally_annotate_options {
	/* Name, or part of a name, of the functions for which addresses are kept; NULL for all
	 * functions. See enum tally_symbol_match. Other functions are counted as a whole. Strings
	 * are borrowed. */
	const char *symbol;
	/* Paths or names of the files that contain these functions, NULL-terminated; NULL for
	 * all files. */
	const char *const *dsos;
	uint32_t max_stack;  /* maximum number of frames in a callchain; 0 for 127 */
	uint32_t max_places; /* maximum number of (address, event) pairs; 0 for four million */
	bool raw_chains;     /* keep callers as recorded, without validating return addresses */
	bool no_callers;     /* ignore callchains; totals then cover only sample addresses */
};

/* Cost of an address or a function. */
struct tally_annotate_cost {
	uint64_t nr, weight; /* samples taken here, and the sum of their weights */
	/* The same, plus samples with the address or function on their stack. Each sample counts
	 * once. */
	uint64_t total_nr, total_weight;
};

/* A function found in samples, possibly only as a caller. */
struct tally_annotate_function {
	struct tally_dso *dso;
	const struct tally_symbol *symbol;
	uint8_t cpumode;               /* PERF_RECORD_MISC_* */
	bool is_wanted;                /* the function's addresses are kept */
	enum tally_symbol_match match; /* of its name with the option `symbol` */
	/* The fields below are set by tally_annotate_finish(). */
	uint32_t first, nr; /* range of the function's places */
	uint32_t first_sum, nr_sums;
	uint32_t first_overlap, nr_overlaps;
};

/* Cost of one event at an address (see tally_dso_find()), or in a whole function. */
struct tally_annotate_place {
	uint32_t function, event;
	uint64_t addr; /* not set in sums */
	struct tally_annotate_cost cost;
};

/* Total over all samples of an event. */
struct tally_annotate_total {
	uint64_t nr, weight;
	uint64_t nr_unnamed; /* samples outside all functions */
};

/* Create an annotator. `machine` and the option strings must outlive it. Returns 0 or -ENOMEM. */
int tally_annotate_new(struct tally_machine *machine, const struct tally_annotate_options *options,
		       struct tally_annotate **ret_annotate);
void tally_annotate_free(struct tally_annotate *annotate);

/* Add a sample. Returns 0 or -ENOMEM. */
int tally_annotate_add(struct tally_annotate *annotate, const struct tally_feed_sample *sample);

/* Finish adding samples. Results are available only after this call. Returns 0 or -ENOMEM. */
int tally_annotate_finish(struct tally_annotate *annotate);

/* Return a function, or NULL if it has no samples. */
const struct tally_annotate_function *tally_annotate_find(const struct tally_annotate *annotate,
							  const struct tally_dso *dso,
							  const struct tally_symbol *symbol);

/* Return the number of functions, or the function with a given number. Functions are numbered in
 * order of appearance. */
size_t tally_annotate_nr_functions(const struct tally_annotate *annotate);
const struct tally_annotate_function *tally_annotate_function(const struct tally_annotate *annotate,
							      size_t number);

/* Return a function's places (function->nr, sorted by address and event), or its sums
 * (function->nr_sums, sorted by event). */
const struct tally_annotate_place *
tally_annotate_places(const struct tally_annotate *annotate,
		      const struct tally_annotate_function *function);
const struct tally_annotate_place *
tally_annotate_sums(const struct tally_annotate *annotate,
		    const struct tally_annotate_function *function);

/*
 * Return a function's overlaps (function->nr_overlaps). An overlap counts samples that have two
 * addresses in the function less than 16 bytes apart: their own address, and a higher address of a
 * caller. If both are in the same instruction (a recursive call), the totals of both addresses
 * include the sample. The `addr` of an overlap is the tally_annotate_overlap() of the two
 * addresses.
 */
const struct tally_annotate_place *
tally_annotate_overlaps(const struct tally_annotate *annotate,
			const struct tally_annotate_function *function);
enum { TALLY_ANNOTATE_OVERLAP_BITS = 4 };
static inline uint64_t tally_annotate_overlap(const struct tally_symbol *symbol, uint64_t own,
					      uint64_t caller)
{
	return (caller - symbol->start) << TALLY_ANNOTATE_OVERLAP_BITS | (caller - own);
}

/* Return the cost of an event in a function. The cost is all zero if the event has no samples
 * there. */
struct tally_annotate_cost tally_annotate_sum(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      uint32_t event);

/* Return an event's total. The total is all zero if the event has no samples. */
struct tally_annotate_total tally_annotate_total(const struct tally_annotate *annotate,
						 uint32_t event);

/* Add all functions, and the addresses outside functions, to `frames`, to be counted in the health
 * line. Returns 0 or -ENOMEM. */
int tally_annotate_add_frames(const struct tally_annotate *annotate, struct tally_frames *frames);

/* Return the number of look-ups that were dropped because the limit was reached. */
uint64_t tally_annotate_nr_left_out(const struct tally_annotate *annotate);

#endif
