/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows view: rows as in tally report --stdio, with expandable callchains. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"
#include "cli/main/row_columns.h"

/* Sort orders offered in addition to the initial one. */
static const char *const orders[] = {"comm,dso,symbol", "comm",           "dso",       "tid",
				     "tid,dso,symbol",  "cpu,dso,symbol", "dso,symbol"};

static int rows_draw(struct browser *browser, struct tally_str *where)
{
	struct browser_table *table = &browser->table;
	struct tally_panel panel = {0};
	int ret = browser_table_build(table, browser);

	/* Functions are numbered by the callchains. */
	if (!ret && table->chooses)
		ret = browser_chains_build(browser);
	if (ret)
		return ret;
	browser_set_function(browser, browser_table_function(table, browser));
	if (table->chooses)
		browser_choose_function(browser, browser->here);
	table->chooses = false;
	browser_panel(browser, &panel);
	tally_screen_draw(&table->screen, &table->rows.view, &panel, &browser->canvas);
	return 0;
}

static struct browser_cursor rows_cursor(struct browser *browser)
{
	struct tally_screen *screen = &browser->table.screen;

	return (struct browser_cursor){&screen->cursor, screen->lines.len,
				       (size_t)tally_screen_page(screen, browser->canvas.rows)};
}

/* ---- callchains --------------------------------------------------------------------------- */

static bool rows_have_chains(struct browser *browser)
{
	if (browser->table.rows.view.grow)
		return true;
	browser_set_message(browser, "%s",
			    !browser_has_callchains(browser)
				    ? browser_no_callchains(browser)
				    : "rows are not sorted by function: press o for another order");
	return false;
}

static int rows_toggle(struct browser *browser)
{
	if (!rows_have_chains(browser))
		return 0;
	return tally_screen_toggle(&browser->table.screen, &browser->table.rows.view, false);
}

static int rows_toggle_below(struct browser *browser)
{
	if (!rows_have_chains(browser))
		return 0;
	return tally_screen_toggle(&browser->table.screen, &browser->table.rows.view, true);
}

static int rows_open_all(struct browser *browser)
{
	if (rows_have_chains(browser))
		tally_screen_open_all(&browser->table.screen, true);
	return 0;
}

static int rows_close_all(struct browser *browser)
{
	tally_screen_open_all(&browser->table.screen, false);
	return 0;
}

static int rows_direction(struct browser *browser)
{
	struct browser_table *table = &browser->table;

	if (!rows_have_chains(browser))
		return 0;
	table->by_callers = !table->by_callers;
	browser_table_drop_chains(table);
	browser_set_message(browser, table->by_callers ? "callchains show callers"
						       : "callchains show callees");
	return 0;
}

/* ---- unabbreviated names -------------------------------------------------------------------- */

/* Append the selected row's cells. The last column comes first, because it is the one that gets
 * truncated. Numeric columns are omitted, because they are never truncated. */
static void rows_whole(const struct browser *browser, struct tally_str *out)
{
	const struct tally_screen_line *line = tally_screen_selected(&browser->table.screen);
	const struct tally_view *view = &browser->table.rows.view;
	const struct tally_row *row = line ? &view->hist->rows.data[line->row] : NULL;

	if (line && line->node)
		browser_names_add_frame(browser, view->hist->graph.data[line->node].frame, out);
	for (int i = view->nr_columns - 1; row && !line->node && i >= 0; i--) {
		const struct tally_view_column *column = view->columns[i];

		if (column->width)
			continue;
		tally_str_addf(out, "%s: ", column->heading + strspn(column->heading, " "));
		tally_view_cell(view, column, row, out);
		tally_str_add_char(out, '\n');
		if (column->key == TALLY_KEY_DSO)
			browser_names_add_file(browser, row->frame, out);
	}
}

/* ---- zoom ----------------------------------------------------------------------------------- */

static const struct tally_row *row_selected(const struct browser *browser)
{
	const struct tally_screen_line *line = tally_screen_selected(&browser->table.screen);

	return line ? &browser->table.rows.hist.rows.data[line->row] : NULL;
}

/* Return the selected line's frame; the line is a row or a callchain entry. */
static const struct tally_frame *frame_selected(const struct browser *browser)
{
	const struct tally_screen_line *line = tally_screen_selected(&browser->table.screen);
	const struct tally_hist *hist = &browser->table.rows.hist;
	uint32_t number;

	if (!line)
		return NULL;
	number = line->node ? hist->graph.data[line->node].frame : hist->rows.data[line->row].frame;
	return &browser->source->profile->frames.all.data[number];
}

static int rows_thread(struct browser *browser)
{
	const struct tally_row *row = row_selected(browser);
	const struct tally_group *group;
	unsigned keys = browser->source->rows->show.keys;

	if (!(keys & (TALLY_KEY_TID | TALLY_KEY_PID | TALLY_KEY_COMM))) {
		browser_set_message(
			browser,
			"rows are not sorted by thread or command: press o for another order");
		return 0;
	}
	if (!row)
		return 0;
	group = &browser->table.rows.hist.groups.data[row->group];
	if (keys & TALLY_KEY_COMM)
		return browser_zoom_name(
			browser, BROWSER_ONLY_COMMAND, "comm",
			tally_intern_text(tally_machine_comms(browser->source->profile->machine),
					  group->comm));
	if (keys & TALLY_KEY_TID)
		return browser_zoom_number(browser, BROWSER_ONLY_THREAD, "tid", group->tid);
	return browser_zoom_number(browser, BROWSER_ONLY_PROCESS, "pid", group->pid);
}

static int rows_dso(struct browser *browser)
{
	const struct tally_frame *frame = frame_selected(browser);

	if (!(browser->source->rows->show.keys & (TALLY_KEY_DSO | TALLY_KEY_SYMBOL))) {
		browser_set_message(browser,
				    "rows are not sorted by file: press o for another order");
		return 0;
	}
	if (!frame || !frame->dso) {
		browser_set_message(browser, "this row has no file");
		return 0;
	}
	return browser_zoom_name(browser, BROWSER_ONLY_FILE, "self-dso",
				 tally_dso_name(frame->dso));
}

static int rows_function(struct browser *browser)
{
	const struct tally_frame *frame = frame_selected(browser);

	if (!frame || !frame->symbol || !(browser->source->rows->show.keys & TALLY_KEY_SYMBOL)) {
		browser_set_message(browser, "this row has no function");
		return 0;
	}
	return browser_zoom_name(browser, BROWSER_ONLY_FUNCTION, "sym",
				 tally_symbol_name(frame->dso, frame->symbol));
}

static int rows_kernel(struct browser *browser)
{
	return browser_zoom(browser, BROWSER_ONLY_KERNEL, NULL, NULL);
}

/* ---- searching ------------------------------------------------------------------------------- */

static int answer_part(struct browser *browser, const char *text)
{
	browser->has_moved = true;
	browser->table.chooses = *text != '\0';
	if (*text)
		return browser_zoom(browser, BROWSER_ONLY_PART, NULL, text);
	browser->is_stale |= browser_filter_drop(&browser->filter, BROWSER_ONLY_PART);
	return 0;
}

static int rows_part(struct browser *browser)
{
	const struct browser_step *part = browser_filter_step(&browser->filter, BROWSER_ONLY_PART);

	browser_prompt_open(&browser->prompt,
			    "show only functions containing: ", part ? part->name : NULL,
			    answer_part);
	return 0;
}

static bool row_has(const struct tally_view *view, const struct tally_row *row, const char *text)
{
	struct tally_str shown = {0};
	bool has = false;

	for (int i = 0; i < view->nr_columns; i++) {
		tally_str_clear(&shown);
		if (!view->columns[i]->width)
			tally_view_cell(view, view->columns[i], row, &shown);
		has |= strcasestr(tally_str_text(&shown), text) != NULL;
	}
	tally_str_free(&shown);
	return has;
}

/* Search from the line after the cursor, wrapping around at the end. The function that is found is
 * chosen. */
static int rows_next(struct browser *browser)
{
	struct browser_table *table = &browser->table;
	const char *text = tally_str_text(&table->search);
	size_t nr = table->screen.lines.len;

	for (size_t i = 1; *text && i <= nr; i++) {
		size_t at = (table->screen.cursor + i) % nr;
		const struct tally_screen_line *line = &table->screen.lines.data[at];

		if (!line->node &&
		    row_has(&table->rows.view, &table->rows.hist.rows.data[line->row], text)) {
			table->screen.cursor = at;
			browser->has_moved = true;
			table->chooses = true;
			return 0;
		}
	}
	browser_set_message(browser, *text ? "no matching row" : "no search text: press g");
	return 0;
}

static int answer_search(struct browser *browser, const char *text)
{
	tally_str_clear(&browser->table.search);
	tally_str_add(&browser->table.search, text);
	return rows_next(browser);
}

static int rows_search(struct browser *browser)
{
	browser_prompt_open(&browser->prompt, "find row: ", NULL, answer_search);
	return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int rows_order(struct browser *browser)
{
	struct browser_table *table = &browser->table;
	size_t nr = TALLY_ARRAY_SIZE(orders) + 1;
	unsigned before = browser->source->rows->show.keys;
	const char *sort;
	int ret;

	/* Skip orders with the same keys as the current one. */
	do {
		table->order = (table->order + 1) % nr;
		sort = table->order ? orders[table->order - 1] : table->first_sort;
		ret = tally_row_options_sort(browser->source->rows, sort);
	} while (!ret && browser->source->rows->show.keys == before);
	if (ret)
		return ret;
	if (browser->source->live)
		ret = browser->source->live->reorder(browser->source->arg);
	tally_screen_reset_widths(&table->screen);
	table->screen.cursor = 0;
	browser_table_drop(table);
	browser->is_stale = browser->source->live;
	browser_set_message(browser, "rows sorted by %s", sort ? sort : "the default keys");
	return ret;
}

static int rows_by_self(struct browser *browser)
{
	struct tally_show *show = &browser->source->rows->show;

	if (!show->children) {
		browser_set_message(browser, "rows have no other cost than self");
		return 0;
	}
	browser->table.screen.cursor = 0;
	return browser_toggle(browser, &show->by_self, "rows sorted by self cost",
			      "rows sorted by the first column");
}

static int rows_hide_kernel(struct browser *browser)
{
	return browser_toggle(browser, &browser->hide_kernel, "the kernel is hidden",
			      "the kernel is shown");
}

static int rows_hide_user(struct browser *browser)
{
	return browser_toggle(browser, &browser->hide_user, "user space is hidden",
			      "user space is shown");
}

static int rows_headings(struct browser *browser)
{
	browser->table.screen.hide_headings = !browser->table.screen.hide_headings;
	return 0;
}

static int rows_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct tally_screen *screen = &browser->table.screen;
	int line = mouse.row - browser->room.top - !screen->hide_headings;
	size_t to = screen->first + (size_t)line;

	if ((mouse.act != TALLY_MOUSE_DOWN && mouse.act != TALLY_MOUSE_TWICE) || line < 0 ||
	    mouse.row >= browser->room.bottom || to >= screen->lines.len)
		return 0;
	if (to == screen->cursor)
		return rows_toggle(browser);
	screen->cursor = to;
	return 0;
}

static const struct browser_key rows_keys[] = {
	{TALLY_PRESS_ENTER, rows_toggle},
	{'+', rows_toggle},
	{'e', rows_toggle_below},
	{'E', rows_open_all},
	{'C', rows_close_all},
	{'c', rows_direction},
	{'t', rows_thread},
	{'d', rows_dso},
	{'s', rows_function},
	{'k', rows_kernel},
	{'K', rows_hide_kernel},
	{'U', rows_hide_user},
	{'/', rows_part},
	{'g', rows_search},
	{'n', rows_next},
	{'o', rows_order},
	{'S', rows_by_self},
	{'H', rows_headings},
};

static const char *const rows_help[] = {
	"Up Down PgUp PgDn Space   go to another row (Home, End)",
	"Enter + e  show or hide callchains, one level, all levels",
	"E C        show or hide all        c    callers or callees",
	"t d s k    zoom into this thread (or command), file or function; k: the kernel",
	"Esc        zoom out, one step      K U  hide the kernel, user space",
	"/          filter functions by name",
	"g n        find a row, find next",
	"o S        next sort order, sort by self cost",
	"H          show or hide the headings",
};

const struct browser_view browser_rows = {
	.name = "rows",
	.press = '2',
	.bar = "h Help|/ Filter|o Order|t Thread|d File|s Function|w Names|Esc Out|Enter Chains|"
	       "3 Flame|q Quit",
	.help = rows_help,
	.nr_help = TALLY_ARRAY_SIZE(rows_help),
	.keys = rows_keys,
	.nr_keys = TALLY_ARRAY_SIZE(rows_keys),
	.draw = rows_draw,
	.mouse = rows_mouse,
	.cursor = rows_cursor,
	.whole = rows_whole,
	.draws_panel = true,
	.no_function = "no function is selected; press o for another order",
};
