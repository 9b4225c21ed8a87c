/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contents of tracefs files: parse and sum up the lines of a trace. Also parse the whole input as a
 * setting; parsing the output again must return the same words.
 */
#include <stdlib.h>
#include <string.h>

#include "ftrace/ftrace_stats.h"
#include "ftrace/tracer_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sums {
	struct tally_ftrace_stats stats;
	struct tally_ftrace_histogram histogram;
	struct tally_ftrace_pair pair;
	uint64_t calls;
};

/* Parse a copy of the exact size, to detect reads beyond its end. */
static void take_line(struct sums *sums, const uint8_t *text, size_t len)
{
	struct tally_ftrace_line line;
	char *copy = malloc(len ? len : 1);
	uint64_t ns;

	if (!copy)
		abort();
	memcpy(copy, text, len);
	tally_ftrace_line_parse(copy, len, &line);
	if (line.name && (line.name < copy || line.name + line.name_len > copy + len))
		abort();
	if (line.has_ns && line.name) {
		if (tally_ftrace_stats_add(&sums->stats, line.name, line.name_len, line.ns))
			abort();
		tally_ftrace_histogram_add(&sums->histogram, line.ns);
		sums->calls++;
	}
	tally_ftrace_pair_follow(&sums->pair, &line, &ns);
	free(copy);
}

static void check_sums(struct sums *sums)
{
	uint64_t by_name = 0, by_bucket = 0;

	tally_vec_for_each (stat, &sums->stats.by_name)
		by_name += stat->count;
	for (int i = 0; i < TALLY_FTRACE_BUCKETS; i++)
		by_bucket += sums->histogram.bucket[i];
	if (by_name != sums->calls || by_bucket != sums->calls)
		abort();
	tally_ftrace_stats_free(&sums->stats);
	tally_map_free(&sums->pair.since);
}

static void check_setting(const uint8_t *data, size_t size)
{
	char *once = malloc(size + 1), *twice;

	if (!once)
		abort();
	memcpy(once, data, size);
	once[size] = '\0';
	tally_tracefs_as_input(once);
	twice = strdup(once);
	if (!twice || strlen(once) > size)
		abort();
	tally_tracefs_as_input(twice);
	if (strcmp(once, twice))
		abort();
	free(twice);
	free(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sums sums = {.histogram.unit_ns = 1000,
			    .pair = {.from = "sys_enter_read", .to = "sys_exit_read"}};
	const uint8_t *at = data, *end = data + size;

	while (at < end) {
		const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
		const uint8_t *stop = newline ? newline : end;

		take_line(&sums, at, (size_t)(stop - at));
		at = newline ? newline + 1 : end;
	}
	check_sums(&sums);
	check_setting(data, size);
	return 0;
}
