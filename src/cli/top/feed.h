/* SPDX-License-Identifier: BSD-2-Clause */
/* Records to machine and profile. */
#ifndef TALLY_CLI_TOP_FEED_H
#define TALLY_CLI_TOP_FEED_H

#include "cli/top/top.h"

/* Make the machine, the symbols and the profile; the sampler is open, and the privileges to read
 * /proc/kallsyms are still there. 0 or -errno; top_feed_free() in any case. */
int top_feed_init(struct top *top);

/* Have unwind rules loaded by a thread. Privileges are given up before: a thread would keep its
 * own. 0 or -errno. */
int top_feed_load_apart(struct top *top);

void top_feed_free(struct top *top);

/* Tell the machine of the tasks, maps and modules that exist already. 0 or the error of reading
 * them. */
int top_feed_existing(struct top *top);

/* Take in one record. The caller holds the lock. 0 or -ENOMEM. */
int top_feed_record(struct top *top, const struct perf_event_header *record);

/* The profile starts anew, with buckets told apart by `by` (TALLY_BY_*). The caller holds the lock.
 */
int top_feed_restart(struct top *top, unsigned by);

#endif
