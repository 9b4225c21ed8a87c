/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/record_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/record/record.h"

enum { EACH_NS = 500000000 };

/* Append a number with grouped digits, such as "1,234,567". */
static void add_grouped(struct tally_str *out, uint64_t number)
{
	if (number >= 1000) {
		add_grouped(out, number / 1000);
		tally_str_addf(out, ",%03u", (unsigned)(number % 1000));
	} else {
		tally_str_add_u64(out, number);
	}
}

static void add_state(const struct record *record, uint64_t samples, uint64_t bytes, uint64_t lost,
		      struct tally_str *out)
{
	uint64_t ns = record->progress.at - record->started;

	tally_str_addf(out, "[ %" PRIu64 ".%u s, ", ns / 1000000000,
		       (unsigned)(ns / 100000000 % 10));
	add_grouped(out, samples);
	tally_str_addf(out, " samples, %.1f MB, ", (double)bytes / 1024 / 1024);
	add_grouped(out, lost);
	tally_str_add(out, " lost ]");
}

uint64_t record_progress_next(const struct record *record)
{
	/* The output of a command on the same terminal would be mixed with the line. */
	bool is_shared = record->command && isatty(STDOUT_FILENO);
	bool is_shown = record->config->progress && isatty(STDERR_FILENO) && !is_shared;

	return is_shown ? record->progress.at + EACH_NS : UINT64_MAX;
}

void record_progress_show(struct record *record)
{
	uint64_t now = tally_clock_now(), bytes;
	struct tally_str line = {0};

	if (now < record_progress_next(record))
		return;
	record->progress.at = now;
	bytes = record->output.bytes_total + tally_perfdata_writer_bytes(record->output.writer);
	add_state(record, record->progress.samples, bytes, record->progress.lost, &line);
	fprintf(stderr, "\r%s\033[K", tally_str_text(&line));
	tally_str_free(&line);
}

void record_progress_stop(struct record *record)
{
	if (record_progress_next(record) != UINT64_MAX)
		fputs("\r\033[K", stderr);
	record->progress.at = tally_clock_now();
}

void record_progress_end(const struct record *record, uint64_t samples, uint64_t bytes)
{
	struct tally_str line = {0};

	if (record->config->sampling.quiet)
		return;
	add_state(record, samples, bytes, record->lost, &line);
	fprintf(stderr, "%s\n", tally_str_text(&line));
	tally_str_free(&line);
}
