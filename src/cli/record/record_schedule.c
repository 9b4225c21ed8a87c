/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/record_schedule.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/main/print.h"

/* Parse a number of milliseconds, in ns. Returns false if there is none. */
static bool parse_ms(const char **at, uint64_t *ret_ns)
{
	char *end;
	unsigned long ms = **at >= '0' && **at <= '9' ? strtoul(*at, &end, 10) : ULONG_MAX;

	if (ms > INT32_MAX)
		return false;
	*ret_ns = (uint64_t)ms * 1000000;
	*at = end;
	return true;
}

/* Parse a number or a range after `before`. Returns false if it is wrong. */
static bool parse_window(const char **at, uint64_t before, struct record_window *ret_window)
{
	if (!parse_ms(at, &ret_window->from) || ret_window->from < before)
		return false;
	ret_window->to = UINT64_MAX;
	if (**at != '-')
		return true;
	++*at;
	return parse_ms(at, &ret_window->to) && ret_window->to > ret_window->from;
}

/* Returns 0, -EINVAL or -ENOMEM. */
static int parse_windows(struct record_schedule *schedule, const char *at)
{
	struct record_window window = {0, 0};

	for (;; at++) {
		if (!parse_window(&at, window.to, &window))
			return -EINVAL;
		if (tally_vec_push(&schedule->windows, window))
			return -ENOMEM;
		/* A number without an end is the only window. */
		if (!*at)
			return window.to == UINT64_MAX && schedule->windows.len > 1 ? -EINVAL : 0;
		if (*at != ',' || window.to == UINT64_MAX)
			return -EINVAL;
	}
}

int record_schedule_parse(struct record_schedule *schedule, const char *text)
{
	int ret = strcmp(text, "-1") ? parse_windows(schedule, text) : 0;

	if (ret == -EINVAL)
		tally_print_error("-D %s: must be a number of milliseconds, -1, or ranges such as "
				  "10-20,30-40",
				  text);
	return ret;
}

void record_schedule_free(struct record_schedule *schedule)
{
	tally_vec_free(&schedule->windows);
}

bool record_schedule_starts_enabled(const struct record_schedule *schedule)
{
	return schedule->windows.len && !schedule->windows.data[0].from;
}

uint64_t record_schedule_edge(const struct record_schedule *schedule, bool disabled)
{
	const struct record_window *window;

	if (schedule->next == schedule->windows.len)
		return UINT64_MAX;
	window = &schedule->windows.data[schedule->next];
	return disabled ? window->from : window->to;
}

void record_schedule_stop(struct record_schedule *schedule)
{
	schedule->next = schedule->windows.len;
}
