/* SPDX-License-Identifier: BSD-2-Clause */
/* The browser's screen: drawn anew after every key, and what is left behind at its end. */
#include "cli/browser/browser.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/view.h"
#include "cli/main/output.h"
#include "cli/main/print.h"
#include "sampler/signals.h"
#include "view/wrap.h"

enum { HELP_MAX = 24, LEFT_LINES = 10 };

/* ---- what is looked at ----------------------------------------------------------------------- */

static int select_again(struct browser *browser)
{
	struct tally_profile *profile = browser->source->profile;
	struct tally_selection selection;
	struct tally_chains chains;
	int ret = browser_filter_select(&browser->filter, profile, browser->event, &selection);

	if (ret)
		return ret;
	ret = tally_chains_make(profile, &selection, &chains);
	if (ret) {
		tally_selection_free(&selection);
		return ret;
	}
	tally_chains_free(&browser->chains);
	tally_selection_free(&browser->selection);
	browser->selection = selection;
	browser->chains = chains;
	browser->generation++;
	browser->is_stale = false;
	return 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void add_title(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
	const struct tally_profile_total *total = &source->profile->totals.data[browser->event];

	tally_str_addf(out, "%s: %s", browser->view->name, source->what);
	tally_str_addf(out, "  %" PRIu64 " samples of '%s'", browser->selection.nr,
		       source->event(source->arg, browser->event));
	if (browser->selection.nr != total->nr)
		tally_str_addf(out, " of %" PRIu64, total->nr);
	tally_str_escape(out, 0);
}

/* What is asked, else what was just said, else what is looked at. */
static void add_note(const struct browser *browser, struct tally_str *out)
{
	size_t start;

	if (browser->prompt.question) {
		tally_str_add(out, browser->prompt.question);
		start = out->len;
		tally_str_addf(out, "%s_", tally_str_text(&browser->prompt.text));
		tally_str_escape(out, start);
		return;
	}
	if (browser->note.len) {
		tally_str_add(out, tally_str_text(&browser->note));
		return;
	}
	browser_filter_text(&browser->filter, out);
	if (out->len) {
		tally_str_add(out, " (Esc: out)");
		return;
	}
	if (browser->view == &browser_rows && browser->table.part)
		tally_str_addf(out, "only functions with %s", browser->table.part);
	tally_str_escape(out, 0);
}

void browser_panel(struct browser *browser, struct tally_panel *panel)
{
	tally_str_clear(&browser->title_text);
	tally_str_clear(&browser->note_text);
	add_title(browser, &browser->title_text);
	add_note(browser, &browser->note_text);
	panel->title = tally_str_text(&browser->title_text);
	panel->note = tally_str_text(&browser->note_text);
	panel->bar = browser->view->bar;
}

static void draw_help(struct browser *browser)
{
	static const char *const of_all[] = {
		"1 2 3 4 6  overview, rows, flame graph, callers and callees, time",
		":          only samples for which a query holds: comm: sym: dso: ...",
		"Esc        out of that again, then back to the view before",
		"i          what is known of the recording's health",
		"Tab        the next event          q    quit",
	};
	const char *lines[HELP_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < browser->view->nr_help && nr < HELP_MAX; i++)
		lines[nr++] = browser->view->help[i];
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(of_all) && nr < HELP_MAX; i++)
		lines[nr++] = of_all[i];
	tally_canvas_box(&browser->canvas, " Keys ", lines, nr);
}

/* All lines of it, wrapped into a box. */
static void draw_health(struct browser *browser)
{
	const char *lines[HELP_MAX];
	struct tally_str text = {0};
	size_t nr = 0;
	char *rest;

	tally_str_add(&text, tally_str_text(&browser->health));
	rest = text.data;
	for (char *line; rest && (line = strsep(&rest, "\n")) && nr < HELP_MAX;) {
		if (*line)
			lines[nr++] = line;
	}
	tally_canvas_box(&browser->canvas, " Health ", lines, nr);
	tally_str_free(&text);
}

static int draw(struct browser *browser, bool all)
{
	struct tally_str where = {0};
	struct tally_panel panel = {0};
	int ret = 0, rows, columns;

	if (browser->is_stale)
		ret = select_again(browser);
	tally_terminal_size(browser->terminal, &rows, &columns);
	if (!ret)
		ret = tally_canvas_reset(&browser->canvas, rows, columns);
	if (ret)
		return ret;
	browser->room = tally_panel_room(rows);
	ret = browser->view->draw(browser, &where);
	if (!ret && !browser->view->draws_panel) {
		browser_panel(browser, &panel);
		panel.where = tally_str_text(&where);
		tally_panel_draw(&panel, &browser->canvas);
	}
	tally_str_free(&where);
	if (browser->shows_help)
		draw_help(browser);
	if (browser->shows_health)
		draw_health(browser);
	if (!ret)
		tally_terminal_show(browser->terminal, &browser->canvas, all);
	return ret;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int signals_open(void)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};

	return tally_signals_open(wanted, TALLY_ARRAY_SIZE(wanted));
}

static void signals_drain(struct browser *browser)
{
	struct signalfd_siginfo info;

	while (read(browser->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			browser->redraw = true;
		else
			browser->stop = true;
	}
}

/* Everything that was typed; what a key is about is what the keys before it made. */
static int keys_drain(struct browser *browser)
{
	uint32_t press;
	int ret = 0;

	while (!ret && !browser->stop &&
	       (press = tally_terminal_press(browser->terminal)) != TALLY_PRESS_NONE) {
		ret = browser_press(browser, press);
		if (!ret && browser->is_stale)
			ret = select_again(browser);
		if (!ret)
			ret = draw(browser, false);
	}
	return ret;
}

static int turn(struct browser *browser)
{
	struct pollfd polls[] = {{browser->signals, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
	bool all;
	int ret = 0;

	/* Others, like the handler of SIGTSTP, may interrupt. */
	if (poll(polls, TALLY_ARRAY_SIZE(polls), -1) < 0 && errno != EINTR)
		return -errno;
	signals_drain(browser);
	if (polls[1].revents & POLLIN)
		ret = keys_drain(browser);
	else if (polls[1].revents)
		browser->stop = true;
	if (ret || browser->stop)
		return ret;
	all = browser->redraw;
	browser->redraw = false;
	return draw(browser, all);
}

static int open_terminal(struct browser *browser)
{
	const char *kind = getenv("TERM");
	int ret;

	/* What characters there are; numbers are written as everywhere. */
	setlocale(LC_CTYPE, "");
	browser->canvas.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	ret = tally_terminal_open(tally_output_colours(), true, &browser->terminal);
	if (ret == -ENOTTY)
		tally_print_error("--tui: standard input and output are no terminal");
	else if (ret == -ENODEV)
		tally_print_error("nothing is known about the terminal '%s' (TERM)",
				  kind ? kind : "");
	if (ret)
		tally_print_hint("--stdio shows the same as text");
	return ret;
}

/* ---- what is left behind -----------------------------------------------------------------------
 */

static void left_list(struct browser *browser, enum browser_list list, const char *heading,
		      struct tally_str *out)
{
	const struct browser_lists *lists = &browser->lists;
	uint64_t all = browser->source->profile->totals.data[browser->event].period;
	struct tally_str share = {0};

	tally_str_addf(out, "\n%s\n", heading);
	for (uint32_t i = 0; i < TALLY_MIN(lists->nr[list], (uint32_t)LEFT_LINES); i++) {
		tally_str_clear(&share);
		tally_view_percent(browser_lists_period(lists, list, i), all, &share);
		tally_str_addf(out, "%8s  ", tally_str_text(&share));
		browser_lists_text(lists, browser, list, i, 68, "...", out);
		tally_str_add_char(out, '\n');
	}
	tally_str_free(&share);
}

/* The terminal is as it was before: what was most important stays in sight. */
static int leave_summary(struct browser *browser)
{
	struct tally_str out = {0};
	int ret = browser_lists_make(&browser->lists, browser);

	if (!ret) {
		browser->view = &browser_overview;
		add_title(browser, &out);
		tally_str_addf(&out, "\n%s", tally_str_text(&browser->health));
		left_list(browser, BROWSER_THREADS, "Threads", &out);
		left_list(browser, BROWSER_SELF, "Heaviest by themselves", &out);
		if (browser->source->config->style != TALLY_STYLE_NONE)
			left_list(browser, BROWSER_TOTAL, "With what they call", &out);
		ret = tally_output_flush(&out);
	}
	tally_str_free(&out);
	return ret;
}

static void browser_free(struct browser *browser)
{
	tally_terminal_close(browser->terminal);
	if (browser->signals >= 0)
		close(browser->signals);
	browser_lists_free(&browser->lists);
	browser_table_free(&browser->table);
	browser_pane_free(&browser->flame);
	browser_pane_free(&browser->callers);
	browser_pane_free(&browser->callees);
	tally_timeline_free(&browser->spans.timeline);
	browser_filter_free(&browser->filter);
	browser_prompt_free(&browser->prompt);
	tally_chains_free(&browser->chains);
	tally_selection_free(&browser->selection);
	tally_canvas_free(&browser->canvas);
	tally_str_free(&browser->note);
	tally_str_free(&browser->health);
	tally_str_free(&browser->title_text);
	tally_str_free(&browser->note_text);
}

/* Lines of comment without their marks. */
static void take_health(struct browser *browser)
{
	struct tally_str text = {0};
	char *rest;

	browser->source->health(browser->source->arg, &text);
	rest = text.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		if (*line)
			tally_str_addf(&browser->health, "%s\n", line + strspn(line, "# "));
	}
	tally_str_free(&text);
}

int tally_browser_run(const struct tally_browser_source *source)
{
	struct browser browser = {
		.source = source,
		.event = source->first_event,
		.view = &browser_overview,
		.function = TALLY_FRAME_NONE,
		.pivot = TALLY_FRAME_NONE,
		.is_stale = true,
		.signals = -1,
	};
	int ret = open_terminal(&browser);

	if (ret)
		return ret;
	browser.signals = signals_open();
	ret = browser.signals < 0 ? browser.signals : 0;
	browser.table.first_sort = source->config->sort ? source->config->sort : "";
	browser.table.by_callers = source->config->order == TALLY_GRAPH_CALLEE;
	browser_filter_start(&browser.filter, source->profile);
	take_health(&browser);
	if (!ret && source->query)
		ret = browser_zoom(&browser, source->query);
	if (!ret)
		ret = draw(&browser, true);
	while (!ret && !browser.stop)
		ret = turn(&browser);
	tally_terminal_close(browser.terminal);
	browser.terminal = NULL;
	if (!ret)
		ret = leave_summary(&browser);
	if (ret)
		tally_print_error("the browser ends: %s", strerror(-ret));
	browser_free(&browser);
	return ret;
}
