/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface to a profile that other threads change while it is displayed. */
#ifndef TALLY_CLI_BROWSER_LIVE_H
#define TALLY_CLI_BROWSER_LIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct browser_key;

/* A live profile. */
struct tally_browser_live {
	pthread_mutex_t *lock;      /* held while the profile is used, but not while writing to or
	                             * waiting for the terminal; protects the fields below */
	const uint64_t *generation; /* incremented when the profile changes other than by added
	                             * samples */
	const bool *is_over;        /* no more samples will arrive */
	const int *error;           /* -errno if an error ended it */
	int wake;                   /* eventfd: readable when there is new data */
	int signals;                /* signalfd: SIGWINCH; all other signals end the browser */
	/* Called with the lock held and the source's `arg`. state: return the text shown when there
	 * is no other message, or NULL. shown: the screen was drawn. reorder: the sort keys
	 * changed; returns 0 or -ENOMEM. */
	const char *(*state)(void *arg);
	void (*shown)(void *arg);
	int (*reorder)(void *arg);
	/* Additional keys, and their help lines. */
	const struct browser_key *keys;
	size_t nr_keys;
	const char *const *help;
	size_t nr_help;
};

#endif
