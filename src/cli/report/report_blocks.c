/* SPDX-License-Identifier: BSD-2-Clause */
/* report --total-cycles: blocks of code between branches, by cycles. */
#include <errno.h>
#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "cli/report/report_records.h"
#include "profile/blocks.h"
#include "profile/frame_text.h"
#include "session/session_events.h"
#include "view/sample_place.h"
#include "view/view.h"
#include "view/width.h"

enum { RANGE_WIDTH = 50, FILE_WIDTH = 20 };

struct block_report {
	struct tally_blocks blocks;
	struct tally_session *session;
	uint64_t event_number;
	uint64_t nr_branches, nr_timed; /* all branches, and those with cycles */
	bool quiet;
	struct tally_str out;
};

/* Sums over the blocks of an event. */
struct block_sums {
	uint64_t cycles, averages;
};

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct block_report *report = arg;

	(void)record;
	if (!sample || !tally_event_is_chosen(report->event_number, sample->event))
		return 0;
	report->nr_branches += tally_branches(&sample->sample);
	for (uint64_t i = 0; i < tally_branches(&sample->sample); i++)
		report->nr_timed += tally_branch(&sample->sample, i).cycles != 0;
	return tally_blocks_add(&report->blocks, session->machine, sample);
}

static uint64_t average(const struct tally_block *block)
{
	return block->cycles / block->nr;
}

/* Append a number of cycles as perf does: 1234567 is "1.2M". */
static void add_cycles(struct tally_str *out, int width, uint64_t cycles)
{
	if (cycles >= 1000000)
		tally_str_addf(out, "%*.1fM", width - 1, (double)cycles / 1e6);
	else if (cycles >= 1000)
		tally_str_addf(out, "%*.1fK", width - 1, (double)cycles / 1e3);
	else
		tally_str_addf(out, "%*" PRIu64, width, cycles);
}

/* Append one end of a block. */
static void add_place(const struct tally_block *block, uint64_t addr, struct tally_str *out)
{
	const struct tally_location where = {.addr = addr,
					     .dso = block->dso,
					     .symbol = block->symbol,
					     .cpumode = block->cpumode};

	tally_place_add_location_line(&where, out);
}

static void add_range(const struct tally_block *block, struct tally_str *out)
{
	struct tally_str range = {0};

	tally_str_add_char(&range, '[');
	add_place(block, block->start, &range);
	tally_str_add(&range, " -> ");
	add_place(block, block->end, &range);
	tally_str_add_char(&range, ']');
	tally_str_escape(&range, 0);
	for (size_t width = tally_width_of(tally_str_text(&range)); width < RANGE_WIDTH; width++)
		tally_str_add_char(out, ' ');
	tally_str_add(out, tally_str_text(&range));
	out->failed |= range.failed;
	tally_str_free(&range);
}

static void add_file(const struct tally_block *block, struct tally_str *out)
{
	const struct tally_frame frame = {.dso = block->dso, .cpumode = block->cpumode};
	struct tally_str file = {0};

	tally_frame_add_file(&frame, true, &file);
	tally_str_escape(&file, 0);
	for (size_t width = tally_width_of(tally_str_text(&file)); width < FILE_WIDTH; width++)
		tally_str_add_char(out, ' ');
	tally_str_add(out, tally_str_text(&file));
	out->failed |= file.failed;
	tally_str_free(&file);
}

static void add_percent(struct tally_str *out, int width, uint64_t part, uint64_t whole)
{
	tally_str_addf(out, "%*.2f%%", width - 1,
		       whole ? 100.0 * (double)part / (double)whole : 0.0);
}

static void add_block(const struct block_sums *sums, const struct tally_block *block,
		      struct tally_str *out)
{
	tally_str_add(out, "  ");
	add_percent(out, 15, block->cycles, sums->cycles);
	tally_str_add(out, "  ");
	add_cycles(out, 14, block->cycles);
	tally_str_add(out, "  ");
	add_percent(out, 11, average(block), sums->averages);
	tally_str_add(out, "  ");
	add_cycles(out, 10, average(block));
	tally_str_add(out, "  ");
	add_range(block, out);
	tally_str_add(out, "  ");
	add_file(block, out);
	tally_str_add_char(out, '\n');
}

static void add_heading(const struct block_report *report, uint32_t event, struct tally_str *out)
{
	static const int widths[] = {15, 14, 11, 10, RANGE_WIDTH, FILE_WIDTH};

	tally_str_add(out, "# Event '");
	tally_str_add_escaped(out, tally_perfdata_event(report->session->data, event)->name);
	tally_str_addf(out, "'\n#\n# %15s  %14s  %11s  %10s  %*s  %*s\n#", "Sampled Cycles%",
		       "Sampled Cycles", "Avg Cycles%", "Avg Cycles", RANGE_WIDTH,
		       "[Program Block Range]", FILE_WIDTH, "Shared Object");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(widths); i++) {
		tally_str_add(out, i ? "  " : " ");
		for (int n = 0; n < widths[i]; n++)
			tally_str_add_char(out, '.');
	}
	tally_str_add(out, "\n#\n");
}

/* Print the blocks of an event, which begin at `first`. Return the index of the next event's. */
static size_t add_event(struct block_report *report, size_t first, double min_percent)
{
	const struct tally_block *all = report->blocks.all.data;
	struct block_sums sums = {0};
	size_t end = first;

	for (; end < report->blocks.all.len && all[end].event == all[first].event; end++) {
		tally_sum_add(&sums.cycles, all[end].cycles);
		tally_sum_add(&sums.averages, average(&all[end]));
	}
	if (!report->quiet)
		add_heading(report, all[first].event, &report->out);
	for (size_t i = first; i < end; i++) {
		if (all[i].cycles < tally_view_least(sums.cycles, min_percent))
			break;
		add_block(&sums, &all[i], &report->out);
	}
	tally_str_add_char(&report->out, '\n');
	return end;
}

static int print_blocks(struct block_report *report, double min_percent)
{
	int ret = 0;

	tally_pager_start();
	tally_blocks_sort(&report->blocks);
	for (size_t i = 0; i < report->blocks.all.len && !ret;) {
		i = add_event(report, i, min_percent);
		ret = tally_str_error(&report->out) ? -ENOMEM : tally_output_flush(&report->out);
	}
	if (!ret && !report->blocks.all.len)
		tally_print_warning("%s has %s", report->session->name,
				    report->nr_timed      ? "no code between its branches"
				    : report->nr_branches ? "no cycles in its branch stacks"
							  : "no branch stacks");
	return ret;
}

int report_blocks(struct tally_session *session, uint64_t event_number, double min_percent,
		  bool quiet)
{
	struct block_report report = {
		.session = session, .event_number = event_number, .quiet = quiet};
	int ret = tally_session_run(session, on_record, &report), printed = ret;

	if (ret != -ENOMEM)
		printed = print_blocks(&report, min_percent);
	if (printed == -ENOMEM)
		tally_session_out_of_memory(session);
	tally_blocks_free(&report.blocks);
	tally_str_free(&report.out);
	return ret ? ret : printed;
}
