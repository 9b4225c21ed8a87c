/* SPDX-License-Identifier: BSD-2-Clause */
/* tally diff: show differences between recordings and their significance. */
#include "cli/diff/diff.h"
#include "cli/diff/diff_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/diff/diff_browse.h"
#include "cli/main/commands.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "session/session_events.h"
#include "view/wrap.h"

/* Number of rows printed after the user quits the browser. */
enum { LEFT_ROWS = 10 };

struct show {
	const struct diff_config *config;
	struct comparison *comparison;
	struct tally_str out;
	int line_width;
	uint64_t nr_rows;
	size_t most;      /* maximum number of rows per event; 0 for all */
	bool has_started; /* an event has already been printed */
};

struct tally_diff_view diff_view(const struct diff_config *config,
				 const struct comparison_event *event)
{
	return (struct tally_diff_view){
		.diff = event->diff,
		.measure = config->children && event->diff->has_paths && !config->diff.by_path
				   ? TALLY_DIFF_TOTAL
				   : TALLY_DIFF_SELF,
		.compute = config->computes,
		.weights = {config->weights[0], config->weights[1]},
		.unit = event->unit,
		.separator = config->separator,
		.has_periods = config->has_periods,
		.has_formula = config->has_formula,
		.has_verdicts = !config->no_verdicts,
		.by_baseline = config->by_baseline,
		.matched = config->matched,
		.changed = config->changed,
		.no_file = config->dso_list.nr == 1,
		.no_comm = config->comm_list.nr == 1,
	};
}

/* Write the output. For JSON, keep the last character in the builder, because the JSON writer uses
 * it to decide whether to write a comma. */
static int show_flush(struct show *show)
{
	char last = show->out.len ? show->out.data[show->out.len - 1] : '\0';
	int ret;

	if (!show->config->json || !last)
		return tally_output_flush(&show->out);
	show->out.len--;
	ret = tally_output_flush(&show->out);
	tally_str_add_char(&show->out, last);
	return ret;
}

/* Append a summary such as "3 recordings, 2991 samples". */
static void add_side(const struct tally_diff *diff, uint32_t side, struct tally_str *out)
{
	uint64_t samples = 0;

	tally_vec_for_each (of, &diff->recordings)
		samples += of->side == side ? of->nr : 0;
	tally_str_addf(out, "%" PRIu64 " recording%s, %" PRIu64 " sample%s", diff->nr_of[side],
		       tally_plural(diff->nr_of[side]), samples, tally_plural(samples));
}

/* With one recording per side, report what the verdicts assume. */
static void add_single_note(const struct tally_diff_view *view, struct tally_str *out)
{
	const struct tally_diff *diff = view->diff;
	uint64_t phases = 0;

	for (size_t i = 0; i < view->nr_rows; i++)
		phases += view->rows[i]->values[view->measure].has_phases;
	if (phases)
		tally_str_addf(out,
			       "# %" PRIu64 " row%s undecided because costs change during a "
			       "recording, in phases. If both runs do the same work, --same-work "
			       "compares them.\n",
			       phases, phases == 1 ? " is" : "s are");
	tally_str_addf(out,
		       "# With one recording per side, the run-to-run noise is unknown; 1 %% of "
		       "each row's value is assumed%s. Use several recordings for better results: "
		       "tally diff A1 A2 A3 -- B1 B2 B3\n",
		       diff->options.same_work ? ", and that both do the same work" : "");
}

static void add_footer(struct show *show, const struct tally_diff_view *view)
{
	const struct tally_diff *diff = view->diff;
	struct tally_str *out = &show->out;
	size_t start = out->len;
	uint64_t changed = 0;

	if (show->config->quiet || show->config->separator || !view->has_verdicts)
		return;
	for (size_t i = 0; i < view->nr_rows; i++)
		changed += tally_diff_is_changed(&view->rows[i]->values[view->measure]);
	tally_str_add(out, "#\n# Baseline: ");
	add_side(diff, TALLY_SIDE_A, out);
	tally_str_add(out, "; compared: ");
	add_side(diff, TALLY_SIDE_B, out);
	tally_str_addf(out, ". %" PRIu64 " of %" PRIu64 " row%s with enough samples changed.\n",
		       changed, diff->judged[view->measure],
		       tally_plural(diff->judged[view->measure]));
	if (changed && !diff->options.absolute)
		tally_str_add(out, "# Values are shares: if one function grows, the others shrink. "
				   "--normalize time compares CPU time.\n");
	if (diff->nr_of[0] == 1 && diff->nr_of[1] == 1)
		add_single_note(view, out);
	tally_wrap_comments(out, start, (size_t)show->line_width);
}

static size_t shown_rows(const struct show *show, const struct tally_diff_view *view)
{
	return show->most ? TALLY_MIN(show->most, view->nr_rows) : view->nr_rows;
}

static int show_rows(struct show *show, const struct tally_diff_view *view)
{
	size_t nr = shown_rows(show, view);
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		if (show->config->json)
			tally_diff_view_row_json(view, view->rows[i], &show->out);
		else
			tally_diff_view_row(view, view->rows[i], &show->out);
		if (show->out.len >= TALLY_FLUSH_AT)
			ret = show_flush(show);
	}
	return ret;
}

static int show_json(struct show *show, const struct comparison_event *event,
		     const struct tally_diff_view *view)
{
	struct tally_str *out = &show->out;
	int ret;

	tally_json_open(out, NULL, '{');
	tally_json_text(out, "event", event->name);
	tally_diff_view_json(view, out);
	tally_json_open(out, "rows", '[');
	ret = show_rows(show, view);
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	return ret;
}

/* Return true if long names are shortened without a terminal, where perf prints whole names. */
static bool has_notes(const struct show *show, const struct tally_diff_view *view)
{
	return view->has_short_names && !show->line_width && !show->config->quiet;
}

static int show_text(struct show *show, const struct comparison_event *event,
		     struct tally_diff_view *view)
{
	struct tally_str *out = &show->out;
	int ret = has_notes(show, view) ? tally_diff_view_number_notes(view) : 0;

	if (ret)
		return ret;
	tally_diff_view_measure(view);
	if (!show->config->quiet) {
		tally_str_add(out, show->has_started ? "\n" : "");
		tally_str_add_line(out, "# Event '%s'", event->name);
		tally_str_add(out, "#\n");
		tally_diff_view_heading(view, out);
	}
	show->has_started = true;
	ret = show_rows(show, view);
	if (!ret && view->notes)
		tally_diff_view_notes(view, shown_rows(show, view), out);
	if (!ret)
		add_footer(show, view);
	free(view->notes);
	return ret;
}

/* Warn if only some recordings have callchains, because callers would then appear to be new or
 * removed. */
static void warn_chains(const struct diff_config *config, const struct comparison_event *event)
{
	if (event->diff->has_paths || !event->diff->has_some_paths ||
	    !(config->children || config->diff.by_path))
		return;
	tally_print_warning("not all recordings of '%s' have callchains: %s", event->name,
			    config->diff.by_path
				    ? "paths missing in some recordings do not count as changes"
				    : "functions are compared by self values");
	tally_print_hint("record all of them with -g");
}

static int show_event(struct show *show, const struct comparison_event *event)
{
	struct tally_diff_view view = diff_view(show->config, event);
	int ret = tally_diff_evaluate(event->diff);

	warn_chains(show->config, event);

	view.line_width = show->line_width;
	view.has_short_names = view.line_width > 0 || (view.has_verdicts && !view.separator);
	if (!ret)
		ret = tally_diff_view_rows(&view);
	if (ret)
		return ret;
	show->nr_rows += view.nr_rows;
	ret = show->config->json ? show_json(show, event, &view) : show_text(show, event, &view);
	free(view.rows);
	return ret;
}

/* Return true if both sides have samples of the event; otherwise it is not compared. perf also
 * shows events that only the baseline has. */
static bool is_compared(const struct comparison_event *event)
{
	return event->diff->nr_of[TALLY_SIDE_A] && event->diff->nr_of[TALLY_SIDE_B];
}

static void warn_event(const struct comparison_event *event)
{
	bool is_a = event->diff->nr_of[TALLY_SIDE_A] != 0;

	tally_print_warning("event '%s' is not compared, because only side %c has samples for it",
			    event->name, is_a ? 'A' : 'B');
}

static int check_sides(const struct comparison *comparison)
{
	bool has_common = false;

	tally_vec_for_each (event, &comparison->events)
		has_common |= is_compared(event);
	return tally_check_sides(&tally_print_messages, comparison->has_samples, has_common);
}

static void show_health(struct show *show)
{
	struct tally_str *out = &show->out;
	size_t start = out->len;

	if (show->config->quiet || show->config->separator || show->config->no_verdicts)
		return;
	tally_str_add(out, "#\n");
	tally_str_add_bytes(out, tally_str_text(&show->comparison->text),
			    show->comparison->text.len);
	tally_wrap_comments(out, start, (size_t)show->line_width);
}

static void json_end(struct show *show)
{
	struct tally_str *out = &show->out;

	tally_json_close(out, ']');
	tally_str_add(out, ",\"files\":");
	tally_str_add_bytes(out, tally_str_text(&show->comparison->json),
			    show->comparison->json.len);
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
}

static int show_all(struct show *show)
{
	int ret = check_sides(show->comparison);

	if (ret)
		return ret;
	if (diff_wants_browser(show->config)) {
		ret = diff_browse(show->config, show->comparison);
		show->most = LEFT_ROWS;
		if (ret)
			return ret;
	} else {
		tally_pager_start();
	}
	if (show->config->json) {
		tally_json_open(&show->out, NULL, '{');
		tally_json_u64(&show->out, "version", 1);
		tally_json_open(&show->out, "events", '[');
	}
	tally_vec_for_each (event, &show->comparison->events) {
		if (!is_compared(event))
			warn_event(event);
		else
			ret = show_event(show, event);
		if (ret)
			return ret;
	}
	if (show->config->json)
		json_end(show);
	else
		show_health(show);
	if (tally_str_error(&show->comparison->text) || tally_str_error(&show->comparison->json))
		return -ENOMEM;
	ret = tally_output_flush(&show->out);
	if (!ret && !show->nr_rows && !show->config->changed)
		tally_print_warning("no rows left after filtering");
	return ret;
}

/* Name the files of a comparison, if there are several comparisons. */
static void add_files(struct show *show, const struct diff_config *config, uint32_t number)
{
	if (config->quiet || config->separator)
		return;
	tally_str_addf(&show->out, "%s# Data files:\n#  [0] ", number > 1 ? "\n" : "");
	tally_str_add_escaped(&show->out, config->inputs[0]);
	tally_str_addf(&show->out, " (Baseline)\n#  [%" PRIu32 "] ", number);
	tally_str_add_escaped(&show->out, config->inputs[number]);
	tally_str_add(&show->out, "\n#\n");
}

/* Compare the inputs of `config`. `number` is that of the compared file, or 0 if there is only one
 * comparison. */
static int diff_compare(const struct diff_config *config, uint32_t number)
{
	const char *pair[] = {config->inputs[0], config->inputs[number]};
	struct diff_config one = *config;
	struct comparison comparison = {0};
	struct show show = {.config = number ? &one : config, .comparison = &comparison};
	int ret;

	if (number) {
		one.inputs = pair;
		one.nr_inputs = 2;
		one.stdio = true;
		add_files(&show, config, number);
	}
	if (!config->separator && !config->json)
		show.line_width =
			config->stdio ? tally_output_size().columns : tally_output_columns(0);
	ret = comparison_read(&comparison, show.config);
	if (!ret && !config->raw_dump) {
		ret = show_all(&show);
		if (ret == -ENOMEM)
			tally_print_error("out of memory: the output is incomplete");
	}
	comparison_free(&comparison);
	tally_str_free(&show.out);
	return ret;
}

static int diff_run(int argc, char **argv)
{
	struct diff_config config = {.is_inlined = true};
	int ret = diff_config_parse(&config, argc, argv);

	if (!ret && diff_page_check(&config))
		ret = TALLY_EXIT_USAGE + 1;
	if (ret) {
		diff_config_free(&config);
		return ret - 1;
	}
	if (config.html)
		ret = diff_page(&config);
	else if (!config.one_by_one || config.raw_dump)
		ret = diff_compare(&config, 0);
	for (uint32_t i = 1; config.one_by_one && !config.raw_dump && i < config.nr_inputs && !ret;
	     i++)
		ret = diff_compare(&config, i);
	diff_config_free(&config);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

static const struct tally_command_words diff_words[] = {
	{"sort", diff_print_keys},
	{"compute", diff_print_computes},
	{"normalize", diff_print_units},
	{NULL, NULL},
};

const struct tally_command tally_command_diff = {
	.name = "diff",
	.summary = "Show the differences between recordings, and whether they are significant",
	.usage = "[OPTIONS] [BASELINE] [FILE]\n[OPTIONS] BASELINES... -- FILES...",
	.options = diff_options,
	.words = diff_words,
	.privileged = true,
	.run = diff_run,
};
