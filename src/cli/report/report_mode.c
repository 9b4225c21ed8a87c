/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/report/report_mode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/report/report_fields.h"

static bool session_is_tracing(const struct tally_session *session)
{
	const struct tally_perfdata_event *event;
	size_t i = 0;

	while ((event = tally_perfdata_event(session->data, i)) &&
	       event->attr.type == PERF_TYPE_TRACEPOINT)
		i++;
	return i && !event;
}

/* Return true if the recording has branch stacks that are not callchains. */
static bool session_has_branches(const struct tally_session *session)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++)
		if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
		    !(event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	return false;
}

/* Return the default keys of --mem-mode. Only Power counts the cycles of pipeline stages. */
static const char *memory_keys(const struct tally_session *session)
{
#define KEYS \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"
	const struct tally_perfdata_env *env;
	bool is_power = !tally_perfdata_env(session->data, &env) && !strncmp(env->arch, "ppc", 3);

	return is_power ? KEYS ",local_p_stage_cyc" : KEYS;
#undef KEYS
}

bool report_is_perf_text(const struct report *report)
{
	const struct report_config *config = report->config;

	return !report->browses && !report->summarizes && !config->json && !config->svg &&
	       !config->format;
}

/* Choose between rows for samples and rows for branches, and the default sort keys. As in perf,
 * text shows branches if there are any, and "trace" is the default key if all events are
 * tracepoints. */
static void report_mode(struct report *report)
{
	struct report_config *config = report->config;
	bool has_branches = session_has_branches(report->session);
	bool is_text;
	bool wants_branches = config->branch_given && config->branch_stack;

	/* Rows of branches and of tracepoints show more than functions. */
	report->summarizes &= !has_branches && !session_is_tracing(report->session);
	is_text = report_is_perf_text(report);
	/* As in perf, this is not an error. */
	if ((wants_branches || config->branch_history) && !has_branches) {
		tally_print_warning("%s has no branch stacks, so samples are shown",
				    report->session->name);
		tally_print_hint("record them with -b or -j");
	}
	report->reading.branches = has_branches && !config->branch_history &&
				   (config->branch_given ? config->branch_stack : is_text);
	report->reading.weights = config->mem_mode && !report->reading.branches;
	if (config->branch_history) {
		config->rows.default_sort = "srcline,symbol,dso";
		config->rows.show.graph_key = TALLY_GRAPH_ADDRESS;
	} else if (report->reading.branches)
		config->rows.default_sort = "comm,dso_from,symbol_from,symbol_to,cycles";
	else if (config->mem_mode)
		config->rows.default_sort = memory_keys(report->session);
	else if (session_is_tracing(report->session))
		config->rows.default_sort = "trace";
}

/* Reject keys that need rows for branches. */
static int check_columns(const struct report *report)
{
	const struct tally_show *show = &report->config->rows.show;

	for (int i = 0; i < show->nr_columns && !report->reading.branches; i++) {
		if (!show->columns[i]->of_branch)
			continue;
		tally_print_error("option '--sort': '%s' is a key of branches, and %s",
				  show->columns[i]->name,
				  session_has_branches(report->session)
					  ? "rows are samples; add -b"
					  : "the recording has no branch stacks (record -b)");
		return -EINVAL;
	}
	return 0;
}

/* Compute the columns from the options and the recording. */
static int finish_columns(struct report *report)
{
	struct report_config *config = report->config;
	bool has_chains = !report->reading.branches &&
			  (config->branch_history ||
			   tally_session_has(report->session, PERF_SAMPLE_CALLCHAIN));
	int ret;

	config->rows.latency = config->latency;
	config->rows.cpu_modes = config->cpu_utilization;
	/* Latencies and weights of callees are not summed. */
	if ((config->latency || config->mem_mode) && !config->rows.children_given)
		config->rows.children_given = true;
	config->rows.find_field = report_field_find;
	config->rows.find_arg = report->session;
	ret = tally_row_options_finish(&config->rows, has_chains);
	config->rows.find_field = NULL;
	/* Programs that read separated values expect rows only, unless they ask for graphs. */
	if (config->separator && !config->rows.call_graph)
		config->rows.show.style = TALLY_STYLE_NONE;
	return ret ? ret : check_columns(report);
}

/* Latencies depend on context switches. */
static void warn_latency(const struct report *report)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(report->session->data, i)); i++)
		if (event->attr.context_switch)
			return;
	tally_print_warning("%s has no context switches: threads count as running from their "
			    "first sample until they exit",
			    report->session->name);
	tally_print_hint("record with --latency");
}

/* Without data sources, every cell of the keys of memory accesses would be empty. */
static int check_accesses(const struct report *report)
{
	if (!report->config->mem_mode || tally_session_has(report->session, PERF_SAMPLE_DATA_SRC))
		return 0;
	tally_print_error("%s has no memory accesses: its samples have no data sources",
			  report->session->name);
	tally_print_hint("record them with 'tally mem record COMMAND'");
	return -EINVAL;
}

int report_columns(struct report *report)
{
	const struct report_config *config = report->config;
	int ret;

	report_mode(report);
	ret = check_accesses(report);
	if (!ret)
		ret = finish_columns(report);
	if (ret)
		return ret;
	tally_labels_start(&report->labels, report->session, report->session->machine,
			   config->rows.show.columns, config->rows.show.nr_columns);
	report->labels.counts_running |= report->parallelism.all.len > 0;
	if (report->labels.counts_running)
		warn_latency(report);
	report->labels.nanoseconds = config->nanoseconds;
	report->labels.raw_traces = config->raw_trace;
	if (config->time_quantum_ns)
		report->labels.time_quantum_ns = config->time_quantum_ns;
	return 0;
}

/* ---- options ------------------------------------------------------------------ */

static int report_percentage(struct report_config *config)
{
	bool *relative = &config->rows.show.is_relative;
	int ret = tally_row_percentage(config->percentage, relative);

	*relative |= config->hide_unresolved;
	return ret;
}

static int report_quantum(struct report_config *config)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	char *end;
	uint64_t value = config->time_quantum ? strtoull(config->time_quantum, &end, 10) : 0;

	for (size_t i = 0; config->time_quantum && i < TALLY_ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].name) && value && value <= UINT64_MAX / units[i].ns)
			config->time_quantum_ns = value * units[i].ns;
	if (!config->time_quantum || config->time_quantum_ns)
		return 0;
	tally_print_error("option '--time-quantum' requires a time such as 100ms, not '%s'",
			  config->time_quantum);
	return -EINVAL;
}

int report_mode_check(struct report_config *config)
{
	int ret = report_percentage(config);

	return ret ? ret : report_quantum(config);
}

static int report_parent(struct report *report)
{
	struct tally_show *show = &report->config->rows.show;
	char why[128];
	int code;

	if (!show->parent)
		return 0;
	code = regcomp(&report->parent, show->parent, REG_EXTENDED | REG_NOSUB);
	if (!code) {
		show->parent_regex = &report->parent;
		return 0;
	}
	regerror(code, &report->parent, why, sizeof(why));
	tally_print_error("option '--parent' requires a regular expression, not '%s': %s",
			  show->parent, why);
	return -EINVAL;
}

int report_filters(struct report *report)
{
	const struct report_config *config = report->config;
	int ret = tally_ignore_callees_option(config->ignore_callees, &report->ignore);

	if (!ret)
		ret = report_parent(report);
	if (!ret && config->parallelism) {
		ret = tally_ranges_parse(config->parallelism, &report->parallelism);
		if (ret == -EINVAL)
			tally_print_error("option '--parallelism' requires numbers and ranges like "
					  "1,4-8, not '%s'",
					  config->parallelism);
	}
	if (ret == -ENOMEM)
		tally_print_error("out of memory");
	return ret;
}
