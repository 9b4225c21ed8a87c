/* SPDX-License-Identifier: BSD-2-Clause */
/* tally diff --html: write both recordings as an HTML page. */
#include "cli/main/html_file.h"

#include <errno.h>

#include "base/arith.h"
#include "base/arena.h"
#include "cli/diff/compare.h"
#include "cli/diff/diff.h"
#include "cli/main/exclude.h"
#include "cli/main/print.h"
#include "view/view_diff.h"

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

/* Verdicts on functions, which refer to a comparison. */
struct verdicts {
	TALLY_VEC(struct tally_html_verdict) all;
	struct tally_arena texts;
};

/* Add the verdicts of an event's rows, except for functions with too few samples. */
static int verdicts_add(struct verdicts *verdicts, struct tally_diff *diff)
{
	const struct tally_diff_view view = {.diff = diff, .measure = TALLY_DIFF_SELF};
	struct tally_str text = {0};
	int ret = tally_diff_evaluate(diff);

	tally_vec_for_each (row, &diff->rows) {
		struct tally_html_verdict verdict = {.function = tally_diff_name(diff, row->symbol),
						     .file = tally_diff_name(diff, row->file),
						     .variant =
							     tally_diff_name(diff, row->variant)};

		if (ret || row->values[TALLY_DIFF_SELF].verdict == TALLY_DIFF_FEW ||
		    !verdict.function || !verdict.file)
			continue;
		tally_str_clear(&text);
		tally_diff_view_verdict(&view, row, &text);
		if (!text.len)
			continue;
		verdict.text =
			tally_arena_strndup(&verdicts->texts, tally_str_text(&text), text.len);
		ret = verdict.text ? tally_vec_push(&verdicts->all, verdict) : -ENOMEM;
	}
	tally_str_free(&text);
	return ret;
}

static int write_page(const struct diff_config *config, int kallsyms_fd,
		      const struct verdicts *verdicts)
{
	struct tally_recording_options recording = config->recording;
	const struct tally_html_file file = {
		.command = config->quiet ? NULL : "diff",
		.output = config->html,
		.force = config->force,
		.request = {.inputs = {config->inputs[0], config->inputs[1]},
			    .nr_inputs = TALLY_HTML_INPUTS_MAX,
			    .filter = config->diff.filter,
			    .raw_chains = config->raw_chains,
			    .code = tally_html_code(config->html_source_given, config->html_source),
			    .no_inlined = !config->is_inlined,
			    .verdicts = verdicts->all.data,
			    .nr_verdicts = verdicts->all.len},
	};

	recording.kallsyms_fd = kallsyms_fd;
	return tally_html_file(&file, &recording);
}

/* Return the first event that both sides have, or NULL. */
static struct tally_diff *first_diff(const struct comparison *comparison)
{
	tally_vec_for_each (event, &comparison->events) {
		if (event->diff->nr_of[TALLY_SIDE_A] && event->diff->nr_of[TALLY_SIDE_B])
			return event->diff;
	}
	return NULL;
}

int diff_page(const struct diff_config *config)
{
	struct diff_config silent = *config;
	struct comparison comparison = {0};
	struct verdicts verdicts = {0};
	struct tally_diff *diff;
	int ret;

	/* Messages are printed when the page is made. */
	silent.recording.is_silent = true;
	ret = comparison_read(&comparison, &silent);

	diff = ret ? NULL : first_diff(&comparison);
	if (diff)
		ret = verdicts_add(&verdicts, diff);
	if (diff && ret)
		tally_print_error("out of memory");
	/* A page of damaged recordings has no verdicts. */
	if (ret != -ENOMEM)
		ret = write_page(config, comparison.kallsyms_fd, &verdicts);
	tally_vec_free(&verdicts.all);
	tally_arena_free(&verdicts.texts);
	comparison_free(&comparison);
	return ret;
}
