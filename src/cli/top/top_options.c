/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally top. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/main/row_columns.h"
#include "cli/main/symbol_options.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/top/top_labels.h"
#include "cli/top/top_options.h"
#include "sampler/ring_pages.h"

#define AT(member)    offsetof(struct top_config, member)
#define FLAG(member)  TALLY_OPTION_FLAG, AT(member), NULL
#define TEXT(member)  TALLY_OPTION_TEXT, AT(member)
#define CALL(fn, arg) TALLY_OPTION_CALL, 0, arg

static int option_chain(void *config_, const char *arg)
{
	struct top_config *config = config_;

	config->call_graph = tally_sampling_choose_chain(config->call_graph, arg);
	return 0;
}

static int option_cgroup(void *config, const char *arg)
{
	return tally_sampling_parse_cgroup(&((struct top_config *)config)->sampling, arg);
}

static int option_branch(void *config, const char *arg)
{
	return tally_sampling_parse_branches(&((struct top_config *)config)->sampling, arg);
}

static int option_any_branch(void *config, const char *arg)
{
	return option_branch(config, NULL);
}

const struct tally_option top_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to watch:"},
	TALLY_OPTIONS_CPUS(AT(sampling.target)),
	TALLY_OPTIONS_TASKS(AT(sampling.target), 't'),
	TALLY_OPTION_USER(AT(sampling.target)),
	TALLY_OPTION_VIA(AT(via)),
	{'G', "cgroup", .kind = TALLY_OPTION_CALL, .arg = "name",
	 .help = "show only tasks in this cgroup", .call = option_cgroup},
	{'i', "no-inherit", FLAG(sampling.no_inherit), "do not include child tasks"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Events:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "event",
	 "sample these events (default: cycles); see tally list"},
	TALLY_OPTION_EVENTS_DIR(AT(sampling.source.dir)),
	{0, "group", FLAG(group), "make the events a group: scheduled together or not at all"},
	{'F', "freq", TEXT(sampling.freq), "freq",
	 "take this many samples per second (default: 4000), or 'max'"},
	{'c', "count", TALLY_OPTION_U64, AT(sampling.period), "n", "take a sample every n events",
	 .given = AT(sampling.has_period)},
	{'g', NULL, .kind = TALLY_OPTION_CALL, .help = "record callchains with frame pointers",
	 .call = option_chain, .takes_no = true},
	{0, "call-graph", .kind = TALLY_OPTION_CALL,
	 .arg = "fp|dwarf[,size]|auto[,size]|lbr[,display]",
	 .help = "record callchains; select the method and how to show them, as in tally report",
	 .call = option_chain, .takes_no = true},
	{'b', "branch-any", .kind = TALLY_OPTION_CALL,
	 .help = "show taken branches of any type, one row for each pair of functions",
	 .call = option_any_branch},
	{'j', "branch-filter", .kind = TALLY_OPTION_CALL, .arg = "kinds",
	 .help = "show taken branches of these types (e.g. any_call,u)", .call = option_branch},
	{0, "all-cgroups", FLAG(sampling.all_cgroups),
	 "record cgroups; implied by the sort key cgroup"},
	{0, "max-stack", TALLY_OPTION_U64, AT(sampling.max_stack), "n",
	 "limit the callchain entries (default: 127)"},
	{0, "raw-chains", FLAG(raw_chains),
	 "use callchains as recorded, without validating return addresses"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Output:"},
	{'d', "delay", TEXT(delay), "seconds", "set the time between refreshes (default: 2)"},
	{'z', "zero", FLAG(zero),
	 "show only samples since the last refresh; otherwise old samples decay"},
	{'s', "sort", TEXT(rows.sort), "keys",
	 "sort by: [+]comm,dso,symbol,tgid,pid,tid,cpu,parent, or the other keys of tally report "
	 "except source lines, traces and types (default: dso,symbol)"},
	{0, "fields", TEXT(rows.fields), "columns",
	 "show columns: [+]overhead_children,overhead,sample,period and sort keys"},
	{'n', "show-nr-samples", FLAG(rows.show_samples), "show a column with sample counts"},
	{0, "show-total-period", FLAG(rows.show_period), "show a column with periods"},
	{0, "children", FLAG(rows.show.children),
	 "add the cost of callees (default with callchains)", NULL, NULL, AT(rows.children_given)},
	{'w', "column-widths", TEXT(rows.column_widths), "width[,width...]",
	 "set column widths; 0: as needed"},
	{0, "hierarchy", FLAG(rows.hierarchy),
	 "show a tree with one level for each sort key, as text"},
	{'E', "entries", TALLY_OPTION_U64, AT(entries), "n",
	 "limit the number of rows (default: as many as fit)"},
	{'f', "count-filter", TALLY_OPTION_U64, AT(count_filter), "n",
	 "show only rows with at least this many samples"},
	{0, "percent-limit", TEXT(rows.percent_limit), "percent",
	 "leave out rows below this percentage"},
	{0, "percentage", TEXT(percentage), "relative|absolute",
	 "show percentages of the samples that pass the filters (default), or of all samples"},
	{0, "switch-on", TEXT(switches.on), "event",
	 "leave out samples until the first sample of this event"},
	{0, "switch-off", TEXT(switches.off), "event",
	 "leave out samples from a sample of this event on, until the next of --switch-on"},
	{0, "show-on-off-events", FLAG(switches.shows),
	 "show the samples of --switch-on and --switch-off as well"},
	{'K', "hide_kernel_symbols", FLAG(hide_kernel), "hide kernel functions"},
	{'U', "hide_user_symbols", FLAG(hide_user), "hide user-space functions"},
	{0, "idle", FLAG(show_idle), "also show functions in which idle CPUs wait"},
	{0, "comms", TEXT(rows.comms), "list", "show only threads with these names"},
	{0, "dsos", TEXT(rows.dsos), "list", "show only these files"},
	{0, "symbols", TEXT(rows.symbols), "list", "show only these functions"},
	{0, "symbol-filter", TEXT(rows.show.symbol_part), "text",
	 "show only functions with names that contain this string"},
	{0, "ignore-callees", TEXT(ignore_callees), "regex",
	 "count samples in callees of functions with matching names as samples of the function"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Symbols:"},
	TALLY_OPTIONS_KERNEL_SYMBOLS(AT(symbols)),
	TALLY_OPTION_NO_BOUNDS(AT(no_bounds)),
	TALLY_OPTION_NO_DEMANGLE(AT(symbols)),
	TALLY_OPTION_NO_INDEX(AT(no_index)),
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Other:"},
	{0, "stdio", FLAG(stdio), "print text, one screen after another"},
	{0, "tui", FLAG(tui), "use an interactive screen (default on a terminal)"},
	{'m', "mmap-pages", TEXT(mmap_size), "pages|size",
	 "set the size of each ring buffer in pages, or as a size such as 4M (default: 512K; more "
	 "for stack "
	 "dumps)"},
	{'r', "realtime", TALLY_OPTION_INT, AT(realtime), "priority",
	 "run with SCHED_FIFO at this priority"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "print the opened events"},
	TALLY_OPTION_END,
};

/* Parse "fp|dwarf[,size]|auto[,size]|lbr" followed by display options as in tally report. Either
 * part may be omitted. */
static int config_chain(struct top_config *config)
{
	static const char *const modes[] = {"fp", "dwarf", "auto", "lbr", "no"};
	const char *text = config->call_graph, *rest;
	char mode[32];
	size_t len;

	if (!text)
		return 0;
	len = strcspn(text, ",");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(modes); i++) {
		if (strlen(modes[i]) != len || strncmp(modes[i], text, len) != 0)
			continue;
		/* For dwarf, a number after the method is the stack size. */
		if (!strcmp(modes[i], "dwarf") && text[len] == ',' && text[len + 1] >= '0' &&
		    text[len + 1] <= '9')
			len += 1 + strcspn(text + len + 1, ",");
		rest = text[len] ? text + len + 1 : NULL;
		config->rows.call_graph = rest;
		snprintf(mode, sizeof(mode), "%.*s", (int)TALLY_MIN(len, sizeof(mode) - 1), text);
		return tally_sampling_parse_chain(&config->sampling, mode);
	}
	config->rows.call_graph = text;
	return tally_sampling_parse_chain(&config->sampling, "fp");
}

static int config_delay(struct top_config *config)
{
	double seconds = 2;
	char *end;

	if (config->delay) {
		seconds = strtod(config->delay, &end);
		if (end == config->delay || *end || !(seconds >= 0.05 && seconds <= 86400)) {
			tally_print_error("option '-d' requires a number of seconds (0.05 to "
					  "86400), not '%s'",
					  config->delay);
			return -EINVAL;
		}
	}
	config->delay_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

enum { TOP_NO_KEYS = TALLY_KEY_LINE | TALLY_KEY_FILE }; /* keys that need source lines */

void top_print_sort(const char *before)
{
	tally_row_print_words(true, TOP_NO_KEYS);
}

void top_print_fields(const char *before)
{
	tally_row_print_words(false, TOP_NO_KEYS);
}

/* Reject rows and call graphs that need source lines. */
static int check_rows(const struct tally_show *show)
{
	if (show->keys & TOP_NO_KEYS) {
		tally_print_error("option '--sort': source lines are not supported by tally top; "
				  "use 'tally record' and 'tally report'");
		return -EINVAL;
	}
	if (show->graph_key != TALLY_GRAPH_FUNCTION) {
		tally_print_error("option '--call-graph': tally top shows functions, not lines and "
				  "addresses; use 'tally record' and 'tally report'");
		return -EINVAL;
	}
	return 0;
}

int top_config_finish(struct top_config *config)
{
	struct tally_sampling *sampling = &config->sampling;
	bool is_relative;
	int ret = config_delay(config);

	if (!ret)
		ret = config_chain(config);
	if (!ret)
		ret = tally_row_percentage(config->percentage, &is_relative);
	if (ret)
		return ret;
	if (config->rows.hierarchy && config->tui) {
		tally_print_error("options '--hierarchy' and '--tui' cannot be used together");
		return -EINVAL;
	}
	config->is_absolute = config->percentage && !is_relative;
	tally_target_normalize(&sampling->target, false, sampling->messages);
	sampling->synth = TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP;
	/* Use a single clock, so that records from all CPUs can be ordered and compared with our
	 * own clock readings. */
	sampling->use_clockid = true;
	sampling->clockid = CLOCK_MONOTONIC;
	config->rows.default_sort =
		sampling->branches ? "comm,dso_from,symbol_from,symbol_to,cycles" : "dso,symbol";
	if (!config->rows.sort && (!config->rows.fields || *config->rows.fields == '+'))
		config->rows.sort = config->rows.default_sort;
	if (config->ignore_callees && sampling->chain == TALLY_CALLCHAIN_NONE) {
		tally_print_error("option '--ignore-callees' requires callchains: use it with -g");
		return -EINVAL;
	}
	ret = tally_ring_pages_parse(config->mmap_size, false, sampling->messages,
				     &sampling->ring_pages);
	if (ret)
		return ret;
	ret = tally_row_options_finish(&config->rows, sampling->chain != TALLY_CALLCHAIN_NONE);
	if (!ret)
		ret = check_rows(&config->rows.show);
	return ret ? ret : top_labels_check(config);
}
