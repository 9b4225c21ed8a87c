/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From wishes to rings that can be waited on: events, attrs, counters, rings, and the records of
 * what existed before. Each command that samples has one of these:
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
 * Every error has been told to `sampling->messages` when it is returned.
 */
#ifndef TALLY_SAMPLER_SAMPLER_H
#define TALLY_SAMPLER_SAMPLER_H

#include "abi/sample.h"
#include "base/vec.h"
#include "client/rings.h"
#include "sampler/child.h"
#include "sampler/sampling.h"
#include "sampler/synth.h"
#include "tally/events.h"

struct tally_sampler {
	const struct tally_sampling *sampling;
	struct tally_events *events; /* NULL until the first is added */
	TALLY_VEC(struct tally_event_list *) lists;
	TALLY_VEC(struct tally_event_spec) specs; /* in this order; attrs as they were opened */
	TALLY_VEC(const char *) filters;          /* one for each spec; NULL: none */
	size_t tracking;                          /* the event that tells of tasks and maps */
	uint64_t freq;                            /* samples a second */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
	struct tally_rings *rings;
	struct tally_sample_layout layout; /* of the tracking event: its trailer */

	/* What was found out on opening, whether that failed or not: also why rings are smaller
	 * than wanted. */
	unsigned fallbacks;       /* enum tally_fallback, of all events */
	size_t pages;             /* data pages of each ring */
	struct tally_refusal why; /* see above; code 0: nothing was refused */

	struct tally_synth synth;
	struct tally_str before; /* what was gathered with our privileges */
	bool had_privileges;     /* it is kept: it cannot be had again */
	bool is_gathered_used;   /* it was handed out */
};

/* Append the events of one string; `filter` (NULL: none; borrowed) is for its tracepoints. 0;
 * -EINVAL and other errors of tally_events_parse(); -ENOMEM. */
int tally_sampler_add(struct tally_sampler *sampler, const char *text, const char *filter);

/* Once, when all are added: the default event if there is none, the event that follows tasks and
 * maps, and the attr of each. 0; -EINVAL, -ENOENT; -ENOMEM. */
int tally_sampler_prepare(struct tally_sampler *sampler);

/* Who is sampled; `command` is the pid of the child, 0 without. As tally_target_resolve(); -EBUSY
 * the second time, and so for opening. */
int tally_sampler_resolve(struct tally_sampler *sampler, int32_t command);

/* Open counters, give them their filters, map rings; they count when they are enabled. Called with
 * capabilities raised. 0; the error of perf_event_open(2) or mmap(2), with `why`; -EMFILE where no
 * descriptor is left to work with; -ENOMEM. */
int tally_sampler_open(struct tally_sampler *sampler);

/* Release everything, however far it came; then it is as it was before the first event was added.
 */
void tally_sampler_close(struct tally_sampler *sampler);

/* The name of an event as it was opened, appended to `out`. */
void tally_sampler_event_name(const struct tally_sampler *sampler, size_t event,
			      struct tally_str *out);

/* Run this thread with SCHED_FIFO; 0: leave it as it is. That it cannot be had is told. */
void tally_sampler_raise_priority(int priority, const struct tally_messages *messages);

/* ---- existing.c: records of what existed before ------------------------------ */

/* Which id belongs to which event, CPU and thread: PERF_RECORD_ID_INDEX, appended to
 * `sampler->synth.out`. 0 or -ENOMEM. */
int tally_sampler_add_ids(struct tally_sampler *sampler);

/* Gather what exists now, as far as that takes privileges and reads no user's files, for the first
 * tally_sampler_add_existing(). What is hidden from us is told. `child` may be NULL. 0 or -errno
 * of procfs. */
int tally_sampler_gather(struct tally_sampler *sampler, const struct tally_child *child);

/* Append kernel, modules, threads, CPUs and tasks to `sampler->synth.out`: what was gathered the
 * first time, later what can be seen then. `started`: the command runs already, with maps and
 * children. `child` may be NULL. 0 or -errno. */
int tally_sampler_add_existing(struct tally_sampler *sampler, const struct tally_child *child,
			       bool is_tail, bool started);

#endif
