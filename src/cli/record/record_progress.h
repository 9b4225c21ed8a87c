/* SPDX-License-Identifier: BSD-2-Clause */
/* --progress: the state of the recording, printed twice a second on one line of stderr if that is a
 * terminal. The last state stays on the screen. */
#ifndef TALLY_CLI_RECORD_PROGRESS_H
#define TALLY_CLI_RECORD_PROGRESS_H

#include <stdint.h>

struct record;

struct record_progress {
	uint64_t samples, lost; /* with --progress: read from the rings so far */
	uint64_t at;            /* time of the last update or the end; ns, CLOCK_MONOTONIC */
};

/* Return the time of the next update in ns, CLOCK_MONOTONIC; UINT64_MAX for never. */
uint64_t record_progress_next(const struct record *record);

/* Update the line if that is due. */
void record_progress_show(struct record *record);

/* End the updates and erase the line. */
void record_progress_stop(struct record *record);

/* Print a permanent line for `samples` samples in `bytes` bytes, instead of the usual message at
 * the end of a recording. Prints nothing with record->config->sampling.quiet. */
void record_progress_end(const struct record *record, uint64_t samples, uint64_t bytes);

#endif
