/* SPDX-License-Identifier: BSD-2-Clause */
/* tally report --html. */
#include "cli/recording/page.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/report/report.h"

#define AT(member) offsetof(struct report_config, member)

/* Options that would change nothing of a page, and why. */
static const struct {
	const char *option;
	size_t offset;
	bool is_text; /* the member is a text, else a flag */
	bool is_output;
} others[] = {
	{"--stdio", AT(stdio), false, true},
	{"--tui", AT(tui), false, true},
	{"--json", AT(json), false, true},
	{"--field-separator", AT(separator), true, true},
	{"--header-only", AT(header_only), false, true},
	{"--health", AT(health), false, true},
	{"--header", AT(header)},
	{"--sort", AT(sort), true},
	{"--fields", AT(fields), true},
	{"--children", AT(children_given)},
	{"--show-nr-samples", AT(show_samples)},
	{"--show-total-period", AT(show_period)},
	{"--full-source-path", AT(has_paths)},
	{"--parent", AT(parent), true},
	{"--column-widths", AT(column_widths), true},
	{"--percent-limit", AT(percent_limit), true},
	{"--call-graph", AT(call_graph), true},
};

static int check_others(const struct report_config *config)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(others); i++) {
		const char *at = (const char *)config + others[i].offset;

		if (others[i].is_text ? !*(const char *const *)at : !*(const bool *)at)
			continue;
		if (others[i].is_output)
			tally_print_error("--html and %s are two ways to show it: one at a time",
					  others[i].option);
		else
			tally_print_error("%s is of rows, and a page has its own: not with --html",
					  others[i].option);
		return -EINVAL;
	}
	return 0;
}

int report_page_check(const struct report_config *config)
{
	if (config->html)
		return check_others(config);
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
