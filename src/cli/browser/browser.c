/* SPDX-License-Identifier: BSD-2-Clause */
/* The browser's main loop: redraw the screen after every key, and print a summary at the end. */
#include "cli/browser/browser.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_signals.h"
#include "cli/browser/browser_view.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"

/* ---- the lock of a live profile ------------------------------------------------------------- */

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

void browser_title(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
	const struct tally_profile_total *total;

	if (source->title) {
		source->title(source->arg, browser->event, out);
		return;
	}
	total = &source->profile->totals.data[browser->event];
	tally_str_addf(out, "%s: %s", browser->view->name, source->what);
	tally_str_addf(out, "  %" PRIu64 " sample%s of '%s'", browser->selection.nr,
		       tally_plural(browser->selection.nr),
		       source->event(source->arg, browser->event));
	if (browser->selection.nr != total->nr)
		tally_str_addf(out, " of %" PRIu64, total->nr);
	tally_str_escape(out, 0);
}

/* Append the state of a live profile: the current event, if there are several, and the string that
 * the source provides. */
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

/* Append the text of the line above the keys: the prompt, the last message, or the current filter
 * and the state of a live profile. */
static void add_note(const struct browser *browser, struct tally_str *out)
{
	const struct tally_browser_source *source = browser->source;
	size_t start;

	if (browser->prompt.question) {
		tally_str_add(out, browser->prompt.question);
		start = out->len;
		tally_str_addf(out, "%s_", tally_str_text(&browser->prompt.text));
		tally_str_escape(out, start);
		if (browser->prompt.found.texts.len > 1)
			tally_str_addf(out, " (Tab: next of %zu)", browser->prompt.found.texts.len);
		return;
	}
	if (browser->note.len) {
		tally_str_add(out, tally_str_text(&browser->note));
		return;
	}
	browser_filter_text(&browser->filter, out);
	tally_str_add(out, browser->filter.steps.len ? " (Esc: undo)" : "");
	if (browser_is_partial(browser))
		tally_str_addf(out, "%s%% of %s", browser->filter.steps.len ? "; " : "",
			       browser->is_absolute ? "all (F: of the selection)"
						    : "the selection (F: of all)");
	if (source->live)
		add_state(browser, out);
}

void browser_panel(struct browser *browser, struct tally_panel *panel)
{
	tally_str_clear(&browser->title_text);
	tally_str_clear(&browser->note_text);
	browser_title(browser, &browser->title_text);
	add_note(browser, &browser->note_text);
	panel->title = tally_str_text(&browser->title_text);
	panel->note = tally_str_text(&browser->note_text);
	panel->bar = browser->view->bar;
}

static void frame_copy(const struct browser *browser, uint32_t number, struct tally_frame *to)
{
	if (number != TALLY_FRAME_NONE)
		*to = browser->source->profile->frames.all.data[number];
}

int browser_draw_view(struct browser *browser, int rows, int columns)
{
	struct tally_str where = {0};
	struct tally_panel panel = {0};
	int ret = tally_canvas_reset(&browser->canvas, rows, columns);

	if (ret)
		return ret;
	browser->room = tally_panel_rows(rows);
	browser->here = TALLY_FRAME_NONE;
	ret = browser->view->draw(browser, &where);
	if (!ret)
		browser_draw_empty(browser);
	if (!ret && !browser->view->draws_panel) {
		browser_panel(browser, &panel);
		panel.where = tally_str_text(&where);
		tally_panel_draw(&panel, &browser->canvas);
	}
	tally_str_free(&where);
	return ret;
}

/* Draw everything that requires a live profile's lock. Writing to the terminal may block, so it is
 * done without the lock. */
static int draw_locked(struct browser *browser)
{
	int ret = browser_is_stale(browser) ? browser_select(browser) : 0, rows, columns;

	tally_terminal_size(browser->terminal, &rows, &columns);
	if (!ret)
		ret = browser_draw_view(browser, rows, columns);
	if (!ret)
		ret = browser_box_draw(&browser->box, &browser->canvas);
	if (!ret && browser->source->live)
		browser->source->live->shown(browser->source->arg);
	frame_copy(browser, browser->function, &browser->function_frame);
	frame_copy(browser, browser->pivot, &browser->pivot_frame);
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

/* ---- main loop ------------------------------------------------------------------------------- */

/* Handle at most KEYS_MAX typed keys, so that the screen is redrawn and other threads can take the
 * lock in between. The selection is updated between keys, because a key may depend on the effect of
 * the keys before it. */
static int keys_drain(struct browser *browser)
{
	enum { KEYS_MAX = 16 };
	uint32_t press;
	int ret = 0;

	lock(browser);
	for (int i = 0; i < KEYS_MAX && !ret && !browser->stop; i++) {
		press = tally_terminal_press(browser->terminal);
		if (press == TALLY_PRESS_NONE)
			break;
		if (browser_is_stale(browser))
			ret = draw_locked(browser);
		if (!ret)
			ret = browser_press(browser, press);
		/* While the user is typing into a prompt, the view does not change. */
		if (!ret && !browser->prompt.question)
			ret = draw_locked(browser);
	}
	unlock(browser);
	return ret;
}

/* Check whether a live profile has ended. */
static int check_end(struct browser *browser)
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

static int loop_once(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	struct pollfd polls[] = {{browser->signals, POLLIN, 0},
				 {STDIN_FILENO, POLLIN, 0},
				 {live ? live->wake : -1, POLLIN, 0}};
	uint64_t wakes;
	bool all;
	int ret = 0;

	/* Signal handlers, such as SIGTSTP's, may interrupt poll(). */
	if (poll(polls, TALLY_ARRAY_SIZE(polls), -1) < 0 && errno != EINTR)
		return -errno;
	if (polls[2].revents & POLLIN)
		(void)!read(live->wake, &wakes, sizeof(wakes));
	browser->redraw |= tally_browser_signals_drain(browser->signals, &browser->stop);
	if (polls[1].revents & POLLIN)
		ret = keys_drain(browser);
	/* A closed terminal stays readable and reports end of file forever. */
	if (polls[1].revents & ~POLLIN)
		browser->stop = true;
	if (!ret && !browser->stop)
		ret = check_end(browser);
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

	/* Set only the character set; numbers are formatted as in other output. */
	setlocale(LC_CTYPE, "");
	browser->canvas.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	ret = tally_terminal_open(tally_output_colours(), true, &browser->terminal);
	if (ret == -ENOTTY)
		tally_print_error(
			"the browser requires standard input and output to be a terminal");
	else if (ret == -ENODEV)
		tally_print_error("unknown terminal type '%s' (TERM)", kind ? kind : "");
	if (ret)
		tally_print_hint("use --stdio for text output");
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
	browser_chart_free(&browser->chart);
	browser_code_free(&browser->code);
	browser_filter_free(&browser->filter);
	browser_prompt_free(&browser->prompt);
	browser_box_free(&browser->box);
	tally_chains_free(&browser->chains);
	tally_selection_free(&browser->selection);
	browser_cache_free(&browser->kept);
	tally_canvas_free(&browser->canvas);
	tally_str_free(&browser->note);
	tally_str_free(&browser->health);
	tally_str_free(&browser->title_text);
	tally_str_free(&browser->note_text);
}

/* Compute the rows while the user is reading the first screen, because this is slow for a large
 * recording. */
static int prepare(struct browser *browser)
{
	struct pollfd typed = {STDIN_FILENO, POLLIN, 0};

	if (!browser->source->profile || browser->source->live || poll(&typed, 1, 0))
		return 0;
	return browser_table_build(&browser->table, browser);
}

/* Set the browser's initial state, and open a signalfd unless the source provides one. */
static int browser_start(struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	int ret = 0;

	browser->signals = source->live ? source->live->signals : tally_browser_signals_open();
	if (browser->signals < 0)
		return browser->signals;
	if (source->health)
		browser_health(browser);
	if (!source->profile)
		return 0;
	browser->table.first_sort = source->rows->sort;
	browser->table.by_callers = source->rows->show.order == TALLY_GRAPH_CALLEE;
	browser_filter_start(&browser->filter, source->profile);
	if (source->annotated)
		ret = browser_start_annotate(browser, source->annotated);
	if (ret)
		return ret;
	return source->query
		       ? browser_zoom(browser, BROWSER_ONLY_QUERY, source->query, source->query)
		       : 0;
}

int tally_browser_run(const struct tally_browser_source *source)
{
	struct browser browser = {
		.source = source,
		.event = source->first_event,
		.view = source->starts_with_rows ? &browser_rows : source->views[0],
		.function = TALLY_FRAME_NONE,
		.pivot = TALLY_FRAME_NONE,
		.here = TALLY_FRAME_NONE,
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
	if (!ret)
		ret = prepare(&browser);
	while (!ret && !browser.stop)
		ret = loop_once(&browser);
	tally_terminal_close(browser.terminal);
	browser.terminal = NULL;
	if (!ret && !source->live && source->profile)
		ret = browser_summary(&browser);
	if (ret && !source->live)
		tally_print_error("the browser failed: %s", strerror(-ret));
	browser_free(&browser);
	return ret;
}
