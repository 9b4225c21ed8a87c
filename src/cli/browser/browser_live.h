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
	/* Held while the profile is in use, but not while the browser writes to the terminal or
	 * waits for it. Protects the fields below. */
	pthread_mutex_t *lock;
	/* Incremented when the profile changes other than by adding samples. */
	const uint64_t *generation;
	const bool *is_over; /* no more samples will arrive */
	const int *error;    /* -errno if an error ended the profile */
	int wake;            /* eventfd: readable when there is new data */
	int signals;         /* signalfd; any signal except SIGWINCH ends the browser */
	/* The callbacks are called with the lock held, and are passed the source's `arg`. state()
	 * returns the text shown when there is no other message, or NULL. shown() is called after
	 * the screen has been drawn. reorder() is called after the sort keys have changed, and
	 * returns 0 or -ENOMEM. */
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
