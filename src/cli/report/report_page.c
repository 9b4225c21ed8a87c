/* SPDX-License-Identifier: BSD-2-Clause */
/* tally report --html, and checks for conflicts between document options. */
#include "cli/main/html_file.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/main/exclude.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/report/report.h"
#include "export/export.h"

#define AT(member) offsetof(struct report_config, member)

/* Options that select the output format. */
static const struct tally_excluded ways[] = {
	{"--html", AT(html), true},
	{"--svg", AT(svg), true},
	{"--format", AT(format), true},
	{"--stdio", AT(stdio)},
	{"--tui", AT(tui)},
	{"--json", AT(json)},
	{"--field-separator", AT(separator), true},
	{"--header", AT(header)},
	{"--header-only", AT(header_only)},
	{"--health", AT(health)},
};

/* Options that replace the rows by text of another form. */
static const struct tally_excluded texts[] = {
	{"--hierarchy", AT(rows.hierarchy)},
	{"--stats", AT(stats)},
	{"--tasks", AT(tasks)},
	{"--mmaps", AT(mmaps)},
	{"--total-cycles", AT(total_cycles)},
	{"--dump-raw-trace", AT(raw_dump)},
};

/* Options that only affect rows. */
static const struct tally_excluded of_rows[] = {
	{"--sort", AT(rows.sort), true, TALLY_EXCLUDED_OF_ROWS},
	{"--fields", AT(rows.fields), true, TALLY_EXCLUDED_OF_ROWS},
	{"--children", AT(rows.children_given), false, TALLY_EXCLUDED_OF_ROWS},
	{"--show-nr-samples", AT(rows.show_samples), false, TALLY_EXCLUDED_OF_ROWS},
	{"--show-total-period", AT(rows.show_period), false, TALLY_EXCLUDED_OF_ROWS},
	{"--full-source-path", AT(rows.show.has_paths), false, TALLY_EXCLUDED_OF_ROWS},
	{"--parent", AT(rows.show.parent), true, TALLY_EXCLUDED_OF_ROWS},
	{"--column-widths", AT(rows.column_widths), true, TALLY_EXCLUDED_OF_ROWS},
	{"--call-graph", AT(rows.call_graph), true, TALLY_EXCLUDED_OF_ROWS},
	{"--branch-stack", AT(branch_stack), false, TALLY_EXCLUDED_OF_ROWS},
	{"--branch-history", AT(branch_history), false, TALLY_EXCLUDED_OF_ROWS},
	{"--group", AT(group), false, TALLY_EXCLUDED_OF_ROWS},
	{"--latency", AT(latency), false, TALLY_EXCLUDED_OF_ROWS},
	{"--show-cpu-utilization", AT(cpu_utilization), false, TALLY_EXCLUDED_OF_ROWS},
};

/* Options that change samples after they are read, which pages do not do. */
static const struct tally_excluded not_of_pages[] = {
	{"--ignore-callees", AT(ignore_callees), true, "does not apply to pages"},
	{"--parallelism", AT(parallelism), true, "does not apply to pages"},
	{"--just-my-code", AT(own_code), false, "is the key m in the page"},
};

/* Options that do not affect the blocks of --total-cycles. */
static const struct tally_excluded not_of_blocks[] = {
	{"--symbols", AT(rows.symbols), true, TALLY_EXCLUDED_OF_ROWS},
	{"--comms", AT(rows.comms), true, TALLY_EXCLUDED_OF_ROWS},
	{"--dsos", AT(rows.dsos), true, TALLY_EXCLUDED_OF_ROWS},
	{"--symbol-filter", AT(rows.show.symbol_part), true, TALLY_EXCLUDED_OF_ROWS},
	{"--query", AT(recording.session.filter.query), true, TALLY_EXCLUDED_OF_ROWS},
	{"--parallelism", AT(parallelism), true, TALLY_EXCLUDED_OF_ROWS},
	{"--ignore-callees", AT(ignore_callees), true, TALLY_EXCLUDED_OF_ROWS},
	{"--sort", AT(rows.sort), true, TALLY_EXCLUDED_OF_ROWS},
	{"--fields", AT(rows.fields), true, TALLY_EXCLUDED_OF_ROWS},
	{"--hierarchy", AT(rows.hierarchy), false, TALLY_EXCLUDED_OF_ROWS},
	{"--group", AT(group), false, TALLY_EXCLUDED_OF_ROWS},
	{"--branch-history", AT(branch_history), false, TALLY_EXCLUDED_OF_ROWS},
	{"--latency", AT(latency), false, TALLY_EXCLUDED_OF_ROWS},
	{"--threads", AT(threads), false, TALLY_EXCLUDED_OF_ROWS},
	{"--stats", AT(stats)},
	{"--tasks", AT(tasks)},
	{"--mmaps", AT(mmaps)},
	{"--dump-raw-trace", AT(raw_dump)},
};

/* Text that has no columns to separate. Other texts ignore the separator, as in perf. */
static const struct tally_excluded not_separated[] = {
	{"--hierarchy", AT(rows.hierarchy)},
	{"--total-cycles", AT(total_cycles)},
};

/* Options that add text after the rows. */
static const struct tally_excluded after_rows[] = {
	{"--threads", AT(threads), false, "adds text to rows"},
};

/* --percent-limit, which --svg uses as the minimum width of boxes. */
static const struct tally_excluded limit = {"--percent-limit", AT(rows.percent_limit), true,
					    TALLY_EXCLUDED_OF_ROWS};

struct document_kind {
	const char *option, *value; /* `value` is NULL if the option was not given */
	bool has_rows, has_limit;
};

static int texts_check(const struct report_config *config, const char *option)
{
	return tally_options_exclude(option, texts, TALLY_ARRAY_SIZE(texts), config);
}

static int document_check(const struct report_config *config, const struct document_kind *kind)
{
	int ret = tally_options_exclude(kind->option, ways, TALLY_ARRAY_SIZE(ways), config);

	if (!ret)
		ret = texts_check(config, kind->option);
	if (!ret)
		ret = tally_options_exclude(kind->option, after_rows, TALLY_ARRAY_SIZE(after_rows),
					    config);
	if (!ret && !kind->has_rows)
		ret = tally_options_exclude(kind->option, of_rows, TALLY_ARRAY_SIZE(of_rows),
					    config);
	if (!ret && !kind->has_limit)
		ret = tally_options_exclude(kind->option, &limit, 1, config);
	return ret;
}

static int baseline_check(const struct report_config *config)
{
	if (config->html || !config->baseline)
		return 0;
	tally_print_error("option '--baseline' requires --html FILE");
	tally_print_hint("use 'tally diff %s %s' to compare as text", config->baseline,
			 config->recording.session.input ? config->recording.session.input
							 : "perf.data");
	return -EINVAL;
}

/* Check the word after --html. In "-i FILE --html FILE", the user meant the second file as the
 * page, not as a function name. */
static int word_check(const struct report_config *config, const char *word)
{
	if (!config->html || *config->html || !word || !tally_perfdata_is_recording(word))
		return 0;
	return tally_overwrite_check("--html", word, TALLY_OVERWRITE_PAGE, false);
}

static int blocks_check(const struct report_config *config, const char *word)
{
	if (word) {
		tally_print_error("--total-cycles shows blocks of all functions, not only '%s'",
				  word);
		return -EINVAL;
	}
	return tally_options_exclude("--total-cycles", not_of_blocks,
				     TALLY_ARRAY_SIZE(not_of_blocks), config);
}

int report_documents_check(const struct report_config *config, const char *word)
{
	bool is_rows = config->format && !tally_export_format_find(config->format);
	const struct document_kind kinds[] = {
		{"--html", config->html, false, false},
		{"--svg", config->svg, false, true},
		{"--format", config->format, is_rows, is_rows},
	};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds) && !ret; i++) {
		if (kinds[i].value)
			ret = document_check(config, &kinds[i]);
	}
	if (!ret && config->total_cycles)
		ret = blocks_check(config, word);
	if (!ret && config->json)
		ret = texts_check(config, "--json");
	if (!ret && config->json)
		ret = tally_options_exclude("--json", after_rows, TALLY_ARRAY_SIZE(after_rows),
					    config);
	if (!ret && config->separator)
		ret = tally_options_exclude("--field-separator", not_separated,
					    TALLY_ARRAY_SIZE(not_separated), config);
	if (!ret && config->html)
		ret = tally_options_exclude("--html", not_of_pages, TALLY_ARRAY_SIZE(not_of_pages),
					    config);
	if (!ret)
		ret = tally_html_check(config->html, config->html_source);
	if (!ret)
		ret = tally_document_check_plain("--svg", config->svg);
	if (!ret)
		ret = word_check(config, word);
	return ret ? ret : baseline_check(config);
}

int report_page(struct report_config *config)
{
	struct tally_html_file file = {
		.command = config->quiet ? NULL : "report",
		.output = config->html,
		.force = config->force,
		.request = {.inputs = {config->recording.session.input},
			    .nr_inputs = 1,
			    .event_number = config->event_number,
			    .max_stack = (uint32_t)config->max_stack,
			    .raw_chains = config->raw_chains,
			    .code = tally_html_code(config->html_source_given, config->html_source),
			    .no_inlined = !config->is_inlined},
	};
	struct tally_html_request *request = &file.request;
	int ret = tally_row_options_lists(&config->rows);

	request->filter = (struct tally_profile_filter){
		.comms = config->rows.comm_list.items,
		.dsos = config->rows.dso_list.items,
		.symbols = config->rows.symbol_list.items,
		.symbol_part = config->rows.show.symbol_part,
	};
	if (config->baseline) {
		request->inputs[1] = request->inputs[0];
		request->inputs[0] = config->baseline;
		request->nr_inputs = 2;
	}
	if (!ret)
		ret = tally_html_file(&file, &config->recording);
	if (!ret && config->baseline && !config->quiet)
		tally_print_hint("for a page that also distinguishes changes from noise, use "
				 "'tally diff --html %s %s'",
				 config->baseline, tally_recording_input(request->inputs[1]));
	return ret;
}
