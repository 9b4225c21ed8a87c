/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of tally top share.
 *
 * Three threads: one takes records out of the rings, the reader makes a profile of them and ages
 * it, the main thread shows it and listens to keys. What reader and main thread use is under one
 * lock, which is held for computing and never while a terminal is written to or waited for: a
 * terminal that is stopped stops nothing else. Nor does a file whose symbols are being read stop
 * the taking.
 */
#ifndef TALLY_CLI_TOP_TOP_H
#define TALLY_CLI_TOP_TOP_H

#include <pthread.h>

#include "cli/main/command.h"
#include "cli/recording/rows.h"
#include "profile/feed.h"
#include "profile/profile.h"
#include "sampler/sampler.h"

/* The command line, and what keys make of it. */
struct top_config {
	struct tally_sampling sampling;
	struct tally_option_list events;
	const char *mmap_size;
	int realtime, verbose;
	struct report_config report;
	const char *delay, *call_graph;
	uint64_t entries, count_filter;
	bool zero, hide_kernel, hide_user, show_idle, stdio, tui, group;
	uint64_t delay_ns;
};

extern const struct tally_option top_options[];

/* Derive what follows from the options. Says what is wrong. 0 or -EINVAL. */
int top_config_finish(struct top_config *config);

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
	uint64_t tick;            /* a refresh is due, with what was taken until then; 0: none */
	bool ended;               /* nothing more comes */
	int error;                /* -errno that ended it */
};

struct top {
	struct top_config *config;
	struct tally_sampler sampler;
	TALLY_VEC(struct tally_sample_layout) layouts; /* by event */
	struct tally_map ids;                          /* of samples, to events */
	struct tally_symbols *symbols;
	int kallsyms_fd; /* see tally_privileges_kallsyms() */
	struct top_queue queue;
	pthread_t taker, reader;
	bool has_taker, has_reader;
	int wake; /* eventfd: told by the reader of every refresh and of its end */
	int poke; /* eventfd: has the taker look at the flags below */

	pthread_mutex_t lock;
	/* Under the lock: */
	struct tally_machine *machine;
	struct tally_feed feed; /* into the machine */
	struct tally_profile profile;
	struct top_counts now, shown; /* of this interval, and of the last whole one */
	uint64_t shown_ns;            /* how long that was */
	uint64_t interval_start;
	uint64_t lost, dropped; /* in all */
	uint64_t generation;    /* counts up when the profile changed but for what was added */
	uint64_t seen;          /* the one that was shown last */
	bool is_paused;         /* samples are thrown away, nothing fades */
	bool halt, refresh_now; /* the reader is to end; to refresh at once */
	bool is_over;           /* nothing is left to read */
	bool may_have_lost;     /* records that tell of tasks: look for those that ended */
	int error;              /* -errno that ended the reader */
};

/* top_feed.c: records to machine and profile. */
int top_feed_init(struct top *top);
void top_feed_free(struct top *top);
/* What was there before. */
int top_feed_existing(struct top *top);
/* Take in one record. The caller holds the lock. 0 or -ENOMEM. */
int top_feed_record(struct top *top, const struct perf_event_header *record);
/* The profile starts anew, with cells told apart by `by` (TALLY_BY_*). The caller holds the lock.
 */
int top_feed_restart(struct top *top, unsigned by);

/* top_take.c: the thread that takes. */
void *top_take_main(void *top);

/* top_reader.c */
int top_reader_start(struct top *top);
void top_reader_stop(struct top *top);
/* Refresh now, not later. The caller does not hold the lock. */
void top_reader_refresh(struct top *top);

/* top_header.c: the first line, into an empty builder. The caller holds the lock. */
void top_header_text(const struct top *top, struct tally_str *out);

/* top_rows.c: rows as they are shown. The caller holds the lock. */

/* What is looked at alone. Texts are owned; NULL or -1: not. */
struct top_zoom {
	char *comm, *dso, *symbol;
	char *part; /* in the name of a symbol */
	int32_t pid, tid;
	bool kernel;
};

void top_zoom_free(struct top_zoom *zoom);

/* Not to be moved once made. */
struct top_rows {
	struct tally_hist hist; /* rows that are not shown are left out */
	struct tally_view view; /* not measured */
	uint64_t generation;    /* of the profile that they were made of */
};

/* What a profile has to tell apart for these columns and callchains. */
unsigned top_profile_by(const struct report_config *config);

/* Make the rows of an event; `relative` to what is looked at, else to everything; the first `most`.
 * 0 or -ENOMEM. */
int top_rows_make(struct top *top, uint32_t event, const struct top_zoom *zoom, bool relative,
		  size_t most, struct top_rows *ret_rows);
void top_rows_free(struct top_rows *rows);

/* All rows of this refresh were made: with --zero the past ends here. */
void top_rows_taken(struct top *top);

/* The name of an event as it was opened, for headings. */
void top_event_name(const struct top *top, uint32_t event, struct tally_str *out);

/* Events that are sampled come first: their number. */
size_t top_nr_events(const struct top *top);

/* Say why it ended, if that is not what was asked for. What `ret` is to the caller then. */
int top_tell_end(struct top *top, int ret);

/* Read what came: true when the terminal's size changed; `*stop` becomes true when we are to end.
 */
bool top_take_signals(int signals, bool *stop);

/* Ways to show it; until its end, which is told. 0 or -errno. `signals`: signalfd. */
int top_stdio_run(struct top *top, int signals);
int top_screen_run(struct top *top, int signals);

#endif
