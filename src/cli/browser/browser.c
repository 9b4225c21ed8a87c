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

uint64_t browser_total(const struct browser *browser)
{
	return tally_chosen_total(browser->source->profile, browser->event);
}

static void chains_drop(struct browser *browser)
{
	tally_chains_free(&browser->chains);
	browser->has_chains = false;
}

int browser_chains_make(struct browser *browser)
{
	int ret = 0;

	if (!browser->has_chains)
		ret = tally_chains_make(browser->source->profile, &browser->selection,
					&browser->chains);
	browser->has_chains = !ret;
	return ret;
}

/* Frames of what is live have other numbers after a while: the one that a function has now. */
uint32_t browser_frame_again(const struct browser *browser, uint32_t number,
			     const struct tally_frame *was)
{
	const struct tally_frames *frames = &browser->source->profile->frames;

	if (number == TALLY_FRAME_NONE || !browser->source->live)
		return number;
	for (uint32_t i = 0; i < frames->all.len; i++) {
		if (frames->all.data[i].dso == was->dso &&
		    frames->all.data[i].symbol == was->symbol)
			return i;
	}
	return TALLY_FRAME_NONE;
}

static void frame_note(const struct browser *browser, uint32_t number, struct tally_frame *to)
{
	if (number != TALLY_FRAME_NONE)
		*to = browser->source->profile->frames.all.data[number];
}

static int select_again(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	struct tally_profile *profile = browser->source->profile;
	struct tally_selection selection;
	int ret;

	browser->is_stale = false;
	if (!profile)
		return 0;
	ret = tally_profile_finish(profile);
	if (!ret)
		ret = browser_filter_select(&browser->filter, profile, browser->event, &selection);
	if (ret)
		return ret;
	if (browser->has_selection)
		tally_selection_free(&browser->selection);
	chains_drop(browser);
	browser->selection = selection;
	browser->has_selection = true;
	browser->function =
		browser_frame_again(browser, browser->function, &browser->function_frame);
	browser->pivot = browser_frame_again(browser, browser->pivot, &browser->pivot_frame);
	browser->seen = live ? *live->generation : 0;
	browser->generation++;
	return 0;
}

/* Whether anything changed since the selection was made. */
static bool is_stale(const struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;

	return browser->is_stale || (live && browser->seen != *live->generation);
}

static void lock(const struct browser *browser)
{
	if (browser->source->live)
		pthread_mutex_lock(browser->source->live->lock);
}

static void unlock(const struct browser *browser)
{
	if (browser->source->live)
		pthread_mutex_unlock(browser->source->live->lock);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void add_title(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
	const struct tally_profile_total *total;

	if (source->title) {
		source->title(source->arg, browser->event, out);
		return;
	}
	total = &source->profile->totals.data[browser->event];
	tally_str_addf(out, "%s: %s", browser->view->name, source->what);
	tally_str_addf(out, "  %" PRIu64 " samples of '%s'", browser->selection.nr,
		       source->event(source->arg, browser->event));
	if (browser->selection.nr != total->nr)
		tally_str_addf(out, " of %" PRIu64, total->nr);
	tally_str_escape(out, 0);
}

/* Of what is live: which of several events it is, and whatever its source says. */
static void add_state(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
	const char *state = source->live->state(source->arg);
	size_t start;

	if (source->nr_events > 1) {
		tally_str_addf(out, "%sevent ", out->len ? ", " : "");
		start = out->len;
		tally_str_add(out, source->event(source->arg, browser->event));
		tally_str_escape(out, start);
	}
	if (state)
		tally_str_addf(out, "%s%s", out->len ? ", " : "", state);
}

/* What is asked, else what was just said, else what is looked at. */
static void add_note(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
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
	if (source->live)
		add_state(browser, out);
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
	static const char *const of_profiles[] = {
		"1 to 6     overview, rows, flame graph, callers, annotate, time",
		"a          source and instructions of a function (annotate)",
		":          only samples for which a query holds: comm: sym: dso: ...",
	};
	static const char *const of_all[] = {
		"Esc        out of that again, then back to the view before",
		"Tab        the next event          i    health of the recording",
		"h ? F1     these keys              q    quit",
	};
	const struct tally_browser_live *live = browser->source->live;
	const char *lines[HELP_MAX];
	size_t nr = 0;

	for (size_t i = 0; i < browser->view->nr_help && nr < HELP_MAX; i++)
		lines[nr++] = browser->view->help[i];
	for (size_t i = 0; live && i < live->nr_help && nr < HELP_MAX; i++)
		lines[nr++] = live->help[i];
	for (size_t i = 0;
	     browser->source->profile && i < TALLY_ARRAY_SIZE(of_profiles) && nr < HELP_MAX; i++)
		lines[nr++] = of_profiles[i];
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

/* Under the lock, up to where a terminal may make us wait. */
static int draw_locked(struct browser *browser)
{
	struct tally_str where = {0};
	struct tally_panel panel = {0};
	int ret = 0, rows, columns;

	if (is_stale(browser))
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
	frame_note(browser, browser->function, &browser->function_frame);
	frame_note(browser, browser->pivot, &browser->pivot_frame);
	return ret;
}

static int draw(struct browser *browser, bool all)
{
	int ret;

	lock(browser);
	ret = draw_locked(browser);
	unlock(browser);
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

	lock(browser);
	while (!ret && !browser->stop &&
	       (press = tally_terminal_press(browser->terminal)) != TALLY_PRESS_NONE) {
		if (is_stale(browser))
			ret = draw_locked(browser);
		if (!ret)
			ret = browser_press(browser, press);
		if (!ret)
			ret = draw_locked(browser);
	}
	unlock(browser);
	return ret;
}

/* What is live may have come to its end. */
static int look_at_end(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	int ret;

	if (!live)
		return 0;
	lock(browser);
	browser->stop |= *live->is_over;
	ret = *live->error;
	unlock(browser);
	return ret;
}

static int turn(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	struct pollfd polls[] = {{browser->signals, POLLIN, 0},
				 {STDIN_FILENO, POLLIN, 0},
				 {live ? live->wake : -1, POLLIN, 0}};
	uint64_t wakes;
	bool all;
	int ret = 0;

	/* Others, like the handler of SIGTSTP, may interrupt. */
	if (poll(polls, TALLY_ARRAY_SIZE(polls), -1) < 0 && errno != EINTR)
		return -errno;
	if (polls[2].revents & POLLIN)
		(void)!read(live->wake, &wakes, sizeof(wakes));
	signals_drain(browser);
	if (polls[1].revents & POLLIN)
		ret = keys_drain(browser);
	else if (polls[1].revents)
		browser->stop = true;
	if (!ret && !browser->stop)
		ret = look_at_end(browser);
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
	uint64_t all = browser_total(browser);
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
	int ret = is_stale(browser) ? select_again(browser) : 0;

	if (!ret)
		ret = browser_lists_make(&browser->lists, browser);
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
	if (browser->signals >= 0 && !browser->source->live)
		close(browser->signals);
	browser_lists_free(&browser->lists);
	browser_table_free(&browser->table);
	browser_pane_free(&browser->flame);
	browser_pane_free(&browser->callers);
	browser_pane_free(&browser->callees);
	tally_timeline_free(&browser->spans.timeline);
	browser_code_free(&browser->code);
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

/* Take over signals that the source does not. */
static int browser_start(struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;

	browser->signals = source->live ? source->live->signals : signals_open();
	if (browser->signals < 0)
		return browser->signals;
	if (source->health)
		take_health(browser);
	if (!source->profile)
		return 0;
	browser->table.first_sort = source->config->sort ? source->config->sort : "";
	browser->table.by_callers = source->config->order == TALLY_GRAPH_CALLEE;
	browser_filter_start(&browser->filter, source->profile);
	return source->query
		       ? browser_zoom(browser, BROWSER_ONLY_QUERY, source->query, source->query)
		       : 0;
}

int tally_browser_run(const struct tally_browser_source *source)
{
	struct browser browser = {
		.source = source,
		.event = source->first_event,
		.view = source->views[0],
		.function = TALLY_FRAME_NONE,
		.pivot = TALLY_FRAME_NONE,
		.is_stale = true,
		.signals = -1,
		.hide_kernel = source->hide_kernel,
		.hide_user = source->hide_user,
	};
	int ret = open_terminal(&browser);

	if (ret)
		return ret;
	ret = browser_start(&browser);
	if (!ret)
		ret = draw(&browser, true);
	while (!ret && !browser.stop)
		ret = turn(&browser);
	tally_terminal_close(browser.terminal);
	browser.terminal = NULL;
	if (!ret && !source->live && source->profile)
		ret = leave_summary(&browser);
	if (ret && !source->live)
		tally_print_error("the browser ends: %s", strerror(-ret));
	browser_free(&browser);
	return ret;
}
