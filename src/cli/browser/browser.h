/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal browser: a profile to look at with keys and a mouse, in views that share one
 * selection (a query, steps of zoom, a span of time). What is drawn is made anew from the profile
 * after every key and refresh; nothing is kept but what the user did.
 *
 * It does not: read recordings or record; change the profile.
 */
#ifndef TALLY_CLI_BROWSER_BROWSER_H
#define TALLY_CLI_BROWSER_BROWSER_H

#include <pthread.h>

#include "cli/recording/rows.h"

struct browser;
struct browser_key;
struct browser_view;

/* A profile that changes while it is looked at, by other threads. */
struct tally_browser_live {
	pthread_mutex_t *lock;      /* held while the profile is looked at, not while a terminal is
				     * written to or waited for; guards what follows */
	const uint64_t *generation; /* counts up when the profile changed but for what was added */
	const bool *is_over;        /* nothing more comes */
	const int *error;           /* why: -errno */
	int wake;                   /* a descriptor that tells when there is something new */
	int signals;                /* signalfd: SIGWINCH, others end it */
	/* Called under the lock with the source's `arg`: the first line; what is said where nothing
	 * else is, NULL: nothing; rows were made; keys of rows are others, 0 or -ENOMEM. */
	void (*title)(void *arg, struct tally_str *out);
	const char *(*state)(void *arg);
	void (*shown)(void *arg);
	int (*reorder)(void *arg);
	/* What else keys do, and the help for them. */
	const struct browser_key *keys;
	size_t nr_keys;
	const char *const *help;
	size_t nr_help;
};

/* Where what is shown comes from. All borrowed. */
struct tally_browser_source {
	const struct tally_browser_live *live;   /* NULL: it is finished, and nothing changes */
	const struct browser_view *const *views; /* NULL ends them; the first one comes first */
	/* By comm, frame and, where there are callchains, path; finished with samples kept, and by
	 * thread and CPU, too. */
	struct tally_profile *profile;
	struct report_config *config; /* finished; other orders change its keys and columns */
	const struct tally_intern *labels;
	uint32_t first_event, nr_events;
	void *arg; /* of: */
	/* The name of an event; NULL: there is no event of that number, or it has no samples. */
	const char *(*event)(void *arg, uint32_t event);
	/* What a reader must know about the recording, lines of comment ("# ..."). */
	void (*health)(void *arg, struct tally_str *out);
	uint64_t count_filter; /* rows of fewer samples are left out */
	size_t most;           /* rows; 0: all */
	bool hide_kernel, hide_user;
	const char *what;  /* what was read, for the title */
	const char *query; /* what is looked at first; NULL: everything */
};

/* The views of a recording, and of what changes, which has no times. */
extern const struct browser_view *const tally_browser_views[], *const tally_browser_live_views[];

/* Show it on the terminal that standard input and output are, until the user has seen enough; then
 * leave what is most important behind as text. 0; -ENOTTY where they are none; -ENODEV where
 * nothing is known about its kind, -ENOMEM, or another error: told. */
int tally_browser_run(const struct tally_browser_source *source);

#endif
