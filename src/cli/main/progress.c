/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/debuginfod.h"

enum { QUIET_NS = 500000000 };

/* The operation in progress. Only one is shown at a time. */
static struct {
	const char *verb; /* NULL if there is no operation */
	uint64_t started; /* ns */
	bool is_terminal, shown;
} line;

static void line_erase(void)
{
	if (line.shown)
		fprintf(stderr, "\r\033[K");
	line.shown = false;
}

static void line_start(const char *verb, bool goes_elsewhere)
{
	line_erase();
	line.verb = verb;
	line.is_terminal = isatty(STDERR_FILENO) && (goes_elsewhere || !isatty(STDOUT_FILENO));
	line.started = tally_clock_now();
}

static void line_show(const char *what, uint64_t done, uint64_t all)
{
	if (!line.is_terminal || tally_clock_now() - line.started < QUIET_NS)
		return;
	line.shown = true;
	if (all && done <= all)
		fprintf(stderr, "\r%s %s: %3llu %%", line.verb, what,
			(unsigned long long)(done * 100 / all));
	else
		fprintf(stderr, "\r%s %s ...", line.verb, what);
}

/* `data` is not NULL if the result is not written to stdout. While files are fetched, nothing has
 * been written to stdout yet. */
static void line_at(void *data, const char *verb, const char *what, uint64_t done, uint64_t all)
{
	if (!verb) {
		line_erase();
		line.verb = NULL;
		return;
	}
	if (!line.verb || strcmp(line.verb, verb))
		line_start(verb, data || !strcmp(verb, TALLY_DEBUGINFOD_VERB));
	line_show(what, done, all);
}

const struct tally_progress tally_progress_line = {.at = line_at};
const struct tally_progress tally_progress_line_elsewhere = {.at = line_at, .data = &line};
