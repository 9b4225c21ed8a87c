/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that wait for their user-space callers. With attr.defer_callchain (Linux 6.19), the
 * kernel does not unwind the user stack when it takes a sample. It unwinds the stack once, right
 * before the thread returns to user space, where it can take page faults. The callchain of such a
 * sample ends with PERF_CONTEXT_USER_DEFERRED and a cookie. A later CALLCHAIN_DEFERRED record for
 * the same thread contains the cookie and the callers. All samples taken since the thread entered
 * the kernel have the same cookie; some of them may arrive after the record.
 *
 * A cookie is valid until the thread returns to user space. If a thread uses another cookie, exits,
 * or executes another program, the record for its waiting samples was lost, and the samples are
 * released without callers. When the total size exceeds `limit` bytes, callers that are kept for
 * further samples are freed first; then the samples of the thread that has waited longest are
 * released.
 *
 * Samples are copied when they begin to wait. They become ready when their callers arrive or when
 * they are released. tally_deferred_next() returns them in the order in which they became ready.
 *
 * Sources: linux/perf_event.h from Linux 6.19 (PERF_RECORD_CALLCHAIN_DEFERRED), the commit "perf:
 * Support deferred user unwind", and linux/unwind_deferred_types.h for cookies.
 */
#ifndef TALLY_PROFILE_PROCESS_DEFERRED_H
#define TALLY_PROFILE_PROCESS_DEFERRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"

struct deferred_task;
struct deferred_sample;

enum { TALLY_DEFERRED_LIMIT = 64 << 20 };

/* An all-zero structure is empty. A limit of 0 means TALLY_DEFERRED_LIMIT. */
struct tally_deferred {
	uint64_t limit;
	struct tally_map tasks;                     /* maps tid to struct deferred_task * */
	struct deferred_task *first, *last;         /* tasks, in the order they will be freed */
	struct deferred_sample *ready, **ready_end; /* samples that are ready, in order */
	struct deferred_sample *current;            /* last sample returned */
	uint64_t used;                              /* size of waiting samples and kept callers */
};

/* A sample that is waiting or ready. */
struct tally_deferred_sample {
	const struct tally_sample_layout *layout; /* borrowed, like attr */
	const struct perf_event_attr *attr;
	const void *record, *tag; /* the record, and data attached by the caller */
	size_t size, tag_size;
	uint32_t event;             /* number of the event */
	bool is_joined;             /* callers have arrived, though there may be none */
	struct tally_words callers; /* as stored in the CALLCHAIN_DEFERRED record */
};

/* Get the cookie at the end of a callchain. Returns false if the callchain is complete. */
bool tally_deferred_cookie(struct tally_words callchain, uint64_t *ret_cookie);

/* Add a waiting sample of thread `tid`. The record and the tag are copied. Returns 0 or -ENOMEM. */
int tally_deferred_add(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
		       const struct tally_deferred_sample *sample);

/* Add callers that have arrived, which makes their samples ready. Returns 0 or -ENOMEM. */
int tally_deferred_join(struct tally_deferred *deferred, int32_t tid, uint64_t cookie,
			struct tally_words callers);

/* Release the samples of thread `tid`, or of all threads. They become ready without callers. */
void tally_deferred_release(struct tally_deferred *deferred, int32_t tid);
void tally_deferred_release_all(struct tally_deferred *deferred);

/* Return the next sample that is ready, which is valid until the next call. Returns false if no
 * sample is ready. */
bool tally_deferred_next(struct tally_deferred *deferred, struct tally_deferred_sample *ret_sample);

void tally_deferred_free(struct tally_deferred *deferred);

#endif
