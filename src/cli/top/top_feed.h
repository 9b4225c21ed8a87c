/* SPDX-License-Identifier: BSD-2-Clause */
/* Feed records to the machine and the profile. */
#ifndef TALLY_CLI_TOP_FEED_H
#define TALLY_CLI_TOP_FEED_H

#include "cli/top/top.h"

/* Create the machine, symbols and profile. The sampler must be open, and the privileges for
 * reading /proc/kallsyms must still be in effect. Returns 0 or -errno; call top_feed_free() in
 * either case. */
int top_feed_init(struct top *top);

/* Start the thread that loads unwind rules. Call this after dropping privileges, because a thread
 * that is already running would keep its privileges. Returns 0 or -errno. */
int top_feed_start_loader(struct top *top);

void top_feed_free(struct top *top);

/* Feed the existing threads, mappings and modules to the machine. Returns 0 or an error from
 * reading them. */
int top_feed_existing(struct top *top);

/* Process one record. Called with top->lock held. Returns 0 or -ENOMEM. */
int top_feed_record(struct top *top, const struct perf_event_header *record);

/* Restart with an empty profile and with `by` (TALLY_BY_*) as its bucket keys. Called with
 * top->lock held. Returns 0 or -errno. */
int top_feed_restart(struct top *top, unsigned by);

#endif
