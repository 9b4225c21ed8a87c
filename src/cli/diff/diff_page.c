/* SPDX-License-Identifier: BSD-2-Clause */
/* tally diff --html: write both recordings as an HTML page. */
#include "cli/main/html_file.h"

#include <errno.h>

#include "base/arith.h"
#include "cli/diff/diff.h"
#include "cli/main/exclude.h"
#include "cli/main/print.h"

#define AT(member) offsetof(struct diff_config, member)

/* Options that have no effect on the page. */
static const struct tally_excluded excluded[] = {
	{"--stdio", AT(stdio)},
	{"--json", AT(json)},
	{"--dump-raw-trace", AT(raw_dump)},
	{"--field-separator", AT(separator), true},
	{"--by", AT(by), true, TALLY_EXCLUDED_OF_ROWS},
	{"--sort", AT(sort), true, TALLY_EXCLUDED_OF_ROWS},
	{"--children", AT(children), false, TALLY_EXCLUDED_OF_ROWS},
	{"--normalize", AT(normalize), true, TALLY_EXCLUDED_OF_ROWS},
	{"--percentage", AT(percentage), true, TALLY_EXCLUDED_OF_ROWS},
	{"--compute", AT(compute), true, TALLY_EXCLUDED_OF_ROWS},
	{"--order", AT(order), true, TALLY_EXCLUDED_OF_ROWS},
	{"--period", AT(has_periods), false, TALLY_EXCLUDED_OF_ROWS},
	{"--formula", AT(has_formula), false, TALLY_EXCLUDED_OF_ROWS},
	{"--baseline-only", AT(matched), false, TALLY_EXCLUDED_OF_ROWS},
	{"--changed", AT(changed), false, TALLY_EXCLUDED_OF_ROWS},
	{"--no-verdicts", AT(no_verdicts), false, TALLY_EXCLUDED_OF_ROWS},
	{"--same", AT(same), true, TALLY_EXCLUDED_OF_ROWS},
};

int diff_page_check(const struct diff_config *config)
{
	int ret = tally_html_check(config->html, config->html_source);

	if (!ret && config->json && config->raw_dump)
		ret = tally_options_exclude("--json", excluded, TALLY_ARRAY_SIZE(excluded), config);
	if (ret || !config->html)
		return ret;
	ret = tally_options_exclude("--html", excluded, TALLY_ARRAY_SIZE(excluded), config);
	if (ret || config->nr_inputs == TALLY_HTML_INPUTS_MAX)
		return ret;
	tally_print_error("--html requires two recordings, not %u", config->nr_inputs);
	return -EINVAL;
}

int diff_page(const struct diff_config *config)
{
	const struct tally_html_file file = {
		.command = config->quiet ? NULL : "diff",
		.output = config->html,
		.force = config->force,
		.request = {.inputs = {config->inputs[0], config->inputs[1]},
			    .nr_inputs = TALLY_HTML_INPUTS_MAX,
			    .filter = config->diff.filter,
			    .raw_chains = config->raw_chains,
			    .has_code = config->html_source,
			    .no_inlined = !config->is_inlined},
	};

	return tally_html_file(&file, &config->recording);
}
