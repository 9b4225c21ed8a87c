/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { QUIET_NS = 500000000 };

struct tally_progress tally_progress_start(const char *verb, const char *what, bool goes_elsewhere)
{
	return (struct tally_progress){
		.verb = verb,
		.what = what,
		.is_terminal = isatty(STDERR_FILENO) && (goes_elsewhere || !isatty(STDOUT_FILENO)),
		.started = tally_clock_now(),
	};
}

void tally_progress_at(struct tally_progress *progress, uint64_t done, uint64_t all)
{
	if (!progress->is_terminal || tally_clock_now() - progress->started < QUIET_NS)
		return;
	progress->shown = true;
	if (all && done <= all)
		fprintf(stderr, "\r%s %s: %3llu %%", progress->verb, progress->what,
			(unsigned long long)(done * 100 / all));
	else
		fprintf(stderr, "\r%s %s ...", progress->verb, progress->what);
}

void tally_progress_end(struct tally_progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\033[K");
	progress->shown = false;
}
