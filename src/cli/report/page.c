/* SPDX-License-Identifier: BSD-2-Clause */
/* tally report --html, and what goes with documents. */
#include "cli/recording/page.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/main/exclude.h"
#include "cli/main/print.h"
#include "cli/report/report.h"

#define AT(member) offsetof(struct report_config, member)

/* Ways to show it. */
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

#define OF_ROWS "is of rows, and a page has its own"

static const struct tally_excluded of_rows[] = {
	{"--sort", AT(sort), true, OF_ROWS},
	{"--fields", AT(fields), true, OF_ROWS},
	{"--children", AT(children_given), false, OF_ROWS},
	{"--show-nr-samples", AT(show_samples), false, OF_ROWS},
	{"--show-total-period", AT(show_period), false, OF_ROWS},
	{"--full-source-path", AT(has_paths), false, OF_ROWS},
	{"--parent", AT(parent), true, OF_ROWS},
	{"--column-widths", AT(column_widths), true, OF_ROWS},
	{"--percent-limit", AT(percent_limit), true, OF_ROWS},
	{"--call-graph", AT(call_graph), true, OF_ROWS},
};

int report_documents_check(const struct report_config *config)
{
	enum { NR_DOCUMENTS = 3 };
	const char *const documents[NR_DOCUMENTS] = {config->html, config->svg, config->format};
	int ret = 0;

	for (int i = 0; i < NR_DOCUMENTS && !ret; i++) {
		if (documents[i])
			ret = tally_options_exclude(ways[i].option, ways, TALLY_ARRAY_SIZE(ways),
						    config);
	}
	if (!ret && config->html)
		ret = tally_options_exclude("--html", of_rows, TALLY_ARRAY_SIZE(of_rows), config);
	if (ret || config->html)
		return ret;
	if (config->html_source)
		tally_print_error("--html-source is of a page: it needs --html FILE");
	if (!config->baseline)
		return config->html_source ? -EINVAL : 0;
	tally_print_error("--baseline is of a page: it needs --html FILE");
	tally_print_hint("'tally diff %s %s' compares as text", config->baseline,
			 config->session.input ? config->session.input : "perf.data");
	return -EINVAL;
}

int report_page(struct report_config *config)
{
	struct tally_html_request request = {
		.command = config->quiet ? NULL : "report",
		.output = config->html,
		.session = config->session,
		.inputs = {config->session.input},
		.nr_inputs = 1,
		.event_number = config->event_number,
		.max_stack = (uint32_t)config->max_stack,
		.raw_chains = config->raw_chains,
		.has_code = config->html_source,
		.no_inlined = config->inlined_given && !config->is_inlined,
	};
	int ret = report_config_lists(config);

	request.filter = (struct tally_profile_filter){
		.comms = config->comm_list.items,
		.dsos = config->dso_list.items,
		.symbols = config->symbol_list.items,
		.symbol_part = config->symbol_part,
	};
	if (config->baseline) {
		request.inputs[1] = request.inputs[0];
		request.inputs[0] = config->baseline;
		request.nr_inputs = 2;
	}
	return ret ? ret : tally_html_make(&request);
}
