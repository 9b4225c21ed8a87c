/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State shared by the source files of tally top.
 *
 * There are three threads: the drainer takes records out of the ring buffers; the reader builds a
 * profile from them and decays it; the main thread shows the profile and handles keys. The state
 * used by reader and main thread is protected by one lock. It is never held while writing to or
 * waiting for the terminal, so that a stopped terminal does not block the other threads. Reading
 * the symbols of a file does not block the drainer either.
 */
#ifndef TALLY_CLI_TOP_TOP_H
#define TALLY_CLI_TOP_TOP_H

#include <pthread.h>

#include "cli/main/via.h"
#include "cli/recording/recording_live.h"
#include "cli/recording/loader.h"
#include "cli/top/top_config.h"
#include "cli/top/queue.h"
#include "profile/profile.h"
#include "sampler/sampler.h"

struct top {
	struct top_config *config;
	struct tally_via via;
	struct tally_sampler sampler;
	int kallsyms_fd; /* from tally_privileges_kallsyms() */
	struct top_queue queue;
	pthread_t drainer, reader;
	bool has_drainer, has_reader;
	int wake_main;    /* eventfd: signalled by the reader at every refresh and at its end */
	int wake_drainer; /* eventfd: makes the drainer check the flags below */

	pthread_mutex_t lock;
	/* Protected by `lock`: */
	struct tally_loader *loader; /* loads unwind rules; has its own lock */
	struct tally_live live;      /* except layouts and IDs, which are constant */
	struct tally_profile profile;
	struct top_counts now, shown;            /* of the current and the last complete interval */
	uint64_t shown_ns;                       /* length of the interval in `shown` */
	struct tally_profile_stats shown_chains; /* callchains of the same interval */
	uint64_t interval_start;
	uint64_t lost, dropped;      /* totals */
	uint64_t generation;         /* incremented when the profile changes other than by added
	                              * samples */
	uint64_t seen;               /* last generation that was shown */
	bool is_paused;              /* samples are discarded and the profile does not decay */
	bool halt, refresh_now;      /* requests: stop; refresh immediately */
	bool is_over;                /* all records have been processed */
	bool may_have_lost;          /* records of tasks may be lost: check for exited tasks */
	int error;                   /* -errno that ended the reader */
	struct tally_str event_name; /* name returned last */
};

#endif
