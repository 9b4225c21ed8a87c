/* SPDX-License-Identifier: BSD-2-Clause */
/* --progress: how far the recording is, twice a second on one line of stderr if that is a terminal;
 * its last state stays. */
#ifndef TALLY_CLI_RECORD_PROGRESS_H
#define TALLY_CLI_RECORD_PROGRESS_H

#include <stdint.h>

struct record;

struct record_progress {
	uint64_t samples, lost; /* with --progress: in the rings so far */
	uint64_t at;            /* ns of CLOCK_MONOTONIC: when that was shown last, or the end */
};

/* When it is to be shown next, in ns of CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t record_progress_next(const struct record *record);

/* Show it if it is time. */
void record_progress_show(struct record *record);

/* Nothing is recorded any more: take the line away. */
void record_progress_stop(struct record *record);

/* Print a line that stays, of `samples` in `bytes`, in the place of what is printed at the end of a
 * recording otherwise; nothing with record->config->sampling.quiet. */
void record_progress_end(const struct record *record, uint64_t samples, uint64_t bytes);

#endif
