/* SPDX-License-Identifier: BSD-2-Clause */
/* tally diff --html. */
#include "cli/recording/page.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/diff/diff.h"
#include "cli/main/print.h"

#define AT(member) offsetof(struct diff_config, member)

/* Options that would change nothing of a page. */
static const struct tally_html_excluded excluded[] = {
	{"--stdio", AT(stdio), .is_output = true},
	{"--json", AT(json), .is_output = true},
	{"--field-separator", AT(separator), .is_text = true, .is_output = true},
	{"--by", AT(by), .is_text = true},
	{"--sort", AT(sort), .is_text = true},
	{"--children", AT(children)},
	{"--normalize", AT(normalize), .is_text = true},
	{"--percentage", AT(percentage), .is_text = true},
	{"--compute", AT(compute), .is_text = true},
	{"--order", AT(order), .is_text = true},
	{"--period", AT(has_periods)},
	{"--formula", AT(has_formula)},
	{"--baseline-only", AT(matched)},
	{"--changed", AT(changed)},
	{"--no-verdicts", AT(no_verdicts)},
	{"--same", AT(same), .is_text = true},
};

int diff_page_check(const struct diff_config *config)
{
	int ret =
		config->html ? tally_html_exclude(excluded, TALLY_ARRAY_SIZE(excluded), config) : 0;

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
		.no_inlined = config->inlined_given && !config->is_inlined,
	};

	return tally_html_make(&request);
}
