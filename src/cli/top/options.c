/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of tally top. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/main/target_options.h"
#include "cli/main/via.h"
#include "cli/top/options.h"
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

const struct tally_option top_options[] = {
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What to watch:"},
	TALLY_OPTIONS_CPUS(AT(sampling.target)),
	TALLY_OPTIONS_TASKS(AT(sampling.target), 't'),
	TALLY_OPTION_USER(AT(sampling.target)),
	TALLY_OPTION_VIA(AT(via)),
	{'i', "no-inherit", FLAG(sampling.no_inherit), "not the children that tasks make"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Events:"},
	{'e', "event", TALLY_OPTION_LIST, AT(events), "event",
	 "events to sample (cycles); see tally list"},
	TALLY_OPTION_EVENTS_DIR(AT(sampling.source.dir)),
	{0, "group", FLAG(group), "the events are one group: counted together or not at all"},
	{'F', "freq", TEXT(sampling.freq), "freq", "samples a second (4000), or 'max'"},
	{'c', "count", TALLY_OPTION_U64, AT(sampling.period), "n", "a sample every n events",
	 .given = AT(sampling.has_period)},
	{'g', NULL, .kind = TALLY_OPTION_CALL, .help = "callchains, by frame pointers",
	 .call = option_chain},
	{0, "call-graph", .kind = TALLY_OPTION_CALL,
	 .arg = "fp|dwarf[,size]|auto[,size]|lbr[,how to show]",
	 .help = "callchains, by these means; shown as in tally report", .call = option_chain},
	{0, "max-stack", TALLY_OPTION_U64, AT(sampling.max_stack), "n",
	 "entries of a callchain (127)"},
	{0, "raw-chains", FLAG(report.raw_chains),
	 "callchains as recorded, not cut where they went astray"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "What is shown:"},
	{'d', "delay", TEXT(delay), "seconds", "between refreshes (2)"},
	{'z', "zero", FLAG(zero), "only what came since the last refresh; else the past fades"},
	{'s', "sort", TEXT(report.sort), "keys",
	 "tell rows apart by: [+]comm,dso,symbol,tgid,pid,tid,cpu,parent (dso,symbol)"},
	{0, "fields", TEXT(report.fields), "columns",
	 "columns: [+]overhead_children,overhead,sample,period and keys"},
	{'n', "show-nr-samples", FLAG(report.show_samples), "a column of sample counts"},
	{0, "show-total-period", FLAG(report.show_period), "a column of periods"},
	{0, "children", FLAG(report.children),
	 "add what a function's callees cost (default with callchains)", NULL, NULL,
	 AT(report.children_given)},
	{'w', "column-widths", TEXT(report.column_widths), "width[,width...]",
	 "of the columns in their order; 0: as their names need it"},
	{'E', "entries", TALLY_OPTION_U64, AT(entries), "n", "rows (as many as fit)"},
	{'f', "count-filter", TALLY_OPTION_U64, AT(count_filter), "n",
	 "only rows of at least so many samples"},
	{0, "percent-limit", TEXT(report.percent_limit), "percent",
	 "leave out rows below this share"},
	{'K', "hide_kernel_symbols", FLAG(hide_kernel), "no functions of the kernel"},
	{'U', "hide_user_symbols", FLAG(hide_user), "no functions of user space"},
	{0, "idle", FLAG(show_idle), "also the functions in which a CPU waits for work"},
	{0, "comms", TEXT(report.comms), "list", "only threads with these names"},
	{0, "dsos", TEXT(report.dsos), "list", "only these files"},
	{0, "symbols", TEXT(report.symbols), "list", "only these functions"},
	{0, "symbol-filter", TEXT(report.symbol_part), "text",
	 "only functions whose name has this in it"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "Names:"},
	{'k', "vmlinux", TEXT(report.vmlinux), "file", "kernel image with symbols"},
	{0, "kallsyms", TEXT(report.kallsyms), "file", "kernel symbols as text"},
	{0, "no-bounds", FLAG(report.no_bounds),
	 "addresses, as perf, not fn@START of functions without a name"},
	{0, "no-demangle", FLAG(report.no_demangle), "raw C++, Rust and D names"},
	{0, "no-index", FLAG(report.session.no_index),
	 "read symbols anew, and keep no index of them (see TALLY_INDEX)"},
	{0, NULL, TALLY_OPTION_GROUP, 0, NULL, "How:"},
	{0, "stdio", FLAG(stdio), "as text, one screen after the other"},
	{0, "tui", FLAG(tui), "as a screen with keys (the default on a terminal)"},
	{'m', "mmap-pages", TEXT(mmap_size), "pages|size",
	 "size of each ring buffer: pages, or 512K, 4M (512K; more for stack dumps)"},
	{'r', "realtime", TALLY_OPTION_INT, AT(realtime), "priority", "read with SCHED_FIFO"},
	{'v', "verbose", TALLY_OPTION_COUNT, AT(verbose), NULL, "tell what is opened"},
	TALLY_OPTION_END,
};

/* Parse "fp|dwarf[,size]|auto[,size]|lbr", followed by display options as in tally report. Either
 * part may be missing. */
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
		/* For dwarf, a following number is the stack size. */
		if (!strcmp(modes[i], "dwarf") && text[len] == ',' && text[len + 1] >= '0' &&
		    text[len + 1] <= '9')
			len += 1 + strcspn(text + len + 1, ",");
		rest = text[len] ? text + len + 1 : NULL;
		config->report.call_graph = rest;
		snprintf(mode, sizeof(mode), "%.*s", (int)TALLY_MIN(len, sizeof(mode) - 1), text);
		return tally_sampling_parse_chain(&config->sampling, mode);
	}
	config->report.call_graph = text;
	return tally_sampling_parse_chain(&config->sampling, "fp");
}

static int config_delay(struct top_config *config)
{
	double seconds = 2;
	char *end;

	if (config->delay) {
		seconds = strtod(config->delay, &end);
		if (end == config->delay || *end || !(seconds >= 0.05 && seconds <= 86400)) {
			tally_print_error("-d %s: not a number of seconds (0.05 to 86400)",
					  config->delay);
			return -EINVAL;
		}
	}
	config->delay_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

int top_config_finish(struct top_config *config)
{
	struct tally_sampling *sampling = &config->sampling;
	int ret = config_delay(config);

	if (!ret)
		ret = config_chain(config);
	if (ret)
		return ret;
	tally_target_settle(&sampling->target, false, sampling->messages);
	sampling->synth = TALLY_SYNTH_TASK | TALLY_SYNTH_MMAP;
	/* With one clock, records of all CPUs can be ordered and compared with our own time. */
	sampling->use_clockid = true;
	sampling->clockid = CLOCK_MONOTONIC;
	config->report.default_sort = "dso,symbol";
	if (!config->report.sort && (!config->report.fields || *config->report.fields == '+'))
		config->report.sort = config->report.default_sort;
	config->report.max_stack = sampling->max_stack;
	ret = tally_ring_pages_parse(config->mmap_size, false, sampling->messages,
				     &sampling->ring_pages);
	if (ret)
		return ret;
	ret = report_config_finish(&config->report, sampling->chain != TALLY_CALLCHAIN_NONE);
	if (!ret && config->report.keys & TALLY_KEY_LABEL) {
		tally_print_error("option '--sort' does not know 'trace': top keeps no traces");
		ret = -EINVAL;
	}
	if (!ret && config->report.keys & (TALLY_KEY_LINE | TALLY_KEY_FILE)) {
		tally_print_error("option '--sort' does not know lines of source: top counts "
				  "functions; 'tally record' and 'report' know them");
		ret = -EINVAL;
	}
	return ret;
}
