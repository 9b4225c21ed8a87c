/* SPDX-License-Identifier: BSD-2-Clause */
/* What the keys of tally top's screen do: a table of keys, and one function for each thing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/utf8.h"
#include "cli/top/feed.h"
#include "cli/top/header.h"
#include "cli/recording/columns.h"
#include "cli/top/rows.h"
#include "cli/top/screen.h"
#include "view/width.h"

const char *const top_screen_help[] = {
	"Up Down PgUp PgDn Space   go to another row (Home, End: the first, the last)",
	"Enter +   show or hide the callchains of a row, one level of them",
	"e         all levels of them          E C  of all rows: show, hide",
	"t d s     zoom into this thread (or command), file, function",
	"k         zoom into the kernel        Esc  zoom out, one step",
	"/         only functions whose name has this in it",
	"g n       go to the next row that has this in it, and the next",
	"o         another order               Tab  the next event",
	"F         shares of everything, or of what is looked at",
	"K U       hide the kernel, hide user space",
	"z         only the last interval, or let the past fade",
	"f p       pause                       H    headings of columns",
	"h ? F1    these keys                  q    quit",
};
const size_t top_screen_nr_help = TALLY_ARRAY_SIZE(top_screen_help);

/* Orders besides the one asked for. */
static const char *const orders[] = {"comm,dso,symbol", "comm",           "dso",
				     "tid,dso,symbol",  "cpu,dso,symbol", "dso,symbol"};

static void show_message(struct top_screen *screen, const char *text)
{
	tally_str_clear(&screen->note);
	tally_str_add(&screen->note, text);
}

/* ---- moving ------------------------------------------------------------------- */

/* Lines up (negative) or down, as far as there are any. */
static void move_by(struct top_screen *screen, long lines)
{
	long last = (long)screen->screen.lines.len - 1;
	long to = (long)screen->screen.cursor + lines;

	screen->screen.cursor = (size_t)TALLY_MAX(TALLY_MIN(to, last), 0L);
}

static long page_of(const struct top_screen *screen)
{
	return tally_screen_page(&screen->screen, screen->canvas.rows);
}

static int key_up(struct top_screen *screen)
{
	move_by(screen, -1);
	return 0;
}

static int key_down(struct top_screen *screen)
{
	move_by(screen, 1);
	return 0;
}

static int key_page_up(struct top_screen *screen)
{
	move_by(screen, -page_of(screen));
	return 0;
}

static int key_page_down(struct top_screen *screen)
{
	move_by(screen, page_of(screen));
	return 0;
}

static int key_home(struct top_screen *screen)
{
	screen->screen.cursor = 0;
	return 0;
}

static int key_last(struct top_screen *screen)
{
	move_by(screen, (long)screen->screen.lines.len);
	return 0;
}

/* ---- callchains ---------------------------------------------------------------- */

static bool has_chains(struct top_screen *screen)
{
	bool has = screen->top->config->report.style != TALLY_STYLE_NONE;

	if (!has)
		show_message(screen, "there are no callchains: tally top -g");
	return has;
}

static int key_toggle(struct top_screen *screen)
{
	return has_chains(screen) ? tally_screen_toggle(&screen->screen, &screen->rows.view, false)
				  : 0;
}

static int key_toggle_below(struct top_screen *screen)
{
	return has_chains(screen) ? tally_screen_toggle(&screen->screen, &screen->rows.view, true)
				  : 0;
}

static int key_open_all(struct top_screen *screen)
{
	if (has_chains(screen))
		tally_screen_open_all(&screen->screen, true);
	return 0;
}

static int key_close_all(struct top_screen *screen)
{
	tally_screen_open_all(&screen->screen, false);
	return 0;
}

/* ---- zooming ------------------------------------------------------------------- */

static const struct tally_row *selected_row(const struct top_screen *screen)
{
	const struct tally_screen_line *line = tally_screen_selected(&screen->screen);

	return line ? &screen->rows.hist.rows.data[line->row] : NULL;
}

/* The function of the line selected: of a callchain, the one that stands there. */
static const struct tally_frame *selected_frame(const struct top_screen *screen)
{
	const struct tally_screen_line *line = tally_screen_selected(&screen->screen);
	uint32_t number;

	if (!line)
		return NULL;
	number = line->node ? screen->rows.hist.graph.data[line->node].frame
			    : screen->rows.hist.rows.data[line->row].frame;
	return &screen->top->profile.frames.all.data[number];
}

/* The same kind twice is one step. */
static void zoom_push(struct top_screen *screen, enum top_zoom_kind kind)
{
	for (size_t i = 0; i < screen->nr_zooms; i++) {
		if (screen->zooms[i] == kind)
			return;
	}
	screen->zooms[screen->nr_zooms++] = kind;
}

static int zoom_text(struct top_screen *screen, enum top_zoom_kind kind, char **text,
		     const char *to)
{
	char *copy = strdup(to);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	zoom_push(screen, kind);
	screen->is_stale = true;
	screen->screen.cursor = 0;
	return 0;
}

static int key_thread(struct top_screen *screen)
{
	const struct tally_row *row = selected_row(screen);
	const struct tally_group *group = row ? &screen->rows.hist.groups.data[row->group] : NULL;
	unsigned keys = screen->top->config->report.keys;

	if (!(keys & (TALLY_KEY_TID | TALLY_KEY_PID | TALLY_KEY_COMM))) {
		show_message(screen,
			     "rows are not told apart by thread or command: o for another order");
		return 0;
	}
	if (!group)
		return 0;
	if (keys & TALLY_KEY_COMM)
		return zoom_text(screen, TOP_ZOOM_THREAD, &screen->zoom.comm,
				 tally_intern_text(tally_machine_comms(screen->top->live.machine),
						   group->comm));
	if (keys & TALLY_KEY_TID)
		screen->zoom.tid = group->tid;
	else
		screen->zoom.pid = group->pid;
	zoom_push(screen, TOP_ZOOM_THREAD);
	screen->is_stale = true;
	screen->screen.cursor = 0;
	return 0;
}

static int key_dso(struct top_screen *screen)
{
	const struct tally_frame *frame = selected_frame(screen);

	if (!(screen->top->config->report.keys & (TALLY_KEY_DSO | TALLY_KEY_SYMBOL))) {
		show_message(screen, "rows are not told apart by file: o for another order");
		return 0;
	}
	if (!frame)
		return 0;
	return zoom_text(screen, TOP_ZOOM_DSO, &screen->zoom.dso,
			 frame->dso ? tally_dso_name(frame->dso) : "");
}

static int key_symbol(struct top_screen *screen)
{
	const struct tally_frame *frame = selected_frame(screen);

	if (!frame || !frame->symbol || !(screen->top->config->report.keys & TALLY_KEY_SYMBOL)) {
		show_message(screen, "there is no function in this row");
		return 0;
	}
	return zoom_text(screen, TOP_ZOOM_SYMBOL, &screen->zoom.symbol,
			 tally_symbol_name(frame->dso, frame->symbol));
}

static int key_kernel(struct top_screen *screen)
{
	screen->zoom.kernel = true;
	zoom_push(screen, TOP_ZOOM_KERNEL);
	screen->is_stale = true;
	screen->screen.cursor = 0;
	return 0;
}

static void drop_text(char **text)
{
	free(*text);
	*text = NULL;
}

static int key_escape(struct top_screen *screen)
{
	struct top_zoom *zoom = &screen->zoom;

	if (!screen->nr_zooms)
		return 0;
	switch (screen->zooms[--screen->nr_zooms]) {
	case TOP_ZOOM_THREAD:
		drop_text(&zoom->comm);
		zoom->pid = zoom->tid = -1;
		break;
	case TOP_ZOOM_DSO: drop_text(&zoom->dso); break;
	case TOP_ZOOM_SYMBOL: drop_text(&zoom->symbol); break;
	case TOP_ZOOM_PART: drop_text(&zoom->part); break;
	case TOP_ZOOM_KERNEL: zoom->kernel = false; break;
	}
	screen->is_stale = true;
	return 0;
}

/* ---- questions ------------------------------------------------------------------ */

static int key_part(struct top_screen *screen)
{
	screen->question = TOP_ASKS_PART;
	tally_str_clear(&screen->answer);
	tally_str_add(&screen->answer, screen->zoom.part ? screen->zoom.part : "");
	return 0;
}

static int key_search(struct top_screen *screen)
{
	screen->question = TOP_ASKS_SEARCH;
	tally_str_clear(&screen->answer);
	return 0;
}

static bool row_has(const struct top_screen *screen, const struct tally_row *row, const char *text)
{
	const struct tally_view *view = &screen->rows.view;
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

/* From the line behind the cursor on, and round. */
static int key_next(struct top_screen *screen)
{
	const char *text = tally_str_text(&screen->search);
	size_t nr = screen->screen.lines.len;

	for (size_t i = 1; *text && i <= nr; i++) {
		size_t at = (screen->screen.cursor + i) % nr;
		const struct tally_screen_line *line = &screen->screen.lines.data[at];

		if (!line->node && row_has(screen, &screen->rows.hist.rows.data[line->row], text)) {
			screen->screen.cursor = at;
			return 0;
		}
	}
	show_message(screen, *text ? "no row has that in it" : "nothing was searched for: g");
	return 0;
}

static int answer_part(struct top_screen *screen)
{
	if (screen->answer.len)
		return zoom_text(screen, TOP_ZOOM_PART, &screen->zoom.part,
				 tally_str_text(&screen->answer));
	for (size_t i = 0; i < screen->nr_zooms; i++) {
		if (screen->zooms[i] != TOP_ZOOM_PART)
			continue;
		memmove(&screen->zooms[i], &screen->zooms[i + 1],
			(screen->nr_zooms - i - 1) * sizeof(screen->zooms[0]));
		screen->nr_zooms--;
	}
	drop_text(&screen->zoom.part);
	screen->is_stale = true;
	return 0;
}

static int answer(struct top_screen *screen)
{
	enum top_question question = screen->question;

	screen->question = TOP_ASKS_NOTHING;
	if (question == TOP_ASKS_PART)
		return answer_part(screen);
	tally_str_clear(&screen->search);
	tally_str_add(&screen->search, tally_str_text(&screen->answer));
	return key_next(screen);
}

static void add_code(struct tally_str *out, uint32_t code)
{
	char bytes[4];

	tally_str_add_bytes(out, bytes, (size_t)(tally_utf8_put(bytes, code) - bytes));
}

static void drop_last(struct tally_str *text)
{
	while (text->len && ((unsigned char)text->data[text->len - 1] & 0xc0) == 0x80)
		text->len--;
	text->len -= text->len > 0;
	if (text->data)
		text->data[text->len] = '\0';
}

static int type(struct top_screen *screen, uint32_t press)
{
	enum { ANSWER_MAX = 200 };

	switch (press) {
	case TALLY_PRESS_ENTER: return answer(screen);
	case TALLY_PRESS_ESCAPE: screen->question = TOP_ASKS_NOTHING; return 0;
	case TALLY_PRESS_BACKSPACE: drop_last(&screen->answer); return 0;
	default:
		if (press < TALLY_PRESS_NONE && screen->answer.len < ANSWER_MAX)
			add_code(&screen->answer, press);
		return 0;
	}
}

/* ---- the rest ------------------------------------------------------------------- */

/* Buckets do not tell enough apart for some orders: those begin with nothing. */
static int key_order(struct top_screen *screen)
{
	struct report_config *report = &screen->top->config->report;
	size_t nr = TALLY_ARRAY_SIZE(orders) + 1;
	const char *sort;
	unsigned by;
	int ret;

	do {
		screen->order = (screen->order + 1) % nr;
		sort = screen->order ? orders[screen->order - 1] : screen->first_sort;
	} while (screen->order && !strcmp(sort, screen->first_sort));
	ret = report_config_sort(report, sort);
	if (ret)
		return ret;
	/* What is looked at alone stays told apart. */
	by = top_profile_by(report) | screen->top->profile.options.by;
	if (by != screen->top->profile.options.by)
		ret = top_feed_restart(screen->top, by);
	tally_screen_forget_widths(&screen->screen);
	tally_str_clear(&screen->note);
	tally_str_addf(&screen->note, "rows by %s", sort);
	screen->screen.cursor = 0;
	screen->is_stale = true;
	return ret;
}

static int key_event(struct top_screen *screen)
{
	screen->event = (screen->event + 1) % (uint32_t)top_nr_events(screen->top);
	screen->screen.cursor = 0;
	screen->is_stale = true;
	return 0;
}

static int key_help(struct top_screen *screen)
{
	screen->shows_help = true;
	return 0;
}

static int key_quit(struct top_screen *screen)
{
	screen->stop = true;
	return 0;
}

/* A bool that is turned over, and what is said then. */
static int turn(struct top_screen *screen, bool *flag, const char *on, const char *off)
{
	*flag = !*flag;
	show_message(screen, *flag ? on : off);
	screen->is_stale = true;
	return 0;
}

static int key_relative(struct top_screen *screen)
{
	return turn(screen, &screen->is_relative, "shares of what is looked at",
		    "shares of everything");
}

static int key_hide_kernel(struct top_screen *screen)
{
	return turn(screen, &screen->top->config->hide_kernel, "the kernel is hidden",
		    "the kernel is shown");
}

static int key_hide_user(struct top_screen *screen)
{
	return turn(screen, &screen->top->config->hide_user, "user space is hidden",
		    "user space is shown");
}

static int key_zero(struct top_screen *screen)
{
	return turn(screen, &screen->top->config->zero, "only the last interval",
		    "the past fades slowly");
}

static int key_pause(struct top_screen *screen)
{
	return turn(screen, &screen->top->is_paused, "", "goes on");
}

static int key_headings(struct top_screen *screen)
{
	screen->screen.hide_headings = !screen->screen.hide_headings;
	return 0;
}

static const struct {
	uint32_t press;
	int (*act)(struct top_screen *screen);
} keys[] = {
	{TALLY_PRESS_UP, key_up},
	{TALLY_PRESS_DOWN, key_down},
	{TALLY_PRESS_PAGE_UP, key_page_up},
	{TALLY_PRESS_PAGE_DOWN, key_page_down},
	{' ', key_page_down},
	{TALLY_PRESS_HOME, key_home},
	{TALLY_PRESS_LAST, key_last},
	{TALLY_PRESS_ENTER, key_toggle},
	{'+', key_toggle},
	{'e', key_toggle_below},
	{'E', key_open_all},
	{'C', key_close_all},
	{'t', key_thread},
	{'d', key_dso},
	{'s', key_symbol},
	{'k', key_kernel},
	{TALLY_PRESS_ESCAPE, key_escape},
	{'/', key_part},
	{'g', key_search},
	{'n', key_next},
	{'o', key_order},
	{TALLY_PRESS_TAB, key_event},
	{'F', key_relative},
	{'K', key_hide_kernel},
	{'U', key_hide_user},
	{'z', key_zero},
	{'f', key_pause},
	{'p', key_pause},
	{'H', key_headings},
	{'h', key_help},
	{'?', key_help},
	{TALLY_PRESS_HELP, key_help},
	{'q', key_quit},
	{'Q', key_quit},
};

int top_screen_press(struct top_screen *screen, uint32_t press)
{
	tally_str_clear(&screen->note);
	/* Any key takes the help away. */
	if (screen->shows_help) {
		screen->shows_help = false;
		return 0;
	}
	if (screen->question != TOP_ASKS_NOTHING)
		return type(screen, press);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++) {
		if (keys[i].press == press)
			return keys[i].act(screen);
	}
	return 0;
}
