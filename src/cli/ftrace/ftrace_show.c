/* SPDX-License-Identifier: BSD-2-Clause */
/* Print summaries of durations: the histogram of `latency` and the table of `profile`. */
#include "cli/ftrace/ftrace_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { BAR = 46, FIRST_ROWS = 11 }; /* FIRST_ROWS: rows before switching to the next unit */

/* ---- latency -------------------------------------------------------------- */

static void show_bar(uint64_t count, uint64_t all)
{
	int stars = all ? (int)tally_mul_div(count, BAR, all) : 0;

	printf(" | %10llu | ", (unsigned long long)count);
	for (int i = 0; i < BAR; i++)
		putchar(i < stars ? '#' : ' ');
	puts(" |");
}

/* Print a bucket's range, such as "512 - 1024 us". Bounds are powers of two. From 1024 on, the
 * next unit is used. */
static void show_row(int bucket, const char *const *units)
{
	int power = bucket ? bucket - 1 : 0;
	const char *unit = units[power / (FIRST_ROWS - 1)];

	power %= FIRST_ROWS - 1;
	if (!bucket)
		printf("  %4d - %4d %s", 0, 1, unit);
	else if (bucket == TALLY_FTRACE_BUCKETS - 1)
		printf("  %4d - %-4s %2s", 1 << power, " ...", unit);
	else
		printf("  %4d - %4d %s", 1 << power, 2 << power, unit);
}

/* Print the range of a bucket if all have the same size. */
static void show_linear_row(const struct tally_ftrace_histogram *histogram, int bucket,
			    const char *unit)
{
	uint64_t from = histogram->least + (uint64_t)(bucket - 1) * histogram->range;

	if (!bucket)
		printf("  %4d - %4" PRIu64 " %s", 0, histogram->least, unit);
	else if (bucket == tally_ftrace_histogram_last(histogram))
		printf("  %4" PRIu64 " - %-4s %2s", from, " ...", unit);
	else
		printf("  %4" PRIu64 " - %4" PRIu64 " %s", from, from + histogram->range, unit);
}

static void show_sums(const struct ftrace_session *session)
{
	const struct tally_ftrace_stat *all = &session->histogram.all;
	double unit = (double)session->histogram.unit_ns;

	printf("\n# statistics  (in %s)\n", session->config->nanoseconds ? "nsec" : "usec");
	printf("  total time: %20.0f\n", (double)all->total_ns / unit);
	printf("    avg time: %20.0f\n",
	       all->count ? (double)all->total_ns / (double)all->count / unit : 0);
	printf("    max time: %20.0f\n", (double)all->max_ns / unit);
	printf("    min time: %20.0f\n", (double)all->min_ns / unit);
	printf("       count: %20llu\n", (unsigned long long)all->count);
}

void ftrace_show_latency(const struct ftrace_session *session)
{
	static const char *const units[] = {"ns", "us", "ms", " s"};
	const struct tally_ftrace_histogram *histogram = &session->histogram;
	const char *const *first = session->config->nanoseconds ? units : units + 1;

	printf("#   DURATION     | %10s | %-*s |\n", "COUNT", BAR, "GRAPH");
	for (int i = 0; i <= tally_ftrace_histogram_last(histogram); i++) {
		/* If the first bucket starts at 0, no duration is below it. */
		if (!histogram->bucket[i] &&
		    (session->config->hide_empty || (histogram->range && !i && !histogram->least)))
			continue;
		if (histogram->range)
			show_linear_row(histogram, i, *first);
		else
			show_row(i, first);
		show_bar(histogram->bucket[i], histogram->all.count);
	}
	show_sums(session);
}

/* ---- profile -------------------------------------------------------------- */

static uint64_t average(const struct tally_ftrace_stat *stat)
{
	return stat->count ? stat->total_ns / stat->count : 0;
}

static int larger(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tally_ftrace_stat *)a)->name,
		      ((const struct tally_ftrace_stat *)b)->name);
}

/* Sort functions by total, and by name if their totals are equal, so that the order is
 * deterministic. */
static int by_total(const void *a, const void *b)
{
	const struct tally_ftrace_stat *x = a, *y = b;
	int order = larger(x->total_ns, y->total_ns);

	return order ? order : by_name(a, b);
}

static int by_average(const void *a, const void *b)
{
	int order = larger(average(a), average(b));

	return order ? order : by_name(a, b);
}

static int by_max(const void *a, const void *b)
{
	const struct tally_ftrace_stat *x = a, *y = b;
	int order = larger(x->max_ns, y->max_ns);

	return order ? order : by_name(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct tally_ftrace_stat *x = a, *y = b;
	int order = larger(x->count, y->count);

	return order ? order : by_name(a, b);
}

static const struct {
	const char *key;
	int (*compare)(const void *a, const void *b);
} orders[] = {
	{"total", by_total}, {"avg", by_average}, {"max", by_max},
	{"count", by_count}, {"name", by_name},
};

int ftrace_sort_check(const char *key)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(orders); i++) {
		if (!strcmp(orders[i].key, key))
			return 0;
	}
	return -EINVAL;
}

void ftrace_sort_print(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(orders); i++)
		puts(orders[i].key);
}

static void show_us(uint64_t ns)
{
	printf(" %10llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

void ftrace_show_profile(struct ftrace_session *session)
{
	const char *key = session->config->sort ? session->config->sort : "total";
	struct tally_ftrace_stats *stats = &session->stats;

	for (size_t i = 0; stats->by_name.len && i < TALLY_ARRAY_SIZE(orders); i++) {
		if (!strcmp(orders[i].key, key))
			qsort(stats->by_name.data, stats->by_name.len, sizeof(*stats->by_name.data),
			      orders[i].compare);
	}
	printf("# %12s %14s %14s %10s   %s\n", "Total (us)", "Avg (us)", "Max (us)", "Count",
	       "Function");
	tally_vec_for_each (stat, &stats->by_name) {
		show_us(stat->total_ns);
		show_us(average(stat));
		show_us(stat->max_ns);
		printf(" %10llu   %s\n", (unsigned long long)stat->count, stat->name);
	}
}
