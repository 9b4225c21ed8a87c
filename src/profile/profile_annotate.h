/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples by function and address, which tally_profile does not keep apart. Each address of a
 * function has two counts: the samples taken at it, and the samples that have it anywhere on their
 * stack. For a call instruction the second count is the total cost of its callees.
 *
 *	ret = tally_annotate_new(machine, &options, &annotate);
 *	ret = tally_annotate_add(annotate, event, thread, cpumode, &sample, weight);	(many)
 *	ret = tally_annotate_finish(annotate);
 *	... read the functions and their addresses; annotation.h maps them to instructions
 *
 * Addresses outside all functions are counted in the totals only. Memory grows with the number of
 * distinct addresses, up to a limit; look-ups beyond it are counted. Not thread-safe.
 */
#ifndef TALLY_PROFILE_ANNOTATE_H
#define TALLY_PROFILE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "profile/callers.h"
#include "profile/profile_frames.h"
#include "profile/machine.h"

struct tally_annotate;

struct tally_annotate_options {
	/* Name of the functions to keep addresses for, as displayed or raw; NULL: all. Other
	 * functions are counted as a whole. Strings are borrowed. */
	const char *symbol;
	const char *const *dsos; /* files of these functions, by path or name, NULL-terminated;
	                          * NULL: all */
	uint32_t max_stack;      /* maximum frames of a callchain; 0: 127 */
	uint32_t max_places;     /* maximum distinct pairs of address and event; 0: four million */
	bool no_callers;         /* ignore callchains; totals then cover sample addresses only */
};

/* Cost of an address or a function. */
struct tally_annotate_cost {
	uint64_t nr, weight;             /* samples there, and the sum of their weights */
	uint64_t total_nr, total_weight; /* including samples that have it on their stack; each
	                                  * counts once */
};

/* A function found in samples, possibly only as a caller. */
struct tally_annotate_function {
	struct tally_dso *dso;
	const struct tally_symbol *symbol;
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
	bool is_wanted;  /* its addresses are kept */
	/* The fields below are set by tally_annotate_finish(). */
	uint32_t first, nr; /* its range of places */
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

/* Create an annotator. `machine` and the strings of the options must outlive it. Returns 0 or
 * -ENOMEM. */
int tally_annotate_new(struct tally_machine *machine, const struct tally_annotate_options *options,
		       struct tally_annotate **ret_annotate);
void tally_annotate_free(struct tally_annotate *annotate);

/* Add a sample; see tally_profile_add() for the arguments. Returns 0 or -ENOMEM. */
int tally_annotate_add(struct tally_annotate *annotate, uint32_t event,
		       const struct tally_thread *thread, uint8_t cpumode,
		       const struct tally_sample *sample, uint64_t weight,
		       enum tally_callers_from callers_from);

/* End adding samples. Results are available only afterwards. Returns 0 or -ENOMEM. */
int tally_annotate_finish(struct tally_annotate *annotate);

/* Access functions, which are numbered in order of appearance. */
size_t tally_annotate_nr_functions(const struct tally_annotate *annotate);
const struct tally_annotate_function *tally_annotate_function(const struct tally_annotate *annotate,
							      size_t number);

/* Return the places of a function, sorted by address and event (function->nr of them), and its sums
 * by event (function->nr_sums). */
const struct tally_annotate_place *
tally_annotate_places(const struct tally_annotate *annotate,
		      const struct tally_annotate_function *function);
const struct tally_annotate_place *
tally_annotate_sums(const struct tally_annotate *annotate,
		    const struct tally_annotate_function *function);

/*
 * Return the overlaps of a function (function->nr_overlaps of them). They count samples that have
 * two addresses of the function less than 16 bytes apart: their own, and a higher one of a caller.
 * If both are in the same instruction, a recursive call, the totals of both addresses include the
 * sample. The `addr` of an overlap is the tally_annotate_overlap() of the two addresses.
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

/* Return the cost of an event in a function; all zero if it has no samples there. */
struct tally_annotate_cost tally_annotate_sum(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      uint32_t event);

/* Return the total of an event; all zero if it has no samples. */
struct tally_annotate_total tally_annotate_total(const struct tally_annotate *annotate,
						 uint32_t event);

/* Add all functions, and the addresses outside functions, to `frames`, which the health line
 * counts. Returns 0 or -ENOMEM. */
int tally_annotate_add_frames(const struct tally_annotate *annotate, struct tally_frames *frames);

/* Return the number of look-ups that were not kept because the limit was reached. */
uint64_t tally_annotate_nr_left_out(const struct tally_annotate *annotate);

#endif
