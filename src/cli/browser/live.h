/* SPDX-License-Identifier: BSD-2-Clause */
/* What the browser needs to know of a profile that changes while it is looked at. */
#ifndef TALLY_CLI_BROWSER_LIVE_H
#define TALLY_CLI_BROWSER_LIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct browser_key;

/* A profile that changes while it is looked at, by other threads. */
struct tally_browser_live {
	pthread_mutex_t *lock;      /* held while the profile is looked at, not while a terminal is
				     * written to or waited for; guards what follows */
	const uint64_t *generation; /* counts up when the profile changed but for what was added */
	const bool *is_over;        /* nothing more comes */
	const int *error;           /* why: -errno */
	int wake;                   /* a descriptor that tells when there is something new */
	int signals;                /* signalfd: SIGWINCH, others end it */
	/* Called under the lock with the source's `arg`: what is said where nothing else is, NULL:
	 * nothing; rows were made; keys of rows are others, 0 or -ENOMEM. */
	const char *(*state)(void *arg);
	void (*shown)(void *arg);
	int (*reorder)(void *arg);
	/* What else keys do, and the help for them. */
	const struct browser_key *keys;
	size_t nr_keys;
	const char *const *help;
	size_t nr_help;
};

#endif
