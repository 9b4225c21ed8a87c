/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress line on stderr for long operations; shown only on a terminal. */
#ifndef TALLY_CLI_MAIN_PROGRESS_H
#define TALLY_CLI_MAIN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct tally_progress {
	const char *verb, *what;
	bool is_terminal, shown;
	uint64_t started; /* ns */
};

/* Start a progress line. The line is not shown if stdout is also a terminal, because it would
 * disturb the output there. If `goes_elsewhere` is set, the result is not written to stdout, so the
 * line is shown anyway. */
struct tally_progress tally_progress_start(const char *verb, const char *what, bool goes_elsewhere);

/* Show that `done` of `all` units are done; `all` is 0 if unknown. Shows nothing during the first
 * half second. */
void tally_progress_at(struct tally_progress *progress, uint64_t done, uint64_t all);

/* Erase the line. */
void tally_progress_end(struct tally_progress *progress);

#endif
