/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue between the drainer and the reader. */
#ifndef TALLY_CLI_TOP_QUEUE_H
#define TALLY_CLI_TOP_QUEUE_H

#include <pthread.h>

#include "base/vec.h"

/* Counts since the last refresh. */
struct top_counts {
	uint64_t samples, user, exact, lost, dropped;
};

/* Records on their way from the ring buffers to the reader. Protected by `lock`. */
struct top_queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	TALLY_VEC(uint8_t) bytes; /* complete records in chronological order */
	uint64_t dropped;         /* samples dropped because the queue was full */
	uint64_t tick;            /* time of a refresh due after the queued records, or 0 */
	bool ended;               /* no more records will be added */
	int error;                /* -errno that terminated the drainer */
};

#endif
