/* SPDX-License-Identifier: BSD-2-Clause */
/* tally report --html. */
#include "cli/recording/page.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/report/report.h"

#define AT(member) offsetof(struct report_config, member)

/* Options that would change nothing of a page. */
static const struct tally_html_excluded excluded[] = {
	{"--stdio", AT(stdio), .is_output = true},
	{"--tui", AT(tui), .is_output = true},
	{"--json", AT(json), .is_output = true},
	{"--field-separator", AT(separator), .is_text = true, .is_output = true},
	{"--header-only", AT(header_only), .is_output = true},
	{"--health", AT(health), .is_output = true},
	{"--header", AT(header)},
	{"--sort", AT(sort), .is_text = true},
	{"--fields", AT(fields), .is_text = true},
	{"--children", AT(children_given)},
	{"--show-nr-samples", AT(show_samples)},
	{"--show-total-period", AT(show_period)},
	{"--full-source-path", AT(has_paths)},
	{"--parent", AT(parent), .is_text = true},
	{"--column-widths", AT(column_widths), .is_text = true},
	{"--percent-limit", AT(percent_limit), .is_text = true},
	{"--call-graph", AT(call_graph), .is_text = true},
};

int report_page_check(const struct report_config *config)
{
	if (config->html)
		return tally_html_exclude(excluded, TALLY_ARRAY_SIZE(excluded), config);
	if (!config->baseline)
		return 0;
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
		.max_stack = (uint32_t)config->max_stack,
		.raw_chains = config->raw_chains,
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
