/* SPDX-License-Identifier: BSD-2-Clause */
/* The times at which record -D enables and disables events. */
#ifndef TALLY_CLI_RECORD_SCHEDULE_H
#define TALLY_CLI_RECORD_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A time during which events are enabled, in ns since the start. */
struct record_window {
	uint64_t from, to; /* to: UINT64_MAX if it does not end */
};

/* All zero is a schedule that changes nothing. */
struct record_schedule {
	TALLY_VEC(struct record_window) windows; /* ascending */
	size_t next;                             /* the current or next window */
};

/* Parse "-1", a number of milliseconds, or ranges such as "10-20,30-40". Returns 0; -EINVAL after
 * printing an error; or -ENOMEM. */
int record_schedule_parse(struct record_schedule *schedule, const char *text);
void record_schedule_free(struct record_schedule *schedule);

/* Return true if a window begins with the recording. */
bool record_schedule_starts_enabled(const struct record_schedule *schedule);

/* Return the time since the start, in ns, at which the schedule changes events that are disabled or
 * not; UINT64_MAX if it does not. */
uint64_t record_schedule_edge(const struct record_schedule *schedule, bool disabled);

/* Drop the rest of the schedule, because --control decides. */
void record_schedule_stop(struct record_schedule *schedule);

#endif
