/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/diff/diff_browse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/full_names.h"
#include "cli/diff/browse_draw.h"
#include "cli/main/output_stream.h"

static struct diff_browse *diff_of(const struct browser *browser)
{
	return browser->source->arg;
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool row_has_part(struct diff_browse *browse, const struct tally_diff_row *row)
{
	struct tally_str tail = {0};

	if (!browse->part)
		return true;
	tally_str_clear(&browse->name);
	diff_browse_name(browse, row, &browse->name, &tail);
	tally_str_addf(&browse->name, "  %s", tally_str_text(&tail));
	tally_str_free(&tail);
	return strcasestr(tally_str_text(&browse->name), browse->part) != NULL;
}

static void rows_free(struct diff_browse *browse)
{
	free(browse->view.rows);
	browse->view.rows = NULL;
	browse->rows.len = 0;
	browse->is_made = false;
}

static int rows_make(struct diff_browse *browse, uint32_t event)
{
	int ret;

	if (browse->is_made && browse->event == event)
		return 0;
	rows_free(browse);
	browse->event = event;
	browse->view = diff_view(browse->config, &browse->comparison->events.data[event]);
	browse->view.changed = browse->changed;
	if (browse->view.diff->has_paths && !browse->config->diff.by_path)
		browse->view.measure = browse->total ? TALLY_DIFF_TOTAL : TALLY_DIFF_SELF;
	ret = tally_diff_view_rows(&browse->view);
	for (size_t i = 0; i < browse->view.nr_rows && !ret; i++) {
		if (row_has_part(browse, browse->view.rows[i]))
			ret = tally_vec_push(&browse->rows, browse->view.rows[i]);
	}
	browse->is_made = !ret;
	return ret;
}

/* Return the message to show instead of rows. */
static const char *empty_text(const struct diff_browse *browse)
{
	if (browse->part)
		return browse->changed ? "no changed row matches the filter: press / to edit it, c "
					 "to show all rows"
				       : "no row matches the filter: press / to edit it";
	return browse->changed ? "no changed rows: press c to show all rows" : "there are no rows";
}

static int diff_draw(struct browser *browser, struct tally_str *where)
{
	struct diff_browse *browse = diff_of(browser);
	int top = browser->room.top + 1, ret = rows_make(browse, browser->event);
	size_t page = (size_t)TALLY_MAX(browser->room.bottom - top, 1), nr = browse->rows.len;

	if (ret)
		return ret;
	browse->cursor = TALLY_MIN(browse->cursor, nr ? nr - 1 : 0);
	browse->first = TALLY_MIN(browse->first, browse->cursor);
	if (browse->cursor >= browse->first + page)
		browse->first = browse->cursor - page + 1;
	if (nr)
		diff_browse_draw(browser, browse, TALLY_MIN(browse->first + page, nr));
	else
		browser_draw_text(browser, empty_text(browse));
	tally_str_addf(where, "%zu/%zu", nr ? browse->cursor + 1 : 0, nr);
	return 0;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static struct browser_cursor diff_cursor(struct browser *browser)
{
	struct diff_browse *browse = diff_of(browser);
	int rows = browser->room.bottom - browser->room.top - 1;

	return (struct browser_cursor){&browse->cursor, browse->rows.len,
				       (size_t)TALLY_MAX(rows, 1)};
}

static int diff_turn(struct browser *browser, bool *flag, const char *on, const char *off)
{
	diff_of(browser)->is_made = false;
	diff_of(browser)->cursor = 0;
	return browser_toggle(browser, flag, on, off);
}

static int diff_changed(struct browser *browser)
{
	return diff_turn(browser, &diff_of(browser)->changed, "only changed rows", "all rows");
}

static int diff_total(struct browser *browser)
{
	struct diff_browse *browse = diff_of(browser);

	if (!browse->view.diff->has_paths || browse->config->diff.by_path) {
		browser_set_message(browser, "the recordings have no callchains");
		return 0;
	}
	return diff_turn(browser, &browse->total, "functions, total", "functions, self");
}

static int answer_name(struct browser *browser, const char *text)
{
	struct diff_browse *browse = diff_of(browser);
	char *copy = *text ? strdup(text) : NULL;

	if (*text && !copy)
		return -ENOMEM;
	free(browse->part);
	browse->part = copy;
	browse->is_made = false;
	browse->cursor = 0;
	return 0;
}

static int diff_filter(struct browser *browser)
{
	browser_prompt_open(&browser->prompt, "filter rows by name: ", diff_of(browser)->part,
			    answer_name);
	return 0;
}

/* Show the row's values in each recording, the baseline's first. */
static int diff_details(struct browser *browser)
{
	static const char *const sides[TALLY_SIDES] = {"baseline", "compared"};
	const struct diff_browse *browse = diff_of(browser);
	const struct tally_diff *diff = browse->view.diff;
	const struct tally_diff_row *row;
	struct tally_str *out;

	if (browse->cursor >= browse->rows.len)
		return 0;
	row = browse->rows.data[browse->cursor];
	out = browser_box_open(&browser->box, " Recordings ");
	for (uint32_t i = 0; i < TALLY_SIDES * diff->recordings.len; i++) {
		uint32_t side = i / (uint32_t)diff->recordings.len;
		uint32_t number = i % (uint32_t)diff->recordings.len;
		const struct tally_diff_recording *recording = &diff->recordings.data[number];
		double value = tally_diff_value_of(diff, row, number, browse->view.measure);

		if (recording->side != side)
			continue;
		tally_str_addf(out, "%s ", sides[side]);
		diff_browse_value(browse, value, false, out);
		tally_str_add(out, "  ");
		tally_str_add_escaped(out, browse->config->inputs[recording->input]);
		tally_str_add_char(out, '\n');
	}
	return 0;
}

static void diff_whole(const struct browser *browser, struct tally_str *out)
{
	const struct diff_browse *browse = diff_of(browser);
	const struct tally_diff *diff = browse->view.diff;
	const struct tally_diff_row *row;
	const char *symbol, *file, *comm;

	if (browse->cursor >= browse->rows.len)
		return;
	row = browse->rows.data[browse->cursor];
	symbol = tally_diff_name(diff, row->variant);
	file = tally_diff_name(diff, row->file);
	comm = tally_diff_name(diff, row->comm);
	if (diff->options.by_path) {
		struct tally_str path = {0};

		tally_diff_view_path(&browse->view, row, &path);
		browser_names_add_line("Callchain", tally_str_text(&path), out);
		tally_str_free(&path);
	}
	browser_names_add_line("Function", symbol ? symbol : "", out);
	browser_names_add_line("File", file ? file : "", out);
	browser_names_add_line("Command", comm ? comm : "", out);
}

static int diff_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct diff_browse *browse = diff_of(browser);
	size_t to = browse->first + (size_t)(mouse.row - browser->room.top - 1);

	if (mouse.act != TALLY_MOUSE_DOWN || mouse.row <= browser->room.top ||
	    mouse.row >= browser->room.bottom || to >= browse->rows.len)
		return 0;
	if (to == browse->cursor)
		return diff_details(browser);
	browse->cursor = to;
	return 0;
}

static const struct browser_key diff_keys[] = {
	{TALLY_PRESS_ENTER, diff_details},
	{'c', diff_changed},
	{'s', diff_total},
	{'/', diff_filter},
};

static const char *const diff_help[] = {
	"Enter      show the row in each recording",
	"c          show only changed rows, or all rows",
	"s          show self or total values of functions",
	"/          filter rows by name",
};

static const struct browser_view diff_rows = {
	.name = "diff",
	.press = '7',
	.bar = "h Help|Enter Recordings|c Changed|s Self/total|/ Filter|q Quit",
	.help = diff_help,
	.nr_help = TALLY_ARRAY_SIZE(diff_help),
	.keys = diff_keys,
	.nr_keys = TALLY_ARRAY_SIZE(diff_keys),
	.draw = diff_draw,
	.mouse = diff_mouse,
	.whole = diff_whole,
	.cursor = diff_cursor,
};

/* ---- browser --------------------------------------------------------------------------------- */

bool diff_wants_browser(const struct diff_config *config)
{
	bool asks_text = config->stdio || config->json || config->separator || config->quiet ||
			 config->no_verdicts || config->has_periods || config->has_formula;

	return !asks_text && tally_output_takes_screens();
}

static const char *event_name(void *arg, uint32_t event)
{
	const struct diff_browse *browse = arg;
	const struct comparison *comparison = browse->comparison;
	const struct tally_diff *diff;

	if (event >= comparison->events.len)
		return NULL;
	diff = comparison->events.data[event].diff;
	return diff->nr_of[TALLY_SIDE_A] && diff->nr_of[TALLY_SIDE_B]
		       ? comparison->events.data[event].name
		       : NULL;
}

static void add_title(void *arg, uint32_t event, struct tally_str *out)
{
	const struct diff_browse *browse = arg;
	const struct tally_diff *diff = browse->comparison->events.data[event].diff;

	tally_str_addf(out, "diff of '%s': %" PRIu64 " recording%s before, %" PRIu64 " after",
		       event_name(arg, event), diff->nr_of[TALLY_SIDE_A],
		       tally_plural(diff->nr_of[TALLY_SIDE_A]), diff->nr_of[TALLY_SIDE_B]);
	tally_str_escape(out, 0);
}

static void add_health(void *arg, struct tally_str *out)
{
	const struct diff_browse *browse = arg;

	tally_str_add(out, tally_str_text(&browse->comparison->text));
}

int diff_browse(const struct diff_config *config, struct comparison *comparison)
{
	static const struct browser_view *const views[] = {&diff_rows, NULL};
	struct diff_browse browse = {.config = config,
				     .comparison = comparison,
				     .total = config->children,
				     .changed = config->changed};
	struct tally_browser_source source = {
		.views = views,
		.nr_events = (uint32_t)comparison->events.len,
		.event = event_name,
		.health = add_health,
		.title = add_title,
		.arg = &browse,
	};
	int ret = 0;

	while (!event_name(&browse, source.first_event))
		source.first_event++;
	for (uint32_t i = 0; i < comparison->events.len && !ret; i++) {
		if (event_name(&browse, i))
			ret = tally_diff_evaluate(comparison->events.data[i].diff);
	}
	if (!ret)
		ret = tally_browser_run(&source);
	rows_free(&browse);
	tally_vec_free(&browse.rows);
	tally_str_free(&browse.name);
	free(browse.part);
	return ret;
}
