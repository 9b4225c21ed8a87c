/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples by function and address: what tally_profile does not keep apart. Of each address in a
 * function it is known how many samples fell there, and how many have it anywhere on their stack:
 * of a call that is what its callees cost in all.
 *
 *	ret = tally_annotate_new(machine, &options, &annotate);
 *	ret = tally_annotate_add(annotate, event, thread, cpumode, &sample, weight);	(many)
 *	ret = tally_annotate_finish(annotate);
 *	... functions, and what each address has; annotation.h makes instructions of them
 *
 * Addresses that are in no function are counted in the totals alone. Memory grows with the
 * addresses that differ, up to a limit; samples beyond it are counted. Not thread-safe.
 */
#ifndef TALLY_PROFILE_ANNOTATE_H
#define TALLY_PROFILE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sample.h"
#include "profile/callers.h"
#include "profile/frames.h"
#include "profile/machine.h"

struct tally_annotate;

struct tally_annotate_options {
	/* Of which functions addresses are kept, by the name that is shown or the raw one; NULL:
	 * all. Others are functions all the same. Strings are borrowed. */
	const char *symbol;
	const char *const *dsos; /* NULL-terminated: in which files, by path or name; NULL: all */
	uint32_t max_stack;      /* frames of a callchain taken; 0: 127 */
	uint32_t max_places;     /* distinct pairs of address and event; 0: four million */
	bool no_callers;         /* no look at callchains: totals are as of the samples alone */
};

/* What fell somewhere. */
struct tally_annotate_cost {
	uint64_t nr, weight;             /* samples there, and the sum of their weights */
	uint64_t total_nr, total_weight; /* samples that have it on their stack, too; each once */
};

/* A function that was met, be it as a caller. */
struct tally_annotate_function {
	struct tally_dso *dso;
	const struct tally_symbol *symbol;
	uint8_t cpumode; /* PERF_RECORD_MISC_* */
	bool is_wanted;  /* its addresses are kept */
	/* Once finished: what is known of it. */
	uint32_t first, nr; /* of the places */
	uint32_t first_sum, nr_sums;
	uint32_t first_overlap, nr_overlaps;
};

/* What an event has at an address, as of tally_dso_find(), or in a function. */
struct tally_annotate_place {
	uint32_t function, event;
	uint64_t addr; /* not of sums */
	struct tally_annotate_cost cost;
};

/* What all samples of an event came to. */
struct tally_annotate_total {
	uint64_t nr, weight;
	uint64_t nr_unnamed; /* in no function */
};

/* `machine` and the options' strings must outlive it. 0 or -ENOMEM. */
int tally_annotate_new(struct tally_machine *machine, const struct tally_annotate_options *options,
		       struct tally_annotate **ret_annotate);
void tally_annotate_free(struct tally_annotate *annotate);

/* Add a sample, as of tally_profile_add(). 0 or -ENOMEM. */
int tally_annotate_add(struct tally_annotate *annotate, uint32_t event,
		       const struct tally_thread *thread, uint8_t cpumode,
		       const struct tally_sample *sample, uint64_t weight,
		       enum tally_callers_from callers_from);

/* No more samples come. Before it nothing may be asked for. 0 or -ENOMEM. */
int tally_annotate_finish(struct tally_annotate *annotate);

/* The functions, numbered as they came. */
size_t tally_annotate_nr_functions(const struct tally_annotate *annotate);
const struct tally_annotate_function *tally_annotate_function(const struct tally_annotate *annotate,
							      size_t number);

/* The places of a function, by address and then event; what it has as a whole, by event. */
const struct tally_annotate_place *
tally_annotate_places(const struct tally_annotate *annotate,
		      const struct tally_annotate_function *function);
const struct tally_annotate_place *
tally_annotate_sums(const struct tally_annotate *annotate,
		    const struct tally_annotate_function *function);

/*
 * Samples that have two addresses of a function less than 16 bytes apart: their own, and one of a
 * caller behind it. If both are in one instruction, a call of the function by itself, they are in
 * the totals of both all the same. Their addr is tally_annotate_overlap() of the two.
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

/* What an event has in a function; all zero for nothing. */
struct tally_annotate_cost tally_annotate_sum(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      uint32_t event);

/* Of an event; all zero where it had no samples. */
struct tally_annotate_total tally_annotate_total(const struct tally_annotate *annotate,
						 uint32_t event);

/* Add all functions, and the addresses that are in none, to frames: what a line of health counts. 0
 * or -ENOMEM. */
int tally_annotate_add_frames(const struct tally_annotate *annotate, struct tally_frames *frames);

/* Look-ups of addresses that are not kept as the limit was reached. */
uint64_t tally_annotate_nr_left_out(const struct tally_annotate *annotate);

#endif
