/* SPDX-License-Identifier: BSD-2-Clause */
/* report --threads: the counts of each thread, which 'record -s' records when threads exit. */
#ifndef TALLY_CLI_REPORT_THREADS_H
#define TALLY_CLI_REPORT_THREADS_H

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "session/session.h"

/* Number of events that are shown, as each is a column. */
enum { REPORT_THREADS_EVENTS = 32 };

struct report_thread {
	uint32_t pid, tid;
};

/* A zero-initialised structure has no counts. */
struct report_threads {
	TALLY_VEC(struct report_thread) all;
	struct tally_intern ids;                /* pid and tid of each thread */
	struct tally_map counts;                /* thread << 32 | event -> count */
	uint32_t events[REPORT_THREADS_EVENTS]; /* events that have counts, sorted */
	uint32_t nr_events;
	bool has_more; /* there are counts of other events */
};

/* Add the counts of a record, if it has any. Returns 0 or -ENOMEM. */
int report_threads_add(struct report_threads *threads, const struct tally_session *session,
		       const struct tally_perfdata_record *record);

/* Append a table with a line for each thread and a column for each event. */
void report_threads_text(const struct report_threads *threads, const struct tally_session *session,
			 struct tally_str *out);

void report_threads_free(struct report_threads *threads);

#endif
