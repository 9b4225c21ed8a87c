/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler opens the events in a sampling description. It sets their attrs, opens counters, maps
 * rings, and synthesizes records for existing tasks and maps. Each command that samples has a
 * sampler:
 *
 *	struct tally_sampler sampler = {.sampling = &sampling};
 *	tally_sampler_add(&sampler, "cycles:P", NULL);
 *	tally_sampler_prepare(&sampler);
 *	tally_sampler_resolve(&sampler, command_pid);
 *	tally_sampler_open(&sampler);
 *	tally_counters_enable(sampler.counters);
 *	... tally_rings_poll(sampler.rings, -1) ...
 *	tally_sampler_close(&sampler);
 *
 * Functions that return an error have already reported it to `sampling->messages`.
 */
#ifndef TALLY_SAMPLER_SAMPLER_H
#define TALLY_SAMPLER_SAMPLER_H

#include "abi/abi_sample.h"
#include "base/vec.h"
#include "tally/rings.h"
#include "sampler/child.h"
#include "sampler/sample_filter.h"
#include "sampler/sampling.h"
#include "sampler/synth.h"
#include "tally/events.h"

struct tally_sampler {
	const struct tally_sampling *sampling;
	struct tally_events *events; /* NULL until the first event is added */
	TALLY_VEC(struct tally_event_list *) lists;
	TALLY_VEC(struct tally_event_spec) specs; /* in the order added, with attrs as opened */
	TALLY_VEC(const char *) filters;          /* one per spec; NULL if the spec has none */
	TALLY_VEC(struct tally_sample_filter *) sample_filters; /* likewise */
	size_t tracking; /* event that records tasks and maps */
	uint64_t freq;   /* samples per second */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
	struct tally_rings *rings;
	struct tally_sample_layout layout; /* tracking event's sample layout, for trailers */

	/* Results of tally_sampler_open(), also valid if it failed. `why` is also set if rings are
	 * smaller than wanted. */
	unsigned fallbacks;       /* enum tally_fallback bits, ORed over all events */
	size_t pages;             /* data pages per ring */
	struct tally_refusal why; /* `why.code` is 0 if nothing was refused */

	struct tally_synth synth;
	struct tally_str before; /* records gathered with privileges */
	bool had_privileges;     /* `before` cannot be gathered again */
	bool is_gathered_used;   /* `before` has been used */
};

/* Append the events in a string. `filter` (borrowed, may be NULL) applies to the tracepoints among
 * them. Returns 0; -EINVAL and other errors from tally_events_parse(); or -ENOMEM. */
int tally_sampler_add(struct tally_sampler *sampler, const char *text, const char *filter);

/* Called once, after all events have been added. Adds the default event if no event was added, adds
 * the event that records tasks and maps, and sets the attrs. Returns 0, -EINVAL, -ENOENT or
 * -ENOMEM. */
int tally_sampler_prepare(struct tally_sampler *sampler);

/* Determine the CPUs and threads to sample. `command` is the pid of the child, or 0. Returns the
 * result of tally_target_resolve(), or -EBUSY if called twice. */
int tally_sampler_resolve(struct tally_sampler *sampler, int32_t command);

/* Open the counters, set their filters and map the rings. Counting starts when the counters are
 * enabled. Called with capabilities raised. Returns 0; the error from perf_event_open(2) or
 * mmap(2), with `why` set; -EMFILE if too few descriptors are left for the recorder; -ENOMEM; or
 * -EBUSY if called twice. */
int tally_sampler_open(struct tally_sampler *sampler);

/* Release all resources. May be called in any state; afterwards, events can be added again. */
void tally_sampler_close(struct tally_sampler *sampler);

/* Append the actual name of an event to `out`, taking fallbacks into account. */
void tally_sampler_event_name(const struct tally_sampler *sampler, size_t event,
			      struct tally_str *out);

/* Run this thread with SCHED_FIFO, unless `priority` is 0. Warns if that is not permitted. */
void tally_sampler_raise_priority(int priority, const struct tally_messages *messages);

/* ---- existing.c: records of existing tasks and maps -------------------------- */

/* Append PERF_RECORD_ID_INDEX records to `sampler->synth.out`, with the event, CPU and thread of
 * each ID. Returns 0 or -ENOMEM. */
int tally_sampler_add_ids(struct tally_sampler *sampler);

/* Append a TIME_CONV record, if the kernel reports how to convert the cycle counter to the time
 * of samples. Returns 0 or -ENOMEM. */
int tally_sampler_add_clock(struct tally_sampler *sampler);

/* Gather the current state for the first call to tally_sampler_add_existing(). This needs
 * privileges, but reads no user files. Warns about data that cannot be read. `child` may be NULL.
 * Returns 0 or -errno from procfs. */
int tally_sampler_gather(struct tally_sampler *sampler, const struct tally_child *child);

/* Append records for the kernel, modules, threads, CPUs and tasks to `sampler->synth.out`: the
 * gathered records on the first call, the current state on later calls. `started` is set if the
 * command is running and so has maps and children. `child` may be NULL. Returns 0 or -errno. */
int tally_sampler_add_existing(struct tally_sampler *sampler, const struct tally_child *child,
			       bool is_tail, bool started);

#endif
