/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of tally top share.
 *
 * Three threads: the drainer takes records out of the rings, the reader makes a profile of them and
 * ages it, the main thread shows it and listens to keys. What reader and main thread use is under
 * one lock, which is held for computing and never while a terminal is written to or waited for: a
 * terminal that is stopped stops nothing else. Nor does a file whose symbols are being read stop
 * the draining.
 */
#ifndef TALLY_CLI_TOP_TOP_H
#define TALLY_CLI_TOP_TOP_H

#include <pthread.h>

#include "cli/main/via.h"
#include "cli/recording/live.h"
#include "cli/recording/loader.h"
#include "cli/top/config.h"
#include "cli/top/queue.h"
#include "profile/profile.h"
#include "sampler/sampler.h"

struct top {
	struct top_config *config;
	struct tally_via via;
	struct tally_sampler sampler;
	int kallsyms_fd; /* see tally_privileges_kallsyms() */
	struct top_queue queue;
	pthread_t drainer, reader;
	bool has_drainer, has_reader;
	int wake_main;    /* eventfd: told by the reader of every refresh and of its end */
	int wake_drainer; /* eventfd: has the drainer look at the flags below */

	pthread_mutex_t lock;
	/* Under the lock: */
	struct tally_loader *loader; /* of unwind rules; has a lock of its own */
	struct tally_live live;      /* but for layouts and ids, which stay as they are */
	struct tally_profile profile;
	struct top_counts now, shown;            /* of this interval, and of the last whole one */
	uint64_t shown_ns;                       /* how long that was */
	struct tally_profile_stats shown_chains; /* of the same interval */
	uint64_t interval_start;
	uint64_t lost, dropped;      /* in all */
	uint64_t generation;         /* counts up when the profile changed but for what was added */
	uint64_t seen;               /* the one that was shown last */
	bool is_paused;              /* samples are thrown away, nothing fades */
	bool halt, refresh_now;      /* the reader is to end; to refresh at once */
	bool is_over;                /* nothing is left to read */
	bool may_have_lost;          /* records that tell of tasks: look for those that ended */
	int error;                   /* -errno that ended the reader */
	struct tally_str event_name; /* of the one asked for last */
};

#endif
