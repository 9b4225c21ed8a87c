/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the thread that drains the rings and the one that reads. */
#ifndef TALLY_CLI_TOP_QUEUE_H
#define TALLY_CLI_TOP_QUEUE_H

#include <pthread.h>

#include "base/vec.h"

/* Of the time since the last refresh. */
struct top_counts {
	uint64_t samples, user, exact, lost, dropped;
};

/* Records on their way from the rings to the reader. All is under its lock. */
struct top_queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	TALLY_VEC(uint8_t) bytes; /* whole records, in the order of time */
	uint64_t dropped;         /* samples that there was no room for */
	uint64_t tick;            /* a refresh is due, with what was drained until then; 0: none */
	bool ended;               /* nothing more comes */
	int error;                /* -errno that ended it */
};

#endif
