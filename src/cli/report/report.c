/* SPDX-License-Identifier: BSD-2-Clause */
/* tally report: show which code was sampled. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "cli/main/row_columns.h"
#include "cli/main/arguments.h"
#include "profile/fold.h"
#include "session/session_profile.h"
#include "view/recording_header.h"
#include "cli/report/report_export.h"
#include "cli/report/report_fields.h"
#include "cli/report/report.h"
#include "cli/report/report_browse.h"
#include "cli/report/report_mode.h"
#include "cli/report/report_records.h"
#include "cli/main/dump.h"
#include "view/wrap.h"

/* Return true if callers are needed only for the call graphs of heavy rows. In that case, a second
 * pass reads the callers for just these rows, because most samples belong to other rows. A second
 * pass is not possible if samples contain counter values, because such a sample is counted in
 * several buckets. */
static bool report_reads_twice(const struct report *report)
{
	const struct report_config *config = report->config;

	return config->rows.show.style != TALLY_STYLE_NONE && !config->rows.show.children &&
	       report_is_perf_text(report) && !report->reading.branches &&
	       !(config->rows.show.keys & (TALLY_KEY_PARENT | TALLY_KEY_LINE | TALLY_KEY_FILE)) &&
	       config->rows.show.graph_key == TALLY_GRAPH_FUNCTION && !report->session->query &&
	       !report->labels.counts_running &&
	       tally_show_graph_min(&config->rows.show, UINT32_MAX) &&
	       !tally_perfdata_info(report->session->data)->is_stream &&
	       !tally_session_has(report->session, PERF_SAMPLE_READ);
}

static unsigned report_by(const struct report_config *config)
{
	bool has_paths = config->rows.show.children ||
			 config->rows.show.style != TALLY_STYLE_NONE || config->svg;

	return tally_keys_by(config->rows.show.keys) | (has_paths ? TALLY_BY_PATH : 0);
}

/* Return how inlined functions are shown (TALLY_LINES_*). In perf's text they are only in
 * callchains; a row is a function with all that was inlined into it. */
static unsigned inlined_lines(const struct report *report, unsigned by)
{
	if (!report_is_perf_text(report) && !report->reading.branches &&
	    !report->config->branch_history)
		return TALLY_LINES_APART;
	return by & TALLY_BY_PATH ? TALLY_LINES_INLINED : 0;
}

/* Set the profile's options when the recording's events are known. */
static int report_start(void *arg, struct tally_session *session,
			struct tally_profile_options *options)
{
	struct report *report = arg;
	struct report_config *config = report->config;
	int ret = report_columns(report);

	if (ret)
		return ret;
	options->max_stack = (uint32_t)config->max_stack;
	options->raw_chains = config->raw_chains;
	options->exact_chains = config->branch_history;
	options->by = report_by(config) | (report->labels.nr_columns ? TALLY_BY_LABEL : 0);
	/* The browser can sort by any key and filter by any thread or CPU. */
	if (report->browses)
		options->by |= TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_CPU | TALLY_BY_FRAME;
	if (report->summarizes)
		options->by |= TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_FRAME;
	if (session->query)
		options->by |= tally_query_by(session->query);
	options->lines = tally_keys_lines(config->rows.show.keys);
	if (config->rows.show.graph_key != TALLY_GRAPH_FUNCTION)
		options->lines |= TALLY_LINES_ALL;
	if (config->is_inlined)
		options->lines |= inlined_lines(report, options->by);
	/* These list source lines. */
	if (report->browses || report->summarizes)
		options->lines |= TALLY_LINES_OWN;
	options->second_pass = report_reads_twice(report);
	options->keeps_samples = report->browses;
	options->whole_names = config->whole_names;
	if (options->second_pass)
		options->by &= ~(unsigned)TALLY_BY_PATH;
	options->filter = (struct tally_profile_filter){
		.comms = config->rows.comm_list.items,
		.dsos = config->rows.dso_list.items,
		.symbols = config->rows.symbol_list.items,
		.named_only = config->hide_unresolved,
		/* For --svg, filter samples, because there are no rows to filter. */
		.symbol_part = config->svg ? config->rows.show.symbol_part
					   : tally_show_sample_part(&config->rows.show),
	};
	report_export_options(config, options);
	if (options->lines && !(options->lines & (TALLY_LINES_ALL | TALLY_LINES_OWN)) &&
	    !report->labels.nr_columns)
		tally_lines_inlined_only(session->symbols);
	report->reading.resolves =
		config->branch_history || config->ignore_callees || report->labels.nr_columns;
	return 0;
}

/* Limit on the total size of distinct labels: a constant plus a multiple of the file size, or of
 * the total size of the samples outside compressed data if that is larger. */
enum { LABELS_MAX_MIB = 64, LABELS_PER_BYTE = 16 };

/* Count `len` bytes for a new label against the limit. Fails with -E2BIG, after printing an error,
 * if the limit is exceeded. In the second pass, there are no new labels. */
static int charge_label(struct report *report, size_t len)
{
	uint64_t size = tally_perfdata_info(report->session->data)->file_size;
	uint64_t limit = TALLY_MAX(size, report->sample_bytes) * LABELS_PER_BYTE;

	report->label_bytes += len;
	if (report->label_bytes <= limit + (LABELS_MAX_MIB << 20))
		return 0;
	if (!report->session->is_again)
		tally_print_error("%s: distinct texts of the sort keys exceed the limit of %d MiB "
				  "plus %d times the file size; rows are only shown up to that "
				  "limit; use other keys, such as --sort symbol",
				  report->session->name, LABELS_MAX_MIB, LABELS_PER_BYTE);
	return -E2BIG;
}

/* Apply --parallelism. Returns 0, TALLY_SESSION_LEAVE_OUT or -ENOMEM. */
static int leaves_out(struct report *report, const struct tally_feed_sample *sample)
{
	size_t nr;
	int ret;

	if (!report->parallelism.all.len)
		return 0;
	ret = tally_running_sample(&report->labels.running, sample->sample.tid, &nr);
	if (ret || tally_ranges_have(&report->parallelism, (uint32_t)nr))
		return ret;
	return TALLY_SESSION_LEAVE_OUT;
}

static int report_label(void *arg, const struct tally_perfdata_record *record,
			struct tally_feed_sample *sample)
{
	struct report *report = arg;
	size_t len;
	int ret = leaves_out(report, sample);

	if (!ret && report->config->branch_history)
		ret = tally_branch_chain(&report->branch_chain, report->session->machine, sample);
	if (!ret)
		ret = tally_ignore_callees_apply(&report->ignore, report->session->machine, sample);
	if (!ret)
		ret = tally_labels_set(&report->labels, sample, &len);
	/* Records inside compressed data have no file offset. */
	if (report->labels.nr_columns)
		report->sample_bytes += record->offset == UINT64_MAX ? 0 : record->size;
	return ret || !len ? ret : charge_label(report, len);
}

static int report_other(void *arg, const struct tally_perfdata_record *record)
{
	struct report *report = arg;

	int ret = report->config->threads
			  ? report_threads_add(&report->threads, report->session, record)
			  : 0;

	return ret ? ret : tally_labels_other(&report->labels, record);
}

/* Mark the rows for which call graphs are shown. */
static int report_mark(void *arg, struct tally_profile *profile, uint32_t event)
{
	const struct tally_shown_rows_options rows = report_rows_options(arg, event);
	const struct tally_hist_options options = tally_shown_rows_hist(&rows);

	return tally_hist_mark(profile, event, &options);
}

static void warn_empty(const struct tally_session *session)
{
	const struct tally_perfdata_env *env;

	tally_session_warn_empty(session);
	if (session->name != session->path)
		tally_print_hint("the recording was too short, or nothing ran; record more with "
				 "--duration or -F");
	if (!tally_perfdata_env(session->data, &env) &&
	    tally_perfdata_env_has(env, TALLY_FEATURE_STAT))
		tally_print_hint("the recording contains counts: use 'tally stat report'");
}

static void warn_nothing_shown(const struct report_config *config)
{
	if (config->rows.show.symbol_part)
		tally_print_warning("no row has a symbol with a name containing '%s'",
				    config->rows.show.symbol_part);
	else
		tally_print_warning("the filters and limits exclude all rows");
	if (config->rows.symbols)
		tally_print_hint("--symbols selects samples by the function at their address; to "
				 "find inlined functions and callers use --query 'sym:%s'",
				 config->rows.symbols);
}

static int report_show(struct report *report)
{
	int ret = 0;

	if (report->session->query)
		ret = tally_query_apply(report->session->query, &report->profile);
	if (!ret && report->config->own_code)
		ret = tally_profile_fold(&report->profile,
					 &(struct tally_fold){.what = TALLY_FOLD_FOREIGN});
	if (ret)
		return ret;
	if (report->config->format)
		return report_export(report);
	if (report->browses && report->session->feed.counts.samples)
		return report_browse(report);
	if (report->config->svg)
		return report_svg(report);
	if (report->summarizes && report->session->feed.counts.samples)
		return report_summary(report);
	return report_print(report);
}

/* Read the recording, and show as much of it as can be read. */
static int report_read(struct report *report)
{
	int ret, shown;

	report->reading = (struct tally_session_profile_options){
		.start = report_start,
		.sample = report_label,
		.other = report_other,
		.mark = report_mark,
		.arg = report,
		.event_number = report->config->event_number,
	};
	ret = tally_session_profile(report->session, &report->reading, &report->profile);
	if (!report->profile.machine)
		return ret;
	shown = report_show(report);
	if (shown == -ENOMEM)
		tally_print_error("out of memory: the output is incomplete");
	if (ret || shown)
		return ret ? ret : shown;
	if (!report->session->feed.counts.samples)
		warn_empty(report->session);
	else if (!report->rows_shown && !report->config->health && !report->browses)
		warn_nothing_shown(report->config);
	return 0;
}

static int report_session(struct report *report)
{
	struct report_config *config = report->config;
	int ret = report_export_begin(report);

	if (ret)
		return ret;
	if (config->header || config->show_info || config->header_only) {
		ret = config->header_only ? tally_header_read_stream(report->session) : 0;
		if (!ret)
			ret = tally_header_text(report->session, config->show_info, &report->out);
		tally_wrap_comments(&report->out, 0, (size_t)report->line_width);
		if (config->header_only)
			tally_pager_start();
		if (config->header_only)
			tally_session_warn(report->session);
		if (ret || config->header_only)
			return ret ? ret : tally_output_flush(&report->out);
	}
	if (config->raw_dump)
		return tally_dump_text(report->session);
	if (config->stats || config->tasks || config->mmaps)
		ret = tally_output_flush(&report->out);
	if (ret)
		return ret;
	if (config->stats)
		return report_stats(report->session);
	if (config->tasks || config->mmaps)
		return report_tasks(report->session, config->mmaps);
	if (config->total_cycles) {
		ret = tally_row_options_finish(&config->rows, false);
		return ret ? ret
			   : report_blocks(report->session, config->event_number,
					   config->rows.show.row_min_percent, config->quiet);
	}
	return report_read(report);
}

/* Show the rows as text or JSON, or in the terminal browser. */
static int report_show_rows(struct report_config *config)
{
	struct tally_session session;
	struct report report = {.config = config, .session = &session};
	int ret;

	if (!config->separator && !config->json)
		report.line_width =
			config->stdio ? tally_output_size().columns : tally_output_columns(0);
	ret = tally_output_colour_mode(config->colour, &report.has_colours);
	if (ret)
		return ret;
	report.browses = report_wants_browser(config);
	report.summarizes = config->summarizes;
	/* In the browser, the query becomes a filter that the user can remove. */
	if (report.browses) {
		report.query = config->recording.session.filter.query;
		config->recording.session.filter.query = NULL;
	}
	ret = report_filters(&report);
	if (!ret)
		ret = tally_recording_open(&config->recording, &session);
	if (!ret) {
		ret = report_session(&report);
		tally_profile_free(&report.profile);
		tally_recording_close(&session);
	}
	tally_labels_free(&report.labels);
	tally_ignore_callees_free(&report.ignore);
	if (config->rows.show.parent_regex)
		regfree(&report.parent);
	tally_branch_chain_free(&report.branch_chain);
	report_threads_free(&report.threads);
	tally_ranges_free(&report.parallelism);
	tally_str_free(&report.out);
	return ret;
}

/* In perf, report -x has no argument, so the next option would become the separator. */
static int check_separator(const char *separator)
{
	if (!separator || separator[0] != '-' || !separator[1])
		return 0;
	tally_print_error("option '-x' requires a separator, not '%s'", separator);
	tally_print_hint("perf's 'report -x' is --exclude-other, which tally does not have");
	return -EINVAL;
}

/* With --from, read rows instead of a recording. Return 0, or the exit status plus 1 after printing
 * an error. */
static int input_choose(struct report_config *config)
{
	struct tally_session_options *session = &config->recording.session;

	if (!config->from)
		return 0;
	if (session->input) {
		tally_print_error("option '--from' cannot be combined with '-i'");
		return TALLY_EXIT_USAGE + 1;
	}
	session->input = config->from;
	session->imports = true;
	return 0;
}

static int report_run(int argc, char **argv)
{
	struct report_config config = {.is_inlined = true};
	const char *word = NULL;
	int first, ret;

	ret = tally_options_parse(&tally_command_report, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = input_choose(&config);
	if (!ret)
		ret = tally_words_parse(&tally_command_report, argc - first, argv + first,
					&config.recording.session.input, &word);
	if (ret)
		return ret - 1;
	/* Widths apply to rows, but whole names to everything. */
	config.whole_names = config.rows.column_widths && !strcmp(config.rows.column_widths, "0");
	if (config.whole_names && (config.format || config.svg))
		config.rows.column_widths = NULL;
	if (check_separator(config.separator) || report_documents_check(&config, word) ||
	    report_export_check(&config))
		return TALLY_EXIT_USAGE;
	config.rows.find_field = report_field_any;
	if (tally_row_options_check(&config.rows) || report_mode_check(&config))
		return TALLY_EXIT_ERROR;
	config.summarizes = report_wants_summary(&config, word);
	if (word)
		config.rows.show.symbol_part = word;
	if (config.separator && !strcmp(config.separator, "\\t"))
		config.separator = "\t";
	config.recording.session.symbols.bounds = !config.no_bounds;
	config.recording.session.symbols.any_owner = config.force;
	ret = config.html ? report_page(&config) : report_show_rows(&config);
	tally_row_options_free(&config.rows);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

static void print_sort(const char *before)
{
	tally_row_print_words(true, 0);
}

static void print_fields(const char *before)
{
	tally_row_print_words(false, 0);
}

static const struct tally_command_words report_words[] = {
	{"sort", print_sort},
	{"fields", print_fields},
	{"format", report_print_formats},
	{NULL, NULL},
};

const struct tally_command tally_command_report = {
	.name = "report",
	.summary = "Show the profile of a recording",
	.usage = "[OPTIONS] [FILE] [SYMBOL]",
	.about = " More sort keys. Samples: time addr symbol_iaddr symoff dso_size socket cgroup "
		 "cgroup_id\n"
		 " comm_nodigit transaction parallelism code_page_size symbol_size. Weights: "
		 "weight\n"
		 " ins_lat p_stage_cyc retire_lat (times the number of samples), and each with "
		 "local_.\n"
		 " Memory accesses: op mem snoop tlb locked blocked symbol_daddr dso_daddr "
		 "dcacheline\n"
		 " phys_daddr data_page_size type typeoff typecln. Branches: dso_from dso_to "
		 "symbol_from\n"
		 " symbol_to addr_from addr_to srcline_from srcline_to mispredict in_tx abort "
		 "cycles. Tracepoints: "
		 "FIELD,\n"
		 " EVENT.FIELD, trace_fields.\n"
		 " More columns for --fields: latency overhead_sys overhead_us overhead_guest_sys\n"
		 " overhead_guest_us weight1 weight2 weight3.\n",
	.options = report_options,
	.words = report_words,
	.privileged = true,
	.run = report_run,
};
