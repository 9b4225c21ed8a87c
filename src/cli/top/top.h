/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State shared by the source files of tally top.
 *
 * There are three threads. The drainer takes records out of the ring buffers. The reader builds a
 * profile from these records. The main thread shows it, lets it decay, and handles keys. A single
 * lock protects the state shared by the reader and the main thread. It is never held while writing
 * to or waiting for the terminal, so a stopped terminal does not block the other threads.
 */
#ifndef TALLY_CLI_TOP_TOP_H
#define TALLY_CLI_TOP_TOP_H

#include <pthread.h>

#include "cli/main/via.h"
#include "live/live_machine.h"
#include "symbols/rules_loader.h"
#include "cli/top/top_config.h"
#include "cli/top/top_labels.h"
#include "cli/top/queue.h"
#include "profile/process/ignore_callees.h"
#include "profile/profile_model.h"
#include "sampler/sampler.h"

struct top {
	struct top_config *config;
	struct tally_via via;
	struct tally_sampler sampler;
	int kallsyms_fd;                    /* from tally_privileges_kallsyms() */
	struct tally_symbols_options index; /* the index directory; everything else is zero */
	struct tally_str index_dir;         /* `index` points to this string */
	struct tally_ignore_callees ignore; /* used while samples are fed to the profile */
	struct top_queue queue;
	pthread_t drainer, reader;
	bool has_drainer, has_reader;
	int wake_main;    /* eventfd signalled by the reader at every refresh and when it exits */
	int wake_drainer; /* eventfd that makes the drainer check the flags below */

	pthread_mutex_t lock;
	/* Protected by `lock`. */
	struct tally_loader *loader; /* loads unwind rules; has its own lock */
	struct tally_live live;      /* except layouts and IDs, which are constant */
	struct tally_profile profile;
	struct top_labels labels;
	struct top_counts now, shown;            /* current and last complete interval */
	uint64_t shown_ns;                       /* length of the interval in `shown` */
	struct tally_profile_stats shown_chains; /* callchain statistics for that interval */
	uint64_t interval_start;
	uint64_t lost, dropped;    /* totals since the start */
	uint64_t generation, seen; /* counts changes other than added samples; the last one shown */
	bool is_switched_off;      /* see tally_event_switch_passes() */
	bool is_paused;            /* samples are discarded and the profile does not decay */
	bool halt, refresh_now;    /* requests to terminate and to refresh immediately */
	bool is_over;              /* all records have been processed */
	bool may_have_lost;        /* task records may be lost, so check for exited tasks */
	int error;                 /* -errno that terminated the reader */
	struct tally_str event_name; /* holds the event name last returned to the browser */
};

#endif
