/* SPDX-License-Identifier: BSD-2-Clause */
/* tally top on a terminal: a screen that is drawn anew after every refresh and every key. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/main/output.h"
#include "cli/main/print.h"
#include "cli/top/end.h"
#include "cli/top/header.h"
#include "cli/top/rows.h"
#include "cli/top/screen.h"

enum { MOST_ROWS = 10000 };

/* ---- drawing ------------------------------------------------------------------- */

static int make_rows(struct top_screen *screen)
{
	struct top *top = screen->top;
	size_t most = top->config->entries ? top->config->entries : MOST_ROWS;
	int ret;

	if (screen->has_rows)
		top_rows_free(&screen->rows);
	ret = top_rows_make(top, screen->event, &screen->zoom, screen->is_relative, most,
			    &screen->rows);
	screen->has_rows = !ret;
	if (!ret)
		top_rows_taken(top);
	screen->is_stale = false;
	return ret;
}

static void add_zoom(struct tally_str *out, const char *what, const char *text)
{
	if (text)
		tally_str_addf(out, "%s%s %s", out->len ? ", " : "only ", what,
			       *text ? text : "[unknown]");
}

static void add_id(struct tally_str *out, const char *what, int32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", id);
	add_zoom(out, what, id >= 0 ? text : NULL);
}

/* What is asked, else what was just said, else what is looked at. */
static void make_note(const struct top_screen *screen, struct tally_str *out)
{
	static const char *const questions[] = {[TOP_ASKS_PART] = "only functions with: ",
						[TOP_ASKS_SEARCH] = "go to a row with: "};
	const struct top_zoom *zoom = &screen->zoom;
	struct tally_str name = {0};

	if (screen->question != TOP_ASKS_NOTHING) {
		tally_str_addf(out, "%s%s_", questions[screen->question],
			       tally_str_text(&screen->answer));
		return;
	}
	if (screen->note.len) {
		tally_str_add(out, tally_str_text(&screen->note));
		return;
	}
	add_zoom(out, "command", zoom->comm);
	add_id(out, "process", zoom->pid);
	add_id(out, "thread", zoom->tid);
	add_zoom(out, "file", zoom->dso);
	add_zoom(out, "function", zoom->symbol);
	add_zoom(out, "functions with", zoom->part);
	add_zoom(out, "the", zoom->kernel ? "kernel" : NULL);
	if (top_nr_events(screen->top) > 1) {
		top_event_name(screen->top, screen->event, &name);
		tally_str_addf(out, "%sevent %s", out->len ? ", " : "", tally_str_text(&name));
		tally_str_free(&name);
	}
	if (screen->top->is_paused)
		tally_str_addf(out, "%spaused: p goes on", out->len ? ", " : "");
}

/* Under the lock up to where a terminal may make us wait. */
static int draw_locked(struct top_screen *screen)
{
	static const char bar[] = "h Help|/ Filter|o Order|t Thread|d File|s Function|Esc Out|"
				  "Enter Chains|p Pause|q Quit";
	struct tally_panel texts = {.bar = bar, .popup_title = " Keys "};
	struct tally_str title = {0}, note = {0};
	int ret = 0, rows, columns;

	if (!screen->has_rows || screen->is_stale ||
	    screen->rows.generation != screen->top->generation)
		ret = make_rows(screen);
	if (!ret)
		ret = tally_screen_lay_out(&screen->screen, &screen->rows.view);
	tally_terminal_size(screen->terminal, &rows, &columns);
	if (!ret)
		ret = tally_canvas_reset(&screen->canvas, rows, columns);
	if (ret)
		return ret;
	top_header_text(screen->top, &title);
	make_note(screen, &note);
	texts.title = tally_str_text(&title);
	texts.note = tally_str_text(&note);
	if (screen->shows_help) {
		texts.popup = top_screen_help;
		texts.nr_popup = top_screen_nr_help;
	}
	tally_screen_draw(&screen->screen, &screen->rows.view, &texts, &screen->canvas);
	tally_str_free(&title);
	tally_str_free(&note);
	return ret;
}

static int draw(struct top_screen *screen, bool all)
{
	int ret;

	pthread_mutex_lock(&screen->top->lock);
	ret = draw_locked(screen);
	pthread_mutex_unlock(&screen->top->lock);
	if (!ret)
		tally_terminal_show(screen->terminal, &screen->canvas, all);
	return ret;
}

/* ---- the loop ------------------------------------------------------------------ */

/* Everything that was typed. Rows that a key is about are those that were drawn. */
static int drain_keys(struct top_screen *screen)
{
	uint32_t press;
	int ret = 0;

	pthread_mutex_lock(&screen->top->lock);
	while (!ret && (press = tally_terminal_press(screen->terminal)) != TALLY_PRESS_NONE) {
		if (screen->is_stale || screen->rows.generation != screen->top->generation)
			ret = make_rows(screen);
		if (!ret)
			ret = tally_screen_lay_out(&screen->screen, &screen->rows.view);
		if (!ret)
			ret = top_screen_press(screen, press);
	}
	pthread_mutex_unlock(&screen->top->lock);
	return ret;
}

static int turn(struct top_screen *screen)
{
	struct pollfd polls[] = {{screen->top->wake_main, POLLIN, 0},
				 {screen->signals, POLLIN, 0},
				 {STDIN_FILENO, POLLIN, 0}};
	bool resized;
	uint64_t wakes;
	int ret = 0;

	/* Others, like the handler of SIGTSTP, may interrupt. */
	if (poll(polls, TALLY_ARRAY_SIZE(polls), -1) < 0 && errno != EINTR)
		return -errno;
	(void)!read(screen->top->wake_main, &wakes, sizeof(wakes));
	resized = top_drain_signals(screen->signals, &screen->stop);
	if (polls[2].revents & POLLIN)
		ret = drain_keys(screen);
	else if (polls[2].revents)
		screen->stop = true;
	if (ret || screen->stop)
		return ret;
	pthread_mutex_lock(&screen->top->lock);
	screen->stop = screen->top->is_over;
	ret = screen->top->error;
	pthread_mutex_unlock(&screen->top->lock);
	return ret || screen->stop ? ret : draw(screen, resized);
}

static int open_terminal(struct top_screen *screen)
{
	const char *kind = getenv("TERM");
	int ret;

	/* What characters there are; numbers are written as everywhere. */
	setlocale(LC_CTYPE, "");
	screen->canvas.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	ret = tally_terminal_open(tally_output_colours(), false, &screen->terminal);
	if (ret == -ENOTTY)
		tally_print_error("--tui: standard input and output are no terminal");
	else if (ret == -ENODEV)
		tally_print_error("nothing is known about the terminal '%s' (TERM)",
				  kind ? kind : "");
	if (ret)
		tally_print_hint("--stdio shows the same as text");
	return ret;
}

int top_screen_run(struct top *top, int signals)
{
	struct top_screen screen = {.top = top, .signals = signals, .zoom = {.pid = -1, .tid = -1}};
	int ret = open_terminal(&screen);

	if (ret)
		return ret;
	screen.first_sort = top->config->report.sort ? top->config->report.sort : "";
	ret = draw(&screen, true);
	while (!ret && !screen.stop)
		ret = turn(&screen);
	tally_terminal_close(screen.terminal);
	if (screen.has_rows)
		top_rows_free(&screen.rows);
	tally_canvas_free(&screen.canvas);
	tally_screen_free(&screen.screen);
	top_zoom_free(&screen.zoom);
	tally_str_free(&screen.answer);
	tally_str_free(&screen.search);
	tally_str_free(&screen.note);
	return top_explain_end(top, ret);
}
