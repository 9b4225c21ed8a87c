/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler opens the events of a sampling description: attrs, counters, rings, and records of
 * existing tasks and maps. Each command that samples has one:
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
 * All errors have been reported to `sampling->messages` when they are returned.
 */
#ifndef TALLY_SAMPLER_SAMPLER_H
#define TALLY_SAMPLER_SAMPLER_H

#include "abi/abi_sample.h"
#include "base/vec.h"
#include "client/rings.h"
#include "sampler/child.h"
#include "sampler/sampling.h"
#include "sampler/synth.h"
#include "tally/events.h"

struct tally_sampler {
	const struct tally_sampling *sampling;
	struct tally_events *events; /* NULL until the first event is added */
	TALLY_VEC(struct tally_event_list *) lists;
	TALLY_VEC(struct tally_event_spec) specs; /* in the order added; attrs as opened */
	TALLY_VEC(const char *) filters;          /* [spec]; NULL: none */
	size_t tracking;                          /* the event that records tasks and maps */
	uint64_t freq;                            /* samples per second */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_counters *counters;
	struct tally_rings *rings;
	struct tally_sample_layout layout; /* of the tracking event, for its trailer */

	/* Results of opening, even if it failed; also the reason for rings smaller than wanted. */
	unsigned fallbacks;       /* enum tally_fallback, union over all events */
	size_t pages;             /* data pages of each ring */
	struct tally_refusal why; /* see above; code 0: no refusal */

	struct tally_synth synth;
	struct tally_str before; /* records gathered with privileges */
	bool had_privileges;     /* `before` is kept, because it cannot be gathered again */
	bool is_gathered_used;   /* `before` has been used */
};

/* Append the events of a string. `filter` applies to its tracepoints; NULL: none; borrowed. Returns
 * 0; -EINVAL and other errors of tally_events_parse(); or -ENOMEM. */
int tally_sampler_add(struct tally_sampler *sampler, const char *text, const char *filter);

/* Called once, after adding all events. Adds the default event if no event was added, and the event
 * that records tasks and maps, and sets the attrs. Returns 0, -EINVAL, -ENOENT or -ENOMEM. */
int tally_sampler_prepare(struct tally_sampler *sampler);

/* Determine the CPUs and threads to sample. `command` is the pid of the child, or 0. Returns the
 * result of tally_target_resolve(), or -EBUSY the second time. */
int tally_sampler_resolve(struct tally_sampler *sampler, int32_t command);

/* Open the counters, set their filters and map the rings. Counting starts when the counters are
 * enabled. Called with capabilities raised. Returns 0; the error of perf_event_open(2) or mmap(2),
 * with `why`; -EMFILE if there are too few descriptors for the rest of the work; -ENOMEM; or -EBUSY
 * the second time. */
int tally_sampler_open(struct tally_sampler *sampler);

/* Release everything, in any state. The sampler is then as before adding the first event. */
void tally_sampler_close(struct tally_sampler *sampler);

/* Append the name of an event, as it was opened, to `out`. */
void tally_sampler_event_name(const struct tally_sampler *sampler, size_t event,
			      struct tally_str *out);

/* Run this thread with SCHED_FIFO; priority 0: no change. Warns if that is not permitted. */
void tally_sampler_raise_priority(int priority, const struct tally_messages *messages);

/* ---- existing.c: records of existing tasks and maps -------------------------- */

/* Append PERF_RECORD_ID_INDEX records to `sampler->synth.out`: the event, CPU and thread of each
 * id. Returns 0 or -ENOMEM. */
int tally_sampler_add_ids(struct tally_sampler *sampler);

/* Gather the current state for the first call of tally_sampler_add_existing(), as far as that needs
 * privileges and reads no files of users. Warns of data that cannot be read. `child` may be NULL.
 * Returns 0 or -errno of procfs. */
int tally_sampler_gather(struct tally_sampler *sampler, const struct tally_child *child);

/* Append the kernel, modules, threads, CPUs and tasks to `sampler->synth.out`: the gathered records
 * the first time, and the current state later. `started`: the command is running and has maps and
 * children. `child` may be NULL. Returns 0 or -errno. */
int tally_sampler_add_existing(struct tally_sampler *sampler, const struct tally_child *child,
			       bool is_tail, bool started);

#endif
