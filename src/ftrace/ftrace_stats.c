/* SPDX-License-Identifier: BSD-2-Clause */
#include "ftrace/ftrace_stats.h"

#include <string.h>

static void add_up(struct tally_ftrace_stat *stat, uint64_t ns)
{
	if (!stat->count++ || ns < stat->min_ns)
		stat->min_ns = ns;
	if (ns > stat->max_ns)
		stat->max_ns = ns;
	if (__builtin_add_overflow(stat->total_ns, ns, &stat->total_ns))
		stat->total_ns = UINT64_MAX;
}

int tally_ftrace_stats_add(struct tally_ftrace_stats *stats, const char *name, size_t len,
			   uint64_t ns)
{
	uint32_t id;
	int ret = tally_intern(&stats->names, name, len, &id);

	if (ret)
		return ret;
	if (id == stats->by_name.len)
		ret = tally_vec_push(&stats->by_name, (struct tally_ftrace_stat){0});
	if (ret)
		return ret;
	stats->by_name.data[id].name = tally_intern_text(&stats->names, id);
	add_up(&stats->by_name.data[id], ns);
	return 0;
}

void tally_ftrace_stats_free(struct tally_ftrace_stats *stats)
{
	tally_intern_free(&stats->names);
	tally_vec_free(&stats->by_name);
}

int tally_ftrace_histogram_last(const struct tally_ftrace_histogram *histogram)
{
	return histogram->last ? histogram->last : TALLY_FTRACE_BUCKETS - 1;
}

/* Return the bucket for a duration if all buckets have the same range. */
static int linear_bucket(const struct tally_ftrace_histogram *histogram, uint64_t units)
{
	int last = tally_ftrace_histogram_last(histogram);
	uint64_t beyond;

	if (units < histogram->least)
		return 0;
	beyond = (units - histogram->least) / histogram->range;
	return beyond < (uint64_t)last ? (int)beyond + 1 : last;
}

static int power_bucket(uint64_t units)
{
	int bucket = 0;

	while (units && bucket < TALLY_FTRACE_BUCKETS - 1) {
		units /= 2;
		bucket++;
	}
	return bucket;
}

void tally_ftrace_histogram_add(struct tally_ftrace_histogram *histogram, uint64_t ns)
{
	uint64_t units = ns / histogram->unit_ns;

	histogram->bucket[histogram->range ? linear_bucket(histogram, units)
					   : power_bucket(units)]++;
	add_up(&histogram->all, ns);
}

/* Return true if the event is the named tracepoint. ftrace prints "sys_enter_read" as
 * "sys_read(". */
static bool is_event(const struct tally_ftrace_line *line, const char *name)
{
	static const char *const starts[] = {
		[TALLY_FTRACE_SYSCALL_ENTER] = "sys_enter_",
		[TALLY_FTRACE_SYSCALL_EXIT] = "sys_exit_",
	};
	const char *text = line->name, *start = starts[line->syscall];
	size_t len = line->name_len;

	if (start && len > 4 && !memcmp(text, "sys_", 4) && !strncmp(name, start, strlen(start))) {
		name += strlen(start);
		text += 4;
		len -= 4;
	}
	return len == strlen(name) && !memcmp(text, name, len);
}

/* An event may end one interval and start the next. */
bool tally_ftrace_pair_follow(struct tally_ftrace_pair *pair, const struct tally_ftrace_line *line,
			      uint64_t *ret_ns)
{
	uint64_t since = TALLY_MAP_NONE;

	if (line->kind != TALLY_FTRACE_EVENT || line->tid < 0)
		return false;
	if (is_event(line, pair->to))
		since = tally_map_remove(&pair->since, (uint64_t)line->tid);
	if (is_event(line, pair->from) && line->ns != TALLY_MAP_NONE)
		tally_map_set(&pair->since, (uint64_t)line->tid, line->ns);
	if (since == TALLY_MAP_NONE || line->ns < since)
		return false;
	*ret_ns = line->ns - since;
	return true;
}
