/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that wait for their callers in user space. A kernel that is asked to (attr's
 * defer_callchain, Linux 6.19) does not walk the user's stack when it samples, but once, right
 * before the thread returns to user space: then it can take page faults. The sample's callchain
 * ends with PERF_CONTEXT_USER_DEFERRED and a cookie, and a record CALLCHAIN_DEFERRED of the same
 * thread brings the cookie and the callers. All samples since the thread entered the kernel have
 * the same cookie; more may come when the record was written already.
 *
 * A cookie is good for one stay in the kernel. So where a thread has another one, ends, or executes
 * another program, the record of those that wait was lost, and they are given up. They are, too,
 * when all together take more than `limit` bytes: at first callers that are kept for more samples,
 * then the thread that waits longest.
 *
 * Samples are copied when they begin to wait, and are handed out by tally_deferred_next() in the
 * order in which their waiting ends.
 *
 * Sources: linux/perf_event.h of Linux 6.19 (PERF_RECORD_CALLCHAIN_DEFERRED), the commit "perf:
 * Support deferred user unwind", and what linux/unwind_deferred_types.h says of cookies.
 */
#ifndef TALLY_PROFILE_DEFERRED_H
#define TALLY_PROFILE_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/map.h"

struct deferred_task;
struct deferred_sample;

enum { TALLY_DEFERRED_LIMIT = 64 << 20 };

/* All zero is empty; a limit of 0 stands for TALLY_DEFERRED_LIMIT. */
struct tally_deferred {
	uint64_t limit;
	struct tally_map tasks;                     /* tid -> struct deferred_task * */
	struct deferred_task *first, *last;         /* in the order in which they are given up */
	struct deferred_sample *ready, **ready_end; /* what waits no more, in order */
	struct deferred_sample *current;            /* handed out last */
	uint64_t used;                              /* bytes of what waits, or is kept */
};

/* A sample that waits, or waits no more. */
struct tally_deferred_sample {
	const struct tally_sample_layout *layout; /* borrowed, as is attr */
	const struct perf_event_attr *attr;
	const void *record, *tag; /* the record; what the caller wants to have with it */
	size_t size, tag_size;
	bool is_joined;             /* callers came, be it none */
	struct tally_words callers; /* as in the record that brought them */
};

/* The cookie that a callchain ends with. False if its callers are all there. */
bool tally_deferred_cookie(struct tally_words callchain, uint64_t *ret_cookie);

/* Let a sample of `tid` wait; record and tag are copied. 0 or -ENOMEM. */
int tally_deferred_add(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
		       const struct tally_deferred_sample *sample);

/* Callers came. 0 or -ENOMEM. */
int tally_deferred_join(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
			struct tally_words callers);

/* What waits for callers of `tid` is given up; of all threads. */
void tally_deferred_give_up(struct tally_deferred *deferred, int32_t tid);
void tally_deferred_give_up_all(struct tally_deferred *deferred);

/* The next sample that waits no more, valid until the next call. False: there is none. */
bool tally_deferred_next(struct tally_deferred *deferred, struct tally_deferred_sample *ret_sample);

void tally_deferred_free(struct tally_deferred *deferred);

#endif
