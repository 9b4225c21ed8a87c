/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/recording/recording_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/recording/recording_columns.h"
#include "cli/main/html_file.h"

#define AT(member) offsetof(struct report_config, member)

const struct tally_option report_options[] = {
	{'i', "input", TALLY_OPTION_TEXT, AT(recording.session.input), "file",
	 "read this recording (default: perf.data; -: standard input)"},
	{0, "stdio", TALLY_OPTION_FLAG, AT(stdio), NULL, "print text, even on a terminal"},
	{0, "tui", TALLY_OPTION_FLAG, AT(tui), NULL,
	 "use the terminal browser (default on a terminal)"},
	{0, "json", TALLY_OPTION_FLAG, AT(json), NULL, "print JSON"},
	{0, "html", TALLY_OPTION_TEXT, AT(html), "file",
	 "write a self-contained HTML page (default: tally-PROGRAM.html; -: stdout)",
	 TALLY_HTML_UNNAMED, .next_word = true, .fits = tally_html_is_page_name},
	{0, "html-source", TALLY_OPTION_FLAG, AT(html_source), NULL,
	 "with --html, include instructions and source of the top functions"},
	{0, "baseline", TALLY_OPTION_TEXT, AT(baseline), "file",
	 "with --html, compare with this recording"},
	{0, "svg", TALLY_OPTION_TEXT, AT(svg), "file",
	 "write flame graphs as SVG, without JavaScript (-: stdout)"},
	{0, "format", TALLY_OPTION_TEXT, AT(format), "name",
	 "export: folded|pprof|firefox|speedscope|callgrind|perfetto|json|csv"},
	{'o', "output", TALLY_OPTION_TEXT, AT(output), "file",
	 "export to this file (default: stdout); it is replaced atomically, and compressed if "
	 "named *.gz"},
	{0, "event-number", TALLY_OPTION_U64, AT(event_number), "n",
	 "show only this event; the first is 1", NULL, NULL, AT(event_given)},
	{'x', "field-separator", TALLY_OPTION_TEXT, AT(separator), "string",
	 "print values separated by this string"},
	{'t', NULL, TALLY_OPTION_TEXT, AT(separator), "string", "alias for -x, as in perf"},
	{0, "header", TALLY_OPTION_FLAG, AT(header), NULL, "print the file header first"},
	{0, "header-only", TALLY_OPTION_FLAG, AT(header_only), NULL, "print only the file header"},
	{0, "no-bounds", TALLY_OPTION_FLAG, AT(no_bounds), NULL,
	 "show addresses, as perf does, instead of fn@START for functions without a name"},
	{0, "health", TALLY_OPTION_FLAG, AT(health), NULL,
	 "print only the recording health: what was lost, truncated or unnamed, for each file"},
	{'q', "quiet", TALLY_OPTION_FLAG, AT(quiet), NULL,
	 "print only rows, without comment lines"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Rows and columns:"},
	{'s', "sort", TALLY_OPTION_TEXT, AT(sort), "keys",
	 "sort by: [+]comm,dso,symbol,srcline,srcfile,tgid,pid,tid,cpu,parent,trace"},
	{'F', "fields", TALLY_OPTION_TEXT, AT(fields), "columns",
	 "show columns: [+]overhead_children,overhead,sample,period,event and sort keys"},
	{0, "children", TALLY_OPTION_FLAG, AT(children), NULL,
	 "add the cost of callees (default with callchains)", NULL, NULL, AT(children_given)},
	{'n', "show-nr-samples", TALLY_OPTION_FLAG, AT(show_samples), NULL,
	 "show a column with sample counts"},
	{0, "show-total-period", TALLY_OPTION_FLAG, AT(show_period), NULL,
	 "show a column with periods"},
	{0, "full-source-path", TALLY_OPTION_FLAG, AT(has_paths), NULL,
	 "show source files with their directories, and distinguish them by directory"},
	{'p', "parent", TALLY_OPTION_TEXT, AT(parent), "text",
	 "with --sort parent, select callers with names that start with this string"},
	{'w', "column-widths", TALLY_OPTION_TEXT, AT(column_widths), "width[,width...]",
	 "set column widths, even on a terminal; 0 shows full names"},
	{0, "percent-limit", TALLY_OPTION_TEXT, AT(percent_limit), "percent",
	 "leave out rows below this percentage"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Call graphs:"},
	{'g', "call-graph", TALLY_OPTION_TEXT, AT(call_graph), "style",
	 "show call graphs: graph|fractal|flat|folded|none,[min percent],[lines],[caller|callee]",
	 "graph,0.5,caller", NULL, 0, true},
	{'G', "inverted", TALLY_OPTION_TEXT, AT(call_graph), "style",
	 "like -g, but callers first by default", "graph,0.5,caller", NULL, AT(inverted), true},
	{0, "max-stack", TALLY_OPTION_U64, AT(max_stack), "n",
	 "limit the callchain entries used (default: 127)"},
	{0, "inline", TALLY_OPTION_FLAG, AT(is_inlined), NULL,
	 "show inlined functions in callchains (default)", NULL, NULL, AT(inlined_given)},
	{0, "raw-chains", TALLY_OPTION_FLAG, AT(raw_chains), NULL,
	 "use callchains as recorded, without validating return addresses"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Filters:"},
	{'c', "comms", TALLY_OPTION_TEXT, AT(comms), "list",
	 "select samples of threads with these names"},
	{'d', "dsos", TALLY_OPTION_TEXT, AT(dsos), "list", "select samples in these files"},
	{'S', "symbols", TALLY_OPTION_TEXT, AT(symbols), "list",
	 "select samples in these functions"},
	{0, "symbol-filter", TALLY_OPTION_TEXT, AT(symbol_part), "text",
	 "show only functions with names that contain this string"},
	{'C', "cpu", TALLY_OPTION_TEXT, AT(recording.session.filter.cpus), "list",
	 "select samples on these CPUs (e.g. 0-3,5)"},
	{0, "pid", TALLY_OPTION_TEXT, AT(recording.session.filter.pids), "list",
	 "select samples of these processes"},
	{0, "tid", TALLY_OPTION_TEXT, AT(recording.session.filter.tids), "list",
	 "select samples of these threads"},
	{0, "time", TALLY_OPTION_TEXT, AT(recording.session.filter.time), "start,end",
	 "select samples in this time range: start,end in seconds (either may be omitted) or "
	 "10%-20%"},
	{0, "query", TALLY_OPTION_TEXT, AT(recording.session.filter.query), "words",
	 "select samples that match: comm:X pid:N tid:N cpu:N time:A,B sym:X dso:X self-sym:X "
	 "self-dso:X X; -word excludes samples that match"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Symbols:"},
	{'k', "vmlinux", TALLY_OPTION_TEXT, AT(vmlinux), "file",
	 "read kernel symbols from this image"},
	{0, "kallsyms", TALLY_OPTION_TEXT, AT(kallsyms), "file",
	 "read kernel symbols from this file instead of /proc/kallsyms"},
	{0, "symfs", TALLY_OPTION_TEXT, AT(symfs), "dir", "look for files below this directory"},
	{0, "debuginfod", TALLY_OPTION_TEXT, AT(recording.session.debuginfod), "urls",
	 "fetch debug information from these servers, or those in $DEBUGINFOD_URLS", ""},
	{0, "no-demangle", TALLY_OPTION_FLAG, AT(no_demangle), NULL,
	 "show mangled C++, Rust and D names"},
	{0, "no-index", TALLY_OPTION_FLAG, AT(recording.no_index), NULL,
	 "do not read or write symbol indexes (see TALLY_INDEX)"},
	{0, "stdio-color", TALLY_OPTION_TEXT, AT(colour), "mode",
	 "ignored; accepted for perf compatibility"},
	{0, "group", TALLY_OPTION_FLAG, AT(group), NULL,
	 "ignored; accepted for perf compatibility"},
	{'f', "force", TALLY_OPTION_FLAG, AT(force), NULL,
	 "overwrite any existing file; accept /tmp/perf-PID.map owned by any user"},
	TALLY_OPTION_END,
};

/* Call `each` for every word in a comma-separated list. */
static int for_each_word(struct report_config *config, const char *list, const char *option,
			 int (*each)(struct report_config *config, const char *word, size_t len))
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		int ret = each(config, list, len);

		if (ret) {
			if (ret == -EINVAL)
				tally_print_error("option '--%s': unknown value '%.*s'", option,
						  (int)len, list);
			return ret;
		}
		list += len + (list[len] == ',');
	}
	return 0;
}

static bool word_is(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && !strncmp(word, text, len);
}

/* ---- --call-graph -------------------------------------------------------- */

static const struct {
	const char *name;
	enum tally_graph_style style;
} styles[] = {
	{"graph", TALLY_STYLE_GRAPH}, {"fractal", TALLY_STYLE_FRACTAL},
	{"flat", TALLY_STYLE_FLAT},   {"folded", TALLY_STYLE_FOLDED},
	{"none", TALLY_STYLE_NONE},   {"no", TALLY_STYLE_NONE},
};

/* Parse a word of --call-graph. Words may appear in any order: a style; "caller" or "callee"; sort
 * keys, which have no effect here; and numbers. The first number is the minimum percentage, the
 * second is the maximum number of lines. */
static int call_graph_word(struct report_config *config, const char *word, size_t len)
{
	char *end;
	double number;

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (word_is(word, len, styles[i].name)) {
			config->style = styles[i].style;
			return 0;
		}
	}
	if (word_is(word, len, "caller") || word_is(word, len, "callee")) {
		config->order =
			word_is(word, len, "caller") ? TALLY_GRAPH_CALLER : TALLY_GRAPH_CALLEE;
		config->order_given = true;
		return 0;
	}
	if (word_is(word, len, "function") || word_is(word, len, "percent"))
		return 0;
	number = strtod(word, &end);
	if (end != word + len || end == word || number < 0)
		return -EINVAL;
	if (config->graph_min_percent < 0)
		config->graph_min_percent = number;
	else
		config->graph_limit = (uint64_t)number;
	return 0;
}

static int config_call_graph(struct report_config *config, bool has_chains)
{
	int ret;

	config->style = has_chains ? TALLY_STYLE_GRAPH : TALLY_STYLE_NONE;
	config->graph_min_percent = -1;
	if (config->call_graph && !strcmp(config->call_graph, "no"))
		config->call_graph = "none";
	ret = for_each_word(config, config->call_graph, "call-graph", call_graph_word);
	if (config->graph_min_percent < 0)
		config->graph_min_percent = 0.5;
	if (!config->children_given)
		config->children = has_chains;
	if (!has_chains) {
		config->children = false;
		config->style = TALLY_STYLE_NONE;
	}
	if (!config->order_given)
		config->order = config->children || config->inverted ? TALLY_GRAPH_CALLER
								     : TALLY_GRAPH_CALLEE;
	return ret;
}

/* ---- numbers ------------------------------------------------------------- */

static int config_percent(const char *text, double *ret_percent)
{
	char *end;

	if (!text)
		return 0;
	*ret_percent = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")) || *ret_percent < 0 || *ret_percent > 100) {
		tally_print_error("option '--percent-limit' requires a percentage, not '%s'", text);
		return -EINVAL;
	}
	return 0;
}

/* Parse a list of column widths such as "8,0,30". An empty entry means 0. */
static int config_widths(struct report_config *config)
{
	enum { MOST = 4096 };
	const char *at = config->column_widths;

	for (int i = 0; at && *at; i++) {
		bool is_number = *at == ',' || (*at >= '0' && *at <= '9');
		char *end;
		unsigned long width = strtoul(at, &end, 10);

		if (!is_number || (*end && *end != ',') || width > MOST) {
			tally_print_error("option '--column-widths' requires comma-separated "
					  "numbers up to %d, not '%s'",
					  MOST, config->column_widths);
			return -EINVAL;
		}
		if (i < TALLY_VIEW_MAX_COLUMNS)
			config->widths[i] = (int)width;
		at = *end ? end + 1 : end;
	}
	config->asked = config->column_widths ? config->widths : NULL;
	return 0;
}

int report_config_lists(struct report_config *config)
{
	int ret = tally_word_list_split(config->comms, &config->comm_list);

	if (!ret)
		ret = tally_word_list_split(config->dsos, &config->dso_list);
	if (!ret)
		ret = tally_word_list_split(config->symbols, &config->symbol_list);
	return ret;
}

int report_config_finish(struct report_config *config, bool has_chains)
{
	int ret = config_call_graph(config, has_chains);

	if (!ret)
		ret = report_config_columns(config);
	if (!ret)
		ret = config_percent(config->percent_limit, &config->row_min_percent);
	if (!ret)
		ret = config_widths(config);
	if (!ret)
		ret = report_config_lists(config);
	if (config->separator && !strcmp(config->separator, "\\t"))
		config->separator = "\t";
	return ret;
}

int report_config_check(const struct report_config *config)
{
	struct report_config trial = *config;
	int ret = report_config_finish(&trial, true);

	report_config_free(&trial);
	return ret;
}

void report_config_remove_single(struct report_config *config)
{
	const struct {
		unsigned key;
		size_t nr;
	} lists[] = {
		{TALLY_KEY_COMM, config->comm_list.nr},
		{TALLY_KEY_DSO, config->dso_list.nr},
		{TALLY_KEY_SYMBOL, config->symbol_list.nr},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lists); i++) {
		int kept = 0;

		for (int at = 0; lists[i].nr == 1 && at < config->nr_columns; at++)
			if (config->columns[at]->key != lists[i].key)
				config->columns[kept++] = config->columns[at];
		if (kept)
			config->nr_columns = kept;
	}
}

uint64_t report_config_graph_min(const struct report_config *config, uint64_t period)
{
	if (config->style == TALLY_STYLE_FRACTAL)
		return 0;
	return (uint64_t)((double)period * config->graph_min_percent / 100);
}

void report_config_free(struct report_config *config)
{
	tally_word_list_free(&config->comm_list);
	tally_word_list_free(&config->dso_list);
	tally_word_list_free(&config->symbol_list);
}

bool report_config_is_parent(const struct report_config *config, const char *symbol)
{
	/* perf's default is ^sys_|^do_page_fault. */
	if (!config->parent)
		return !strncmp(symbol, "sys_", 4) || !strncmp(symbol, "do_page_fault", 13);
	return !strncmp(symbol, config->parent, strlen(config->parent));
}

const char *report_config_row_part(const struct report_config *config)
{
	return config->keys & TALLY_KEY_SYMBOL ? config->symbol_part : NULL;
}

const char *report_config_sample_part(const struct report_config *config)
{
	return config->keys & TALLY_KEY_SYMBOL ? NULL : config->symbol_part;
}
