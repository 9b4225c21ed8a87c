/* SPDX-License-Identifier: BSD-2-Clause */
/* --progress: the state of the recording, printed twice a second on one line of stderr if stderr is
 * a terminal. The last state stays on the screen. */
#ifndef TALLY_CLI_RECORD_PROGRESS_H
#define TALLY_CLI_RECORD_PROGRESS_H

#include <stdint.h>

struct record;

struct record_progress {
	uint64_t samples, lost; /* read from the rings so far, with --progress */
	uint64_t at;            /* last update, or end of recording; ns, CLOCK_MONOTONIC */
};

/* Return the time of the next update in ns, CLOCK_MONOTONIC, or UINT64_MAX. */
uint64_t record_progress_next(const struct record *record);

/* Update the line if an update is due. */
void record_progress_show(struct record *record);

/* Stop updating and erase the line. */
void record_progress_stop(struct record *record);

/* Print a permanent line with the number of samples and bytes, instead of the usual message at the
 * end of a recording. Prints nothing with record->config->sampling.quiet. */
void record_progress_end(const struct record *record, uint64_t samples, uint64_t bytes);

#endif
