/* SPDX-License-Identifier: BSD-2-Clause */
/* compaction-times: how long threads compact memory, and how many pages they move. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/map.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/script/trace_reports.h"

/* Values of a compaction. */
enum { TIME, MOVED, FAILED, FREE_SCANNED, FREE_ISOLATED, SCANNED, ISOLATED, NR_VALUES };

/* Bits that select values. */
enum { SHOW_MIGRATION = 1, SHOW_FREE = 2, SHOW_SCANNER = 4, SHOW_ALL = 7 };

struct compaction_cost {
	uint64_t values[NR_VALUES];
};

struct compacting_thread {
	int32_t tid;
	char *comm;
	bool is_compacting;
	uint64_t start;
	struct compaction_cost total, current;
	TALLY_VEC(struct compaction_cost) done; /* with BY_COMPACTION */
};

struct compaction_times {
	bool in_us;
	enum { IN_TOTAL, BY_THREAD, BY_COMPACTION } detail;
	unsigned shown;  /* SHOW_* */
	bool is_partial; /* an argument selects values */
	/* Threads to include: all; a range of TIDs; or names that match. */
	bool has_tids, has_pattern;
	uint64_t first, last;
	regex_t pattern;
	struct tally_map by_tid;
	TALLY_VEC(struct compacting_thread) threads;
	struct compaction_cost total;
	uint64_t stray; /* events outside of a compaction */
};

/* ---- events ---------------------------------------------------------------------------- */

static void add_cost(struct compaction_cost *to, const struct compaction_cost *cost)
{
	for (int i = 0; i < NR_VALUES; i++)
		tally_sum_add(&to->values[i], cost->values[i]);
}

static bool includes(const struct trace_report *report)
{
	const struct compaction_times *times = report->state;
	uint32_t tid = (uint32_t)report->sample->sample.tid;

	if (times->has_tids)
		return tid >= times->first && tid <= times->last;
	return !times->has_pattern ||
	       !regexec(&times->pattern,
			tally_machine_comm(report->session->machine, report->sample->thread), 0,
			NULL, 0);
}

/* Return the sample's thread if it has started a compaction before, or NULL. */
static struct compacting_thread *known_thread(const struct trace_report *report)
{
	const struct compaction_times *times = report->state;
	uint64_t at = tally_map_get(&times->by_tid, (uint32_t)report->sample->sample.tid);

	return at == TALLY_MAP_NONE ? NULL : &times->threads.data[at];
}

/* Return the sample's thread if it is compacting, or NULL. */
static struct compacting_thread *compacting(struct trace_report *report)
{
	struct compaction_times *times = report->state;
	struct compacting_thread *thread = known_thread(report);

	if (thread && thread->is_compacting)
		return thread;
	times->stray += includes(report);
	return NULL;
}

static int add_thread(struct trace_report *report, struct compacting_thread **ret_thread)
{
	struct compaction_times *times = report->state;
	int32_t tid = report->sample->sample.tid;
	struct tally_str comm = {0};
	int ret;

	trace_report_add_comm(report, &comm);
	ret = tally_str_error(&comm);
	if (!ret)
		ret = tally_map_set(&times->by_tid, (uint32_t)tid, times->threads.len);
	if (!ret)
		ret = tally_vec_push(&times->threads,
				     (struct compacting_thread){.tid = tid, .comm = comm.data});
	if (ret)
		tally_str_free(&comm);
	else
		*ret_thread = &times->threads.data[times->threads.len - 1];
	return ret;
}

static int begin(struct trace_report *report)
{
	struct compacting_thread *thread = known_thread(report);
	int ret = 0;

	if (!includes(report))
		return 0;
	if (!thread)
		ret = add_thread(report, &thread);
	if (ret)
		return ret;
	thread->is_compacting = true;
	thread->start = report->sample->sample.time;
	thread->current = (struct compaction_cost){0};
	return 0;
}

static int end(struct trace_report *report)
{
	struct compaction_times *times = report->state;
	struct compacting_thread *thread = compacting(report);
	uint64_t now = report->sample->sample.time;

	if (!thread)
		return 0;
	thread->is_compacting = false;
	thread->current.values[TIME] = now > thread->start ? now - thread->start : 0;
	add_cost(&thread->total, &thread->current);
	add_cost(&times->total, &thread->current);
	return times->detail == BY_COMPACTION ? tally_vec_push(&thread->done, thread->current) : 0;
}

static int add_values(struct trace_report *report, int value, const char *first, const char *second)
{
	struct compacting_thread *thread = compacting(report);

	if (!thread)
		return 0;
	tally_sum_add(&thread->current.values[value], trace_report_field(report, first));
	tally_sum_add(&thread->current.values[value + 1], trace_report_field(report, second));
	return 0;
}

static int migrate(struct trace_report *report)
{
	return add_values(report, MOVED, "nr_migrated", "nr_failed");
}

static int isolate_free(struct trace_report *report)
{
	return add_values(report, FREE_SCANNED, "nr_scanned", "nr_taken");
}

static int isolate_used(struct trace_report *report)
{
	return add_values(report, SCANNED, "nr_scanned", "nr_taken");
}

/* ---- arguments --------------------------------------------------------------------------- */

#define USAGE "[-h] [-u] [-p|-pv] [-t | [-m] [-fs] [-ms]] [pid|pid-range|comm-regex]"

static void print_help(void)
{
	static const char text[] = "Usage: tally script compaction-times " USAGE "\n\n"
				   "    -h   show this help\n"
				   "    -u   show microseconds, not nanoseconds\n"
				   "    -p   show each thread\n"
				   "    -pv  show each compaction of each thread\n"
				   "    -t   show only times\n"
				   "    -m   show pages that were moved\n"
				   "    -fs  show the scanner of free pages\n"
				   "    -ms  show the scanner of pages to move\n";
	struct tally_str out = {0};

	tally_str_add(&out, text);
	(void)tally_output_flush(&out);
	tally_str_free(&out);
}

/* Parse "12", "12-", or "12-34". Returns false if the argument is not of this form. */
static bool parse_tids(struct compaction_times *times, const char *arg)
{
	char *end;

	if (*arg < '0' || *arg > '9')
		return false;
	times->first = times->last = strtoull(arg, &end, 10);
	if (*end == '-') {
		times->last = end[1] ? strtoull(end + 1, &end, 10) : UINT64_MAX;
		end += *end == '-';
	}
	times->has_tids = !*end;
	return times->has_tids;
}

static int parse_threads(struct compaction_times *times, const char *arg)
{
	if (times->has_pattern)
		regfree(&times->pattern);
	times->has_tids = times->has_pattern = false;
	if (parse_tids(times, arg))
		return 0;
	if (*arg == '-' || !*arg || regcomp(&times->pattern, arg, REG_EXTENDED | REG_NOSUB)) {
		tally_print_error("compaction-times takes options, or a thread: its ID, a range of "
				  "IDs, or a regular expression for its name; not '%s'",
				  arg);
		return -EINVAL;
	}
	times->has_pattern = true;
	return 0;
}

/* Parse an argument that selects values. Returns false if it is another argument. */
static bool parse_part(struct compaction_times *times, const char *arg)
{
	static const struct {
		const char *option;
		unsigned shown;
	} parts[] = {{"-m", SHOW_MIGRATION}, {"-fs", SHOW_FREE}, {"-ms", SHOW_SCANNER}, {"-t", 0}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(parts); i++) {
		if (strcmp(arg, parts[i].option))
			continue;
		times->shown = (times->is_partial ? times->shown : 0) | parts[i].shown;
		times->is_partial = true;
		return true;
	}
	return false;
}

static int start(struct trace_report *report, int nr, char **args)
{
	struct compaction_times *times = report->state;
	int ret = 0;

	times->shown = SHOW_ALL;
	for (int i = 0; i < nr && !ret; i++) {
		if (parse_part(times, args[i]))
			continue;
		if (!strcmp(args[i], "-h")) {
			print_help();
			return 1;
		}
		if (!strcmp(args[i], "-u"))
			times->in_us = true;
		else if (!strcmp(args[i], "-p") || !strcmp(args[i], "-pv"))
			times->detail = args[i][2] ? BY_COMPACTION : BY_THREAD;
		else
			ret = parse_threads(times, args[i]);
	}
	return ret;
}

/* ---- output ------------------------------------------------------------------------------ */

/* Convert to microseconds. Halves are rounded to the even number, as in perf. */
static uint64_t to_us(uint64_t ns)
{
	uint64_t us = ns / 1000, rest = ns % 1000;

	return us + (rest > 500 || (rest == 500 && us % 2));
}

static void add_line(const struct compaction_times *times, const struct compaction_cost *cost,
		     struct tally_str *out)
{
	static const char *const names[][2] = {{"migration: moved=", " failed="},
					       {"free_scanner: scanned=", " isolated="},
					       {"migration_scanner: scanned=", " isolated="}};
	const uint64_t *values = cost->values;

	tally_str_addf(out, ": %" PRIu64 "%s", times->in_us ? to_us(values[TIME]) : values[TIME],
		       times->in_us ? "us" : "ns");
	for (int i = 0; i < 3; i++) {
		if (!(times->shown & 1u << i))
			continue;
		tally_str_add_char(out, ' ');
		tally_str_addf(out, "%s%" PRIu64 "%s%" PRIu64, names[i][0], values[MOVED + 2 * i],
			       names[i][1], values[MOVED + 2 * i + 1]);
	}
	tally_str_add(out, times->shown ? "\n" : " \n");
}

static void print_times(struct trace_report *report, struct tally_str *out)
{
	const struct compaction_times *times = report->state;

	tally_str_add(out, "total");
	add_line(times, &times->total, out);
	for (size_t i = 0; times->detail != IN_TOTAL && i < times->threads.len; i++) {
		const struct compacting_thread *thread = &times->threads.data[i];

		tally_str_addf(out, "%d[%s]", thread->tid, thread->comm);
		add_line(times, &thread->total, out);
		for (size_t at = 0; at < thread->done.len; at++) {
			tally_str_addf(out, "%d[%s].%zu", thread->tid, thread->comm, at + 1);
			add_line(times, &thread->done.data[at], out);
		}
	}
	if (times->stray)
		tally_print_warning("%" PRIu64 " events are not in a compaction, because the event "
				    "that begins it is missing",
				    times->stray);
}

static void free_times(void *state)
{
	struct compaction_times *times = state;

	tally_vec_for_each (thread, &times->threads) {
		free(thread->comm);
		tally_vec_free(&thread->done);
	}
	tally_vec_free(&times->threads);
	tally_map_free(&times->by_tid);
	if (times->has_pattern)
		regfree(&times->pattern);
}

#define EVENT "compaction:mm_compaction_"

const struct trace_report_kind trace_compaction_reports[] = {
	{.name = "compaction-times",
	 .about = "time that threads spend compacting memory",
	 .usage = USAGE,
	 .flags = " -h -u -p -pv -t -m -fs -ms ",
	 .handlers =
		 TRACE_HANDLERS({EVENT "begin", begin, ""}, {EVENT "end", end, ""},
				{EVENT "migratepages", migrate, "nr_migrated nr_failed"},
				{EVENT "isolate_migratepages", isolate_used, "nr_scanned nr_taken"},
				{EVENT "isolate_freepages", isolate_free, "nr_scanned nr_taken"}),
	 .state_size = sizeof(struct compaction_times),
	 .max_args = INT_MAX,
	 .start = start,
	 .print = print_times,
	 .free = free_times},
	{0},
};
