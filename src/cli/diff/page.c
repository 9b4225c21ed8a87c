/* SPDX-License-Identifier: BSD-2-Clause */
/* tally diff --html. */
#include "cli/recording/page.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/diff/diff.h"
#include "cli/main/exclude.h"
#include "cli/main/print.h"

#define AT(member) offsetof(struct diff_config, member)

#define OF_ROWS "is of rows, and a page has its own"

/* Options that would change nothing of a page. */
static const struct tally_excluded excluded[] = {
	{"--stdio", AT(stdio)},
	{"--json", AT(json)},
	{"--field-separator", AT(separator), true},
	{"--by", AT(by), true, OF_ROWS},
	{"--sort", AT(sort), true, OF_ROWS},
	{"--children", AT(children), false, OF_ROWS},
	{"--normalize", AT(normalize), true, OF_ROWS},
	{"--percentage", AT(percentage), true, OF_ROWS},
	{"--compute", AT(compute), true, OF_ROWS},
	{"--order", AT(order), true, OF_ROWS},
	{"--period", AT(has_periods), false, OF_ROWS},
	{"--formula", AT(has_formula), false, OF_ROWS},
	{"--baseline-only", AT(matched), false, OF_ROWS},
	{"--changed", AT(changed), false, OF_ROWS},
	{"--no-verdicts", AT(no_verdicts), false, OF_ROWS},
	{"--same", AT(same), true, OF_ROWS},
};

int diff_page_check(const struct diff_config *config)
{
	int ret = config->html ? tally_options_exclude("--html", excluded,
						       TALLY_ARRAY_SIZE(excluded), config)
			       : 0;

	if (!config->html && config->html_source) {
		tally_print_error("--html-source is of a page: it needs --html FILE");
		return -EINVAL;
	}
	if (ret || !config->html || config->nr_inputs == TALLY_HTML_INPUTS_MAX)
		return ret;
	tally_print_error("--html compares two recordings, not %u", config->nr_inputs);
	return -EINVAL;
}

int diff_page(const struct diff_config *config)
{
	const struct tally_html_request request = {
		.command = config->quiet ? NULL : "diff",
		.output = config->html,
		.session = config->session,
		.inputs = {config->inputs[0], config->inputs[1]},
		.nr_inputs = TALLY_HTML_INPUTS_MAX,
		.filter = config->diff.filter,
		.raw_chains = config->raw_chains,
		.has_code = config->html_source,
		.no_inlined = config->inlined_given && !config->is_inlined,
	};

	return tally_html_make(&request);
}
