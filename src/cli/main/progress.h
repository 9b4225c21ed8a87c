/* SPDX-License-Identifier: BSD-2-Clause */
/* How far long work is, on one line of stderr, only where that is a terminal. */
#ifndef TALLY_CLI_MAIN_PROGRESS_H
#define TALLY_CLI_MAIN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct tally_progress {
	const char *verb, *what;
	bool is_terminal, shown;
	uint64_t started; /* ns */
};

/* Where stdout is a terminal, too, its text is not to be disturbed, unless the result goes
 * elsewhere. */
struct tally_progress tally_progress_start(const char *verb, const char *what, bool goes_elsewhere);

/* `done` of `all` (0: not known). Shows nothing in the first half second. */
void tally_progress_at(struct tally_progress *progress, uint64_t done, uint64_t all);

/* Take the line away. */
void tally_progress_end(struct tally_progress *progress);

#endif
