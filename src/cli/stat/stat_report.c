/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stat/stat_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/escape.h"
#include "cli/main/arguments.h"
#include "cli/main/print.h"
#include "cli/main/recordings.h"
#include "cli/stat/explain.h"
#include "cli/stat/stat_count.h"
#include "cli/stat/stat_options.h"
#include "cli/stat/stat_perfdata.h"
#include "cli/stat/stat_show.h"

struct stat_report_config {
	const char *input;
	struct stat_config stat;
};

#define AT(member) offsetof(struct stat_report_config, member)

static const struct tally_option report_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(input), "file",
	 "read this recording (default: perf.data)"},
	{'A', "no-aggr", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_CPU]), NULL,
	 "do not aggregate: one line per CPU"},
	{0, "per-core", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_CORE]), NULL,
	 "aggregate per core"},
	{0, "per-die", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_DIE]), NULL, "aggregate per die"},
	{0, "per-cache", TALLY_OPTION_TEXT, AT(stat.cache), "L1|L2|L3",
	 "aggregate per cache of this level (default: the highest level)", "", NULL,
	 AT(stat.aggr[STAT_AGGR_CACHE])},
	{0, "per-socket", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_SOCKET]), NULL,
	 "aggregate per socket"},
	{0, "per-node", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_NODE]), NULL,
	 "aggregate per NUMA node"},
	{0, "per-thread", TALLY_OPTION_FLAG, AT(stat.aggr[STAT_AGGR_THREAD]), NULL,
	 "aggregate per thread"},
	{'x', "field-separator", TALLY_OPTION_TEXT, AT(stat.separator), "text",
	 "separate fields with this string"},
	{'j', "json-output", TALLY_OPTION_FLAG, AT(stat.perf_json), NULL,
	 "print JSON with perf's keys"},
	{0, "json", TALLY_OPTION_FLAG, AT(stat.json), NULL,
	 "print JSON in tally's schema, with the quality of each count"},
	{'B', "big-num", TALLY_OPTION_FLAG, AT(stat.big_num), NULL, "print thousands separators"},
	{0, "no-big-num", TALLY_OPTION_FLAG, AT(stat.no_big_num), NULL,
	 "do not print thousands separators, regardless of the locale"},
	{'o', "output", TALLY_OPTION_TEXT, AT(stat.output), "file",
	 "write to this file instead of stderr"},
	{0, "append", TALLY_OPTION_FLAG, AT(stat.append), NULL, "with -o, append to the file"},
	{'f', "force", TALLY_OPTION_FLAG, AT(stat.force), NULL, "overwrite any existing file"},
	TALLY_OPTION_END,
};

static const struct tally_command report_command = {
	.name = "stat report",
	.summary = "Print the counts in a recording of 'stat record'",
	.usage = "[OPTIONS] [FILE]",
	.options = report_options,
};

/* Sizes of records and their entries. */
enum { STAT_SIZE = 48, ROUND_SIZE = 24, HEAD = 16, THREAD_ENTRY = 24, CONFIG_ENTRY = 16 };

/* A count since the start, on one CPU for one thread. */
struct recorded {
	const struct tally_perfdata_event *event;
	int32_t cpu;
	uint32_t thread;
	struct tally_count count;
};

struct thread_name {
	int32_t tid;
	char comm[16];
};

struct stat_report {
	struct stat_report_config *config;
	struct tally_session *session;
	const struct tally_perfdata_env *env;
	struct stat_session stat;
	struct tally_event_spec *specs; /* by row */
	TALLY_VEC(struct recorded) counts;
	TALLY_VEC(struct thread_name) threads;
	bool is_prepared, asked; /* `asked`: the user chose the aggregation */
	uint64_t rounds, skipped;
};

/* ---- rows, CPUs and threads --------------------------------------------------- */

static int add_rows(struct stat_report *report)
{
	const struct tally_perfdata *data = report->session->data;
	size_t nr = tally_perfdata_nr_events(data);
	int ret = 0;

	report->specs = calloc(nr + 1, sizeof(*report->specs));
	if (!report->specs)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++) {
		const struct tally_perfdata_event *event = tally_perfdata_event(data, i);
		struct tally_event_spec *spec = &report->specs[i];
		struct stat_row row = {.spec = spec, .name = event->name, .merged_into = i};

		*spec = (struct tally_event_spec){
			.attr = event->attr, .name = event->name, .unit = "", .scale = 1};
		/* perf writes a unit and a scale for clocks, too. */
		if (!stat_row_is_clock(&row) && event->unit &&
		    tally_text_is_plain(event->unit, strlen(event->unit)))
			spec->unit = event->unit;
		if (!stat_row_is_clock(&row) && event->has_scale)
			spec->scale = event->scale;
		ret = tally_vec_push(&report->stat.rows, row);
	}
	return ret;
}

static int cpus_order(const void *a, const void *b)
{
	const struct tally_cpu *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Make the list of the CPUs that have counts. */
static int add_cpus(struct stat_report *report)
{
	size_t size =
		sizeof(struct tally_cpus) + (report->counts.len + 1) * sizeof(struct tally_cpu);
	struct tally_cpus *cpus = malloc(size);
	size_t nr = 0;

	if (!cpus)
		return -ENOMEM;
	cpus->nr = 0;
	tally_vec_for_each (count, &report->counts)
		cpus->cpu[cpus->nr++].number = count->cpu;
	qsort(cpus->cpu, cpus->nr, sizeof(*cpus->cpu), cpus_order);
	for (size_t i = 0; i < cpus->nr; i++)
		if (!nr || cpus->cpu[nr - 1].number != cpus->cpu[i].number)
			cpus->cpu[nr++] = cpus->cpu[i];
	cpus->nr = nr;
	report->stat.cpus = cpus;
	return 0;
}

/* Make the list of threads, one for each index in the counts. */
static int add_threads(struct stat_report *report)
{
	struct tally_threads *threads;
	size_t nr = report->threads.len;

	tally_vec_for_each (count, &report->counts)
		nr = TALLY_MAX(nr, (size_t)count->thread + 1);
	/* A recorder writes a count for each thread on each CPU. */
	if (nr > report->counts.len / TALLY_MAX(report->stat.cpus->nr, 1)) {
		tally_print_error("%s: the first round does not have a count for each of %zu "
				  "threads on each of %zu CPUs",
				  report->session->name, nr, report->stat.cpus->nr);
		return -EINVAL;
	}
	threads = calloc(1, sizeof(*threads) + (nr + 1) * sizeof(threads->thread[0]));
	if (!threads)
		return -ENOMEM;
	threads->nr = nr;
	for (size_t i = 0; i < nr; i++)
		threads->thread[i].tid = i < report->threads.len ? report->threads.data[i].tid : -1;
	report->stat.threads = threads;
	return 0;
}

static void name_threads(struct stat_report *report)
{
	for (size_t i = 0; i < report->stat.keys.len && i < report->threads.len; i++)
		memcpy(report->stat.keys.data[i].comm, report->threads.data[i].comm,
		       sizeof(report->threads.data[i].comm));
}

/* Fail if the counts cannot be aggregated in the requested way. */
static int check_mode(struct stat_report *report)
{
	struct stat_config *config = &report->config->stat;
	bool by_cpu = report->stat.cpus->nr && report->stat.cpus->cpu[0].number >= 0;

	if (by_cpu || config->mode == STAT_AGGR_ALL || config->mode == STAT_AGGR_THREAD)
		return 0;
	if (!report->asked) {
		config->mode = STAT_AGGR_ALL;
		return 0;
	}
	tally_print_error("%s: the counts were not recorded by CPU, so '--%s' is not possible",
			  report->session->name, stat_modes[config->mode].option);
	tally_print_hint("record with 'tally stat record -a'");
	return -EINVAL;
}

static int report_prepare(struct stat_report *report)
{
	int ret = add_rows(report);

	if (!ret)
		ret = add_cpus(report);
	if (!ret)
		ret = add_threads(report);
	if (!ret)
		ret = check_mode(report);
	if (!ret)
		ret = stat_explain_prepare(&report->stat);
	if (!ret && report->config->stat.mode == STAT_AGGR_THREAD)
		name_threads(report);
	report->is_prepared = !ret;
	return ret;
}

/* ---- records -------------------------------------------------------------------- */

static int on_threads(struct stat_report *report, const uint8_t *at, size_t size)
{
	int ret = 0;

	report->threads.len = 0;
	for (size_t i = HEAD; i + THREAD_ENTRY <= size && !ret; i += THREAD_ENTRY) {
		struct thread_name name = {.tid = (int32_t)tally_get_u64(at + i)};

		memcpy(name.comm, at + i + 8, sizeof(name.comm) - 1);
		ret = tally_vec_push(&report->threads, name);
	}
	return ret;
}

static void on_config(struct stat_report *report, const uint8_t *at, size_t size)
{
	struct stat_config *config = &report->config->stat;

	for (size_t i = HEAD; i + CONFIG_ENTRY <= size; i += CONFIG_ENTRY) {
		uint64_t value = tally_get_u64(at + i + 8);

		switch (tally_get_u64(at + i)) {
		case STAT_PERFDATA_AGGR:
			if (!report->asked && !report->is_prepared)
				config->mode = stat_perfdata_mode(value, report->env->version);
			break;
		case STAT_PERFDATA_INTERVAL: config->interval_ms = value; break;
		case STAT_PERFDATA_SCALE: config->no_scale = !value; break;
		}
	}
}

static int on_count(struct stat_report *report, const uint8_t *at)
{
	struct recorded recorded = {
		.event = tally_perfdata_event_by_id(report->session->data, tally_get_u64(at + 8)),
		.cpu = (int32_t)tally_get_u32(at + 16),
		.thread = tally_get_u32(at + 20),
		.count = {.value = tally_get_u64(at + 24),
			  .enabled = tally_get_u64(at + 32),
			  .running = tally_get_u64(at + 40)},
	};
	struct tally_count *count = &recorded.count;

	if (!recorded.event || recorded.cpu < -1 || recorded.cpu > UINT16_MAX) {
		report->skipped++;
		return 0;
	}
	count->quality = !count->running                   ? TALLY_QUALITY_NEVER_RAN
			 : count->running < count->enabled ? TALLY_QUALITY_SCALED
							   : TALLY_QUALITY_EXACT;
	return tally_vec_push(&report->counts, recorded);
}

/* Print a round, which ended at `time` ns since the start. */
static int on_round(struct stat_report *report, bool is_last, uint64_t time)
{
	struct stat_session *stat = &report->stat;
	size_t nr;
	int ret = report->is_prepared ? 0 : report_prepare(report);

	if (ret)
		return ret;
	nr = stat->cpus->nr * stat->threads->nr;
	stat_count_clear(stat);
	tally_vec_for_each (recorded, &report->counts) {
		int cpu = tally_cpus_index(stat->cpus, recorded->cpu);
		const struct stat_place place = {
			.cpu = recorded->cpu,
			.thread = recorded->thread,
			.index = (size_t)cpu * stat->threads->nr + recorded->thread,
			.nr = nr,
		};

		if (cpu < 0 || recorded->thread >= stat->threads->nr) {
			report->skipped++;
			continue;
		}
		ret = stat_count_add(stat, recorded->event->index, &place, &recorded->count,
				     !is_last);
		if (ret)
			return ret;
	}
	stat_count_finish(stat);
	report->counts.len = 0;
	report->rounds++;
	stat->times.wall = is_last ? time : time - TALLY_MIN(stat->last_print, time);
	stat->last_print = time;
	return is_last ? stat_show_total(stat) : stat_show_counts(stat, time);
}

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct stat_report *report = arg;
	const uint8_t *at = record->data;

	(void)session;
	(void)sample;
	if (record->type == TALLY_PERFDATA_THREAD_MAP)
		return on_threads(report, at, record->size);
	if (record->type == TALLY_PERFDATA_STAT_CONFIG)
		on_config(report, at, record->size);
	if (record->type == TALLY_PERFDATA_STAT && record->size >= STAT_SIZE)
		return on_count(report, at);
	if (record->type == TALLY_PERFDATA_STAT_ROUND && record->size >= ROUND_SIZE)
		return on_round(report, tally_get_u64(at + 8) == STAT_PERFDATA_LAST,
				tally_get_u64(at + 16));
	return 0;
}

/* ---- the command ------------------------------------------------------------------ */

/* The title is the command line of the recorder, as in perf. */
static int make_title(struct stat_report *report)
{
	struct tally_str title = {0};
	int ret;

	tally_str_add_char(&title, '\'');
	if (!report->env->cmdline.nr)
		tally_str_add(&title, "pipe");
	for (uint32_t i = 0; i < report->env->cmdline.nr; i++)
		tally_str_addf(&title, "%s%s", i ? " " : "", report->env->cmdline.items[i]);
	tally_str_add_char(&title, '\'');
	tally_str_escape(&title, 0);
	ret = tally_str_error(&title);
	report->stat.title = title.data;
	return ret;
}

static int report_session(struct stat_report_config *config, struct tally_session *session)
{
	struct stat_report report = {
		.config = config,
		.session = session,
		.stat = {.config = &config->stat, .output = -1, .signals = -1},
	};
	int ret = tally_perfdata_env(session->data, &report.env);

	report.stat.env = report.env;
	for (int i = 0; i < STAT_NR_AGGR; i++)
		report.asked |= config->stat.aggr[i];
	if (!ret)
		ret = make_title(&report);
	if (!ret)
		ret = stat_output_open(&report.stat);
	if (!ret)
		ret = tally_session_run(session, on_record, &report);
	if (!ret && !report.rounds) {
		tally_print_error("%s has no counts", session->name);
		tally_print_hint("record some with 'tally stat record COMMAND'; 'tally report' "
				 "shows samples");
		ret = -ENODATA;
	}
	if (report.skipped)
		tally_print_warning("%s: skipped %" PRIu64 " counts of unknown events, CPUs or "
				    "threads",
				    session->name, report.skipped);
	/* With -I, perf writes the total after the last interval. */
	if (!ret && report.counts.len && !config->stat.interval_ms)
		tally_print_warning("%s: skipped the counts of an unfinished round", session->name);
	if (ret == -ENOMEM)
		tally_session_out_of_memory(session);
	stat_output_close(&report.stat);
	stat_count_free(&report.stat);
	tally_vec_free(&report.stat.rows);
	tally_arena_free(&report.stat.strings);
	free(report.stat.cpus);
	free(report.stat.threads);
	free(report.stat.title);
	free(report.specs);
	tally_vec_free(&report.counts);
	tally_vec_free(&report.threads);
	return ret;
}

int stat_report_run(int argc, char **argv)
{
	struct stat_report_config config = {0};
	struct tally_session session;
	int first, ret;

	ret = tally_options_parse(&report_command, &config, argc, argv, TALLY_PARSE_WORDS, &first);
	if (!ret)
		ret = tally_words_parse(&report_command, argc - first, argv + first, &config.input,
					NULL);
	if (ret)
		return ret - 1;
	if (stat_aggr_check(&config.stat))
		return TALLY_EXIT_USAGE;
	config.stat.runs = 1;
	ret = tally_recording_open(&(struct tally_recording_options){.session.input = config.input},
				   &session);
	if (ret)
		return TALLY_EXIT_ERROR;
	ret = report_session(&config, &session);
	tally_recording_close(&session);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}
