/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that wait for their user-space callers. With attr.defer_callchain (Linux 6.19) the kernel
 * does not unwind the user stack when it samples, but once, right before the thread returns to user
 * space, where it can take page faults. The callchain of such a sample ends with
 * PERF_CONTEXT_USER_DEFERRED and a cookie. A later CALLCHAIN_DEFERRED record of the same thread
 * contains the cookie and the callers. All samples since the thread entered the kernel have the
 * same cookie; some may arrive after the record.
 *
 * A cookie is valid for one stay in the kernel. If a thread has another cookie, exits, or executes
 * another program, the record for its waiting samples was lost, and they are given up. Data is also
 * given up when everything together exceeds `limit` bytes: first callers that are kept for further
 * samples, then the samples of the thread that has waited longest.
 *
 * Samples are copied when they begin to wait. They are ready when their callers arrive or they are
 * given up. tally_deferred_next() returns them in the order in which they become ready.
 *
 * Sources: linux/perf_event.h of Linux 6.19 (PERF_RECORD_CALLCHAIN_DEFERRED), the commit "perf:
 * Support deferred user unwind", and linux/unwind_deferred_types.h on cookies.
 */
#ifndef TALLY_PROFILE_DEFERRED_H
#define TALLY_PROFILE_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"

struct deferred_task;
struct deferred_sample;

enum { TALLY_DEFERRED_LIMIT = 64 << 20 };

/* All zero is empty. A limit of 0 means TALLY_DEFERRED_LIMIT. */
struct tally_deferred {
	uint64_t limit;
	struct tally_map tasks;                     /* tid -> struct deferred_task * */
	struct deferred_task *first, *last;         /* in the order in which they are given up */
	struct deferred_sample *ready, **ready_end; /* samples that are ready, in order */
	struct deferred_sample *current;            /* the sample returned last */
	uint64_t used;                              /* bytes of waiting samples and kept callers */
};

/* A sample that waits or is ready. */
struct tally_deferred_sample {
	const struct tally_sample_layout *layout; /* borrowed, as is attr */
	const struct perf_event_attr *attr;
	const void *record, *tag; /* the record, and data that the caller attaches to it */
	size_t size, tag_size;
	bool is_joined;             /* its callers arrived; there may be none */
	struct tally_words callers; /* as in the record with the callers */
};

/* Return the cookie at the end of a callchain. False if the callchain is complete. */
bool tally_deferred_cookie(struct tally_words callchain, uint64_t *ret_cookie);

/* Add a waiting sample of thread `tid`; record and tag are copied. Returns 0 or -ENOMEM. */
int tally_deferred_add(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
		       const struct tally_deferred_sample *sample);

/* Add callers that arrived, which makes their samples ready. Returns 0 or -ENOMEM. */
int tally_deferred_join(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
			struct tally_words callers);

/* Give up the samples of `tid`, or of all threads: they are ready, without callers. */
void tally_deferred_release(struct tally_deferred *deferred, int32_t tid);
void tally_deferred_release_all(struct tally_deferred *deferred);

/* Return the next sample that is ready, valid until the next call. False if no sample is ready. */
bool tally_deferred_next(struct tally_deferred *deferred, struct tally_deferred_sample *ret_sample);

void tally_deferred_free(struct tally_deferred *deferred);

#endif
