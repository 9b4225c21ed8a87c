/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys common to all views, and the code to switch views. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_view.h"
#include "profile/annotate/profile_annotate.h"

const struct browser_view *const tally_browser_views[] = {
	&browser_overview, &browser_rows, &browser_flame,  &browser_sandwich,
	&browser_annotate, &browser_time, &browser_stacks, NULL};
const struct browser_view *const tally_browser_live_views[] = {&browser_rows, &browser_flame,
							       &browser_sandwich, NULL};

void browser_set_message(struct browser *browser, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tally_str_clear(&browser->note);
	tally_str_add(&browser->note, text);
	tally_str_escape(&browser->note, 0);
}

/* Warn once if a callchain view can show only leaf functions. */
static void warn_no_callchains(struct browser *browser, const struct browser_view *view)
{
	bool is_of_chains = view == &browser_flame || view == &browser_sandwich;

	if (!is_of_chains || browser->told_no_callchains || browser_has_callchains(browser))
		return;
	browser->told_no_callchains = true;
	browser_set_message(browser, "%s", browser_no_callchains(browser));
}

void browser_switch_view(struct browser *browser, const struct browser_view *view, uint32_t pivot)
{
	struct browser_back *back = browser->back;

	warn_no_callchains(browser, view);
	if (browser->view == view && browser->pivot == pivot)
		return;
	if (browser->nr_back == BROWSER_BACK_MAX)
		memmove(&back[0], &back[1], --browser->nr_back * sizeof(back[0]));
	back[browser->nr_back++] =
		(struct browser_back){browser->view, browser->pivot, browser->pivot_frame};
	browser->view = view;
	browser->pivot = pivot;
	browser->has_moved = false;
}

void browser_set_function(struct browser *browser, uint32_t frame)
{
	browser->here = frame;
}

void browser_choose_function(struct browser *browser, uint32_t frame)
{
	if (frame != TALLY_FRAME_NONE)
		browser->function = frame;
}

/* Return true if a function has samples in the selection. */
static bool is_selected(const struct browser *browser, uint32_t function)
{
	tally_vec_for_each (row, &browser->lists.top.functions.rows) {
		if (row->total && browser->chains.functions[row->frame] == function)
			return true;
	}
	return false;
}

uint32_t browser_chosen_function(struct browser *browser)
{
	const struct tally_top_lists *lists = &browser->lists.top;

	if (browser_chains_build(browser) || browser_lists_build(&browser->lists, browser) ||
	    !lists->nr[TALLY_TOP_SELF] ||
	    (browser->function != TALLY_FRAME_NONE && is_selected(browser, browser->function)))
		return browser->function;
	return browser->chains.functions[tally_top_lists_row(lists, TALLY_TOP_SELF, 0)->frame];
}

int browser_switch_function(struct browser *browser, uint32_t frame)
{
	if (frame == TALLY_FRAME_NONE)
		return 0;
	browser->function = frame;
	browser->at_callers = false;
	browser_switch_view(browser, &browser_sandwich, frame);
	return 0;
}

int browser_zoom(struct browser *browser, enum browser_step_kind kind, const char *words,
		 const char *name)
{
	struct tally_error err = {0};
	int ret = browser_filter_push(&browser->filter, kind, words, name, &err);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		browser_set_message(browser, "'%s': %s (at %zu)", words, err.text ? err.text : "",
				    (size_t)err.offset);
		return 0;
	}
	browser->table.screen.cursor = 0;
	browser->is_stale = true;
	return 0;
}

void browser_add_term(struct tally_str *out, const char *field, const char *name)
{
	tally_str_addf(out, "%s:==\"", field);
	for (const char *at = name; *at; at++) {
		if (*at == '"' || *at == '\\')
			tally_str_add_char(out, '\\');
		tally_str_add_char(out, *at);
	}
	tally_str_add_char(out, '"');
}

int browser_zoom_name(struct browser *browser, enum browser_step_kind kind, const char *field,
		      const char *name)
{
	struct tally_str words = {0};
	int ret;

	browser_add_term(&words, field, name);
	ret = tally_str_error(&words) ? -ENOMEM
				      : browser_zoom(browser, kind, tally_str_text(&words), name);
	tally_str_free(&words);
	return ret;
}

int browser_zoom_number(struct browser *browser, enum browser_step_kind kind, const char *field,
			int64_t number)
{
	char words[64], name[32];

	snprintf(words, sizeof(words), "%s:%" PRId64, field, number);
	snprintf(name, sizeof(name), "%" PRId64, number);
	return browser_zoom(browser, kind, words, name);
}

int browser_toggle(struct browser *browser, bool *flag, const char *on, const char *off)
{
	*flag = !*flag;
	browser_set_message(browser, "%s", *flag ? on : off);
	browser_table_drop(&browser->table);
	return 0;
}

/* Return the reason why a query cannot work: the samples lack a field, so the query would match
 * either nothing or everything. */
static const char *missing_field_reason(const struct browser *browser, const char *text)
{
	static const struct {
		uint64_t field;
		const char *why;
	} fields[] = {
		{PERF_SAMPLE_CPU, "CPUs were not recorded: use record --sample-cpu"},
		{PERF_SAMPLE_TIME, "timestamps were not recorded, or this is a live profile"},
		{PERF_SAMPLE_TID, "threads were not recorded"},
	};
	const struct tally_browser_source *source = browser->source;
	struct tally_query *query;
	uint64_t needs;

	if (tally_query_parse(text, &query, NULL))
		return NULL; /* errors are reported where the query is used */
	needs = tally_query_needs(query) & ~source->fields(source->arg, browser->event);
	tally_query_free(query);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(fields); i++) {
		if (!(needs & fields[i].field))
			continue;
		if (source->live && fields[i].field != PERF_SAMPLE_TIME)
			return "rows are not sorted by thread or CPU: press o for another order";
		return fields[i].why;
	}
	return NULL;
}

static int answer_query(struct browser *browser, const char *text)
{
	const char *why = missing_field_reason(browser, text);

	if (!*text) {
		browser->is_stale |= browser_filter_drop(&browser->filter, BROWSER_ONLY_QUERY);
		return 0;
	}
	if (why) {
		browser_set_message(browser, "%s", why);
		return 0;
	}
	return browser_zoom(browser, BROWSER_ONLY_QUERY, text, text);
}

static int all_query(struct browser *browser)
{
	browser_prompt_open(&browser->prompt, "query (comm: sym: dso: tid: cpu: time:): ", NULL,
			    answer_query);
	browser->prompt.complete = browser_complete;
	return 0;
}

/* Undo the last filter step. If there are no steps, return to the previous view or function. */
static int all_escape(struct browser *browser)
{
	const struct browser_back *back;

	if (browser_filter_pop(&browser->filter)) {
		browser->is_stale = true;
		return 0;
	}
	if (!browser->nr_back)
		return 0;
	back = &browser->back[--browser->nr_back];
	browser->view = back->view;
	browser->pivot = browser_frame_refind(browser, back->pivot, &back->pivot_frame);
	browser->has_moved = false;
	if (browser->view->of_function)
		browser->function = browser->pivot;
	return 0;
}

static int all_event(struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	uint32_t event = browser->event;

	do {
		event = event + 1 < source->nr_events ? event + 1 : 0;
	} while (event != browser->event && !source->event(source->arg, event));
	if (event == browser->event)
		browser_set_message(browser, "there is no other event");
	browser->event = event;
	browser->table.screen.cursor = 0;
	browser->is_stale = true;
	return 0;
}

bool browser_function_at_cursor(struct browser *browser, uint32_t *ret_function)
{
	if (browser->has_moved && browser->here == TALLY_FRAME_NONE) {
		browser_set_message(browser, "%s", browser->view->no_function);
		return false;
	}
	*ret_function = browser_chosen_function(browser);
	/* The callchains may have been built after the cursor's function was set. */
	if (browser->has_moved && browser->has_chains)
		*ret_function = browser->chains.functions[browser->here];
	return true;
}

/* Annotate the function at the cursor. The key is the same as in perf. */
static int all_annotate(struct browser *browser)
{
	uint32_t function;

	if (!browser->source->annotate) {
		browser_set_message(browser, BROWSER_NO_CODE);
		return 0;
	}
	if (browser->view == &browser_annotate || !browser_function_at_cursor(browser, &function))
		return 0;
	if (browser->has_moved)
		browser_choose_function(browser, function);
	browser_switch_view(browser, &browser_annotate, browser_chosen_function(browser));
	return 0;
}

/* Return the heaviest function among those that match a word best, or TALLY_FRAME_NONE. `*ret_nr`
 * is the number of these functions. */
static uint32_t function_match(const struct browser *browser, const char *word, uint32_t *ret_nr)
{
	const struct tally_hist *hist = &browser->lists.top.functions;
	enum tally_symbol_match best = TALLY_MATCH_NONE, match;
	uint32_t found = TALLY_FRAME_NONE;
	uint64_t most = 0;
	uint32_t nr = 0;

	tally_vec_for_each (row, &hist->rows) {
		const struct tally_frame *frame =
			&browser->source->profile->frames.all.data[row->frame];

		match = frame->symbol && frame->dso
				? tally_symbol_match(frame->dso, frame->symbol, word)
				: TALLY_MATCH_NONE;
		if (match < best || match == TALLY_MATCH_NONE)
			continue;
		nr = match > best ? 1 : nr + 1;
		if (match == best && row->self <= most)
			continue;
		best = match;
		most = row->self;
		found = browser->chains.functions[row->frame];
	}
	*ret_nr = nr;
	return found;
}

int browser_start_annotate(struct browser *browser, const char *word)
{
	uint32_t nr = 0;
	int ret = browser_select(browser);

	if (!ret)
		ret = browser_chains_build(browser);
	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	if (ret)
		return ret;
	if (*word)
		browser_choose_function(browser, function_match(browser, word, &nr));
	if (*word && browser->function == TALLY_FRAME_NONE)
		browser_set_message(browser, "no samples in a function with '%s' in its name",
				    word);
	else
		browser_switch_view(browser, &browser_annotate, browser_chosen_function(browser));
	if (nr > 1)
		browser_set_message(browser,
				    "%" PRIu32 " functions match '%s': the heaviest is shown", nr,
				    word);
	return 0;
}

static int all_redraw(struct browser *browser)
{
	browser->redraw = true;
	return 0;
}

/* Change what the shares of a filter are relative to. */
static int all_whole(struct browser *browser)
{
	if (!browser_is_partial(browser)) {
		browser_set_message(browser, "shares are of all samples: nothing is filtered");
		return 0;
	}
	browser->is_absolute = !browser->is_absolute;
	browser_table_drop(&browser->table);
	return 0;
}

static int all_quit(struct browser *browser)
{
	browser->stop = true;
	return 0;
}

unsigned browser_has(const struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;
	unsigned has = 0;

	has |= source->profile ? BROWSER_HAS_PROFILE : 0;
	has |= source->health ? BROWSER_HAS_HEALTH : 0;
	has |= source->profile && !source->live ? BROWSER_HAS_STACKS : 0;
	for (size_t i = 0; source->views[i]; i++)
		has |= source->views[i] == &browser_annotate ? BROWSER_HAS_ANNOTATE : 0;
	return has;
}

/* Keys that depend on the source. */
static const struct {
	unsigned needs;
	struct browser_key key;
} source_keys[] = {
	{BROWSER_HAS_PROFILE, {':', all_query}},
	{BROWSER_HAS_PROFILE, {'F', all_whole}},
	{BROWSER_HAS_STACKS, {'I', browser_fold_inlined}},
	{BROWSER_HAS_STACKS, {'m', browser_fold_foreign}},
	{BROWSER_HAS_STACKS, {'M', browser_merge}},
	{BROWSER_HAS_STACKS, {'D', browser_drop}},
	{BROWSER_HAS_ANNOTATE, {'a', all_annotate}},
	{BROWSER_HAS_HEALTH, {'i', browser_show_health}},
};

static const struct browser_key all_keys[] = {
	{TALLY_PRESS_ESCAPE, all_escape},
	{TALLY_PRESS_TAB, all_event},
	{'h', browser_show_help},
	{'?', browser_show_help},
	{TALLY_PRESS_HELP, browser_show_help},
	{'w', browser_show_names},
	{'P', browser_save},
	{'L' - '@', all_redraw},
	{'q', all_quit},
	{'Q', all_quit},
};

static const struct browser_key *key_find(const struct browser_key *keys, size_t nr, uint32_t press)
{
	for (size_t i = 0; i < nr; i++) {
		if (keys[i].press == press)
			return &keys[i];
	}
	return NULL;
}

static const struct browser_key *source_key_find(const struct browser *browser, uint32_t press)
{
	unsigned has = browser_has(browser);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(source_keys); i++) {
		if (source_keys[i].key.press == press && has & source_keys[i].needs)
			return &source_keys[i].key;
	}
	return NULL;
}

static bool go_by_key(struct browser *browser, uint32_t press)
{
	for (size_t i = 0; browser->source->views[i]; i++) {
		const struct browser_view *view = browser->source->views[i];
		bool takes_function = view->of_function && !browser->view->of_function;

		if (view->press != press)
			continue;
		browser_switch_view(browser, view,
				    takes_function ? browser_chosen_function(browser)
						   : browser->pivot);
		return true;
	}
	return false;
}

/* Explain why a view that exists for recordings is missing. */
static void explain_missing(struct browser *browser, uint32_t press)
{
	for (size_t i = 0; tally_browser_views[i]; i++) {
		const struct browser_view *view = tally_browser_views[i];

		if (view->press == press || (press == 'a' && view == &browser_annotate))
			browser_set_message(browser,
					    "%s: only for recordings: use tally profile -o FILE",
					    view->name);
	}
}

/* Move a cursor if the key is a cursor key. Return false for other keys. */
static bool cursor_press(const struct browser_cursor *cursor, uint32_t press)
{
	size_t at = *cursor->at, last = cursor->nr ? cursor->nr - 1 : 0;

	switch (press) {
	case TALLY_PRESS_UP: at -= at > 0; break;
	case TALLY_PRESS_DOWN: at++; break;
	case TALLY_PRESS_PAGE_UP: at -= TALLY_MIN(at, cursor->page); break;
	case ' ':
	case TALLY_PRESS_PAGE_DOWN: at += cursor->page; break;
	case TALLY_PRESS_HOME: at = 0; break;
	case TALLY_PRESS_LAST: at = last; break;
	default: return false;
	}
	*cursor->at = TALLY_MIN(at, last);
	return true;
}

/* Pass a key to the view's cursor, if there is one. */
static bool view_cursor_press(struct browser *browser, uint32_t press)
{
	struct browser_cursor cursor;

	if (!browser->view->cursor)
		return false;
	cursor = browser->view->cursor(browser);
	if (!cursor_press(&cursor, press))
		return false;
	browser->has_moved = true;
	return true;
}

/* Return the key for the word that was clicked in the key bar. */
static uint32_t bar_press(const struct browser *browser, struct tally_mouse mouse)
{
	static const struct {
		const char *name;
		uint32_t press;
	} keys[] = {{"Enter ", TALLY_PRESS_ENTER}, {"Esc ", TALLY_PRESS_ESCAPE}, {"Space ", ' '}};
	const char *word;

	if (mouse.act != TALLY_MOUSE_DOWN || mouse.row != browser->canvas.rows - 1)
		return TALLY_PRESS_NONE;
	word = tally_panel_bar_at(browser->view->bar, browser->canvas.columns, mouse.column);
	for (size_t i = 0; word && i < TALLY_ARRAY_SIZE(keys); i++) {
		if (!strncmp(word, keys[i].name, strlen(keys[i].name)))
			return keys[i].press;
	}
	return word && word[1] == ' ' ? (uint32_t)(unsigned char)*word : TALLY_PRESS_NONE;
}

/* Translate a mouse event in a box to a key: the wheel scrolls, a click closes the box. */
static uint32_t box_key(struct tally_mouse mouse)
{
	if (mouse.act == TALLY_MOUSE_WHEEL_UP)
		return TALLY_PRESS_UP;
	return mouse.act == TALLY_MOUSE_WHEEL_DOWN ? TALLY_PRESS_DOWN : TALLY_PRESS_OTHER;
}

/* Handle a mouse event. Button releases are ignored, so a box that the click opened stays open. */
static int press_mouse(struct browser *browser)
{
	struct tally_mouse mouse = tally_terminal_mouse(browser->terminal);
	bool goes_down = mouse.act != TALLY_MOUSE_NONE && mouse.act != TALLY_MOUSE_UP;
	uint32_t press = bar_press(browser, mouse);

	if (goes_down) {
		tally_str_clear(&browser->note);
		if (browser_box_press(&browser->box, box_key(mouse)))
			return 0;
	}
	if (press != TALLY_PRESS_NONE)
		return browser_press(browser, press);
	if ((mouse.act == TALLY_MOUSE_WHEEL_UP && view_cursor_press(browser, TALLY_PRESS_UP)) ||
	    (mouse.act == TALLY_MOUSE_WHEEL_DOWN && view_cursor_press(browser, TALLY_PRESS_DOWN)))
		return 0;
	browser->has_moved |= goes_down;
	return browser->view->mouse ? browser->view->mouse(browser, mouse) : 0;
}

/* Return true if a key of a view moves its cursor: an arrow, or the search for the next match. */
static bool moves_cursor(uint32_t press)
{
	return press == TALLY_PRESS_UP || press == TALLY_PRESS_DOWN || press == TALLY_PRESS_LEFT ||
	       press == TALLY_PRESS_RIGHT || press == TALLY_PRESS_HOME ||
	       press == TALLY_PRESS_ENTER || press == 'n';
}

int browser_press(struct browser *browser, uint32_t press)
{
	const struct tally_browser_live *live = browser->source->live;
	const struct browser_view *view = browser->view;
	const struct browser_key *key;

	if (press == TALLY_PRESS_RESIZED)
		return all_redraw(browser);
	if (press == TALLY_PRESS_MOUSE)
		return press_mouse(browser);
	tally_str_clear(&browser->note);
	if (browser_box_press(&browser->box, press))
		return 0;
	if (browser->prompt.question)
		return browser_prompt_press(&browser->prompt, browser, press);
	if (view_cursor_press(browser, press))
		return 0;
	key = live ? key_find(live->keys, live->nr_keys, press) : NULL;
	if (!key) {
		key = key_find(view->keys, view->nr_keys, press);
		browser->has_moved |= key && moves_cursor(press);
	}
	if (!key)
		key = source_key_find(browser, press);
	if (!key)
		key = key_find(all_keys, TALLY_ARRAY_SIZE(all_keys), press);
	if (key)
		return key->act(browser);
	if (!go_by_key(browser, press))
		explain_missing(browser, press);
	return 0;
}
