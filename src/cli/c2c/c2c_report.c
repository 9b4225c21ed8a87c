/* SPDX-License-Identifier: BSD-2-Clause */
/* tally c2c report: cache lines that several CPUs access. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/c2c/c2c.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"

uint64_t c2c_displayed(const struct c2c_config *config, const struct tally_sharing_counts *counts)
{
	switch (config->display) {
	case C2C_DISPLAY_LOCAL: return counts->nr[TALLY_SHARING_LOCAL_HITM];
	case C2C_DISPLAY_REMOTE: return counts->nr[TALLY_SHARING_REMOTE_HITM];
	case C2C_DISPLAY_PEER: return tally_sharing_peer(counts);
	default: return tally_sharing_hitm(counts);
	}
}

/* ---- the recorded machine --------------------------------------------------------- */

/* Read the CPUs of each node. A damaged list has no CPUs. */
static int read_nodes(const struct tally_perfdata_env *env, struct tally_ranges **ret_cpus)
{
	struct tally_ranges *cpus = calloc(env->nr_nodes + 1, sizeof(*cpus));

	*ret_cpus = cpus;
	if (!cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < env->nr_nodes; i++) {
		int ret = tally_ranges_parse(env->nodes[i].cpus, &cpus[i]);

		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

static int read_env(struct c2c_report *report)
{
	int ret = tally_perfdata_env(report->session->data, &report->env);

	if (!ret)
		ret = read_nodes(report->env, &report->node_cpus);
	if (!ret)
		report->sharing.line_size = tally_line_size(report->env);
	return ret;
}

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct c2c_report *report = arg;

	int ret;

	(void)record;
	if (!sample || !(sample->sample.present & PERF_SAMPLE_DATA_SRC))
		return 0;
	/* In a stream, this is known only when the first sample arrives. */
	ret = report->env ? 0 : read_env(report);
	return ret ? ret : tally_sharing_add_sample(&report->sharing, session->machine, sample);
}

static bool has_data_sources(const struct tally_session *session)
{
	return tally_session_has(session, PERF_SAMPLE_DATA_SRC) &&
	       tally_session_has(session, PERF_SAMPLE_ADDR);
}

/* ---- printing ------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct c2c_report *report = arg;
	const struct tally_sharing_line *x = &report->sharing.lines.data[*(const uint32_t *)a];
	const struct tally_sharing_line *y = &report->sharing.lines.data[*(const uint32_t *)b];
	uint64_t left = c2c_displayed(report->config, &x->counts);
	uint64_t right = c2c_displayed(report->config, &y->counts);

	if (left != right)
		return left > right ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Choose the lines to show: those with at least a thousandth of the accesses, as in perf. */
static int choose_lines(struct c2c_report *report)
{
	uint64_t total = c2c_displayed(report->config, &report->sharing.total);
	int ret = 0;

	for (uint32_t i = 0; i < report->sharing.lines.len && !ret; i++) {
		uint64_t nr = c2c_displayed(report->config, &report->sharing.lines.data[i].counts);

		if (report->config->show_all || (nr && (double)nr / (double)total >= 0.001))
			ret = tally_vec_push(&report->lines, i);
	}
	if (report->lines.len)
		qsort_r(report->lines.data, report->lines.len, sizeof(*report->lines.data),
			compare_lines, report);
	return ret;
}

static void add_details(struct c2c_report *report)
{
	static const char *const sorts[] = {
		[C2C_DISPLAY_TOTAL] = "Total HITMs",
		[C2C_DISPLAY_LOCAL] = "Local HITMs",
		[C2C_DISPLAY_REMOTE] = "Remote HITMs",
		[C2C_DISPLAY_PEER] = "Peer Snoop",
	};
	const struct tally_perfdata_event *event;
	struct tally_str *out = &report->out;

	tally_str_add_char(out, '\n');
	c2c_add_title(out, "c2c details");
	for (size_t i = 0; (event = tally_perfdata_event(report->session->data, i)); i++) {
		tally_str_addf(out, "  %-33s : ", i ? "" : "Events");
		tally_str_add_escaped(out, event->name);
		tally_str_add_char(out, '\n');
	}
	tally_str_addf(out, "  %-33s : %s\n  %-33s : offset,%s\n", "Cachelines sort on",
		       sorts[report->config->display], "Cacheline data grouping",
		       report->config->coalesce);
}

static int print_all(struct c2c_report *report)
{
	int ret = 0;

	tally_pager_start();
	c2c_add_counts(report);
	add_details(report);
	if (!report->config->stats_only) {
		ret = choose_lines(report);
		if (!ret)
			ret = c2c_add_tables(report);
	}
	return ret ? ret : tally_output_flush(&report->out);
}

static int read_and_print(struct c2c_report *report)
{
	int ret = tally_session_run(report->session, on_record, report), printed = ret;

	if (ret == -ENOMEM)
		return ret;
	if (!has_data_sources(report->session)) {
		tally_print_error("%s has no memory accesses: its samples have no data sources and "
				  "addresses",
				  report->session->name);
		tally_print_hint("record them with 'tally c2c record COMMAND'");
		return ret ? ret : -EINVAL;
	}
	printed = report->env ? 0 : read_env(report);
	if (!printed)
		printed = print_all(report);
	if (printed == -ENOMEM)
		tally_session_out_of_memory(report->session);
	return ret ? ret : printed;
}

static void report_free(struct c2c_report *report)
{
	for (uint32_t i = 0; report->node_cpus && i < report->env->nr_nodes; i++)
		tally_ranges_free(&report->node_cpus[i]);
	free(report->node_cpus);
	tally_map_free(&report->nodes);
	tally_vec_free(&report->lines);
	tally_sharing_free(&report->sharing);
	tally_str_free(&report->out);
}

int c2c_report(struct c2c_config *config)
{
	struct tally_session session;
	struct c2c_report report = {.config = config, .session = &session};
	int ret = tally_recording_open(&config->recording, &session);

	if (ret)
		return ret;
	report.sharing.line_size = tally_line_size(NULL);
	report.sharing.by = config->by;
	ret = read_and_print(&report);
	report_free(&report);
	tally_recording_close(&session);
	return ret;
}
