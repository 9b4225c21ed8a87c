/* SPDX-License-Identifier: BSD-2-Clause */
/* The annotate view: a function's instructions and source lines, with costs, jumps, loops and
 * calls. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/path.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"
#include "view/annotate_view.h"
#include "view/shorten.h"
#include "profile/frame_text.h"
#include "symbols/short_name.h"

enum { SHARE = 8, GAP = 1, ADDRESS = 8, NUMBER = 6, LANE = 1 };

/* ---- drawing ----------------------------------------------------------------------------- */

static void put_share(struct browser *browser, uint64_t part, uint64_t whole, int row, int column)
{
	struct tally_str text = {0};
	enum tally_ink ink = part >= whole / 20    ? TALLY_INK_HOT
			     : part >= whole / 200 ? TALLY_INK_WARM
						   : TALLY_INK_PLAIN;

	if (!part || !whole)
		return;
	tally_view_percent(part, whole, &text);
	tally_canvas_draw(&browser->canvas, row, column + SHARE - 1 - (int)text.len, SHARE,
			  tally_str_text(&text), ink);
	tally_str_free(&text);
}

/* Draw the jumps next to an instruction; the innermost lane is the rightmost. */
static void put_lanes(struct browser *browser, uint32_t insn, int row, int column)
{
	static const char *const fine[] = {" ", "\xe2\x94\x8c", "\xe2\x94\x82", "\xe2\x94\x94"};
	static const char *const plain[] = {" ", "+", "|", "+"};
	const struct browser_code *code = &browser->code;
	const uint8_t *lanes = &code->lanes[(size_t)insn * BROWSER_LANES];
	bool is_ascii = browser->canvas.is_ascii, is_joined = false;

	for (int lane = BROWSER_LANES - 1; lane >= 0; lane--) {
		int at = column + (BROWSER_LANES - 1 - lane) * LANE;
		int part = lanes[lane] & ~BROWSER_LANE_ARROW;
		const char *text = is_ascii ? plain[part] : fine[part];

		if (is_joined && part != BROWSER_LANE_ALONG)
			text = is_ascii ? "-" : "\xe2\x94\x80";
		is_joined |= part == BROWSER_LANE_TOP || part == BROWSER_LANE_BOTTOM;
		tally_canvas_draw(&browser->canvas, row, at, 1, text, TALLY_INK_KEY);
		if (lanes[lane] & BROWSER_LANE_ARROW)
			tally_canvas_draw(&browser->canvas, row, column + BROWSER_LANES * LANE, 1,
					  ">", TALLY_INK_KEY);
	}
}

/* Append an instruction, such as "call malloc" or "jne <main+0x12>". */
static void add_insn(const struct browser_code *code, const struct tally_annotation_insn *insn,
		     struct tally_str *out)
{
	const struct tally_annotation *annotation = &code->annotation;
	size_t start = out->len;

	tally_str_addf(out, "%-7s %s", tally_annotation_text(annotation, insn->mnemonic),
		       tally_annotation_text(annotation, insn->operands));
	if (insn->has_reference && insn->target_name)
		tally_str_add(out, "  # ");
	if (insn->target_insn)
		tally_str_addf(out, "+0x%" PRIx64, insn->target - annotation->insns.data[0].linked);
	else if (insn->has_target && !insn->target_name)
		tally_str_addf(out, "%" PRIx64, insn->target);
	else if (insn->target_name)
		tally_str_add(out, insn->target_name);
	if (insn->target_name && !insn->target_insn && insn->target_offset)
		tally_str_addf(out, "+0x%" PRIx32, insn->target_offset);
	tally_str_escape(out, start);
}

/* Return what global shares are relative to. */
static struct tally_annotate_cost cost_of_all(const struct browser *browser)
{
	uint64_t whole = browser_whole(browser);
	uint64_t nr = whole == browser->total
			      ? browser->source->profile->totals.data[browser->event].nr
			      : browser->selection.nr;

	return (struct tally_annotate_cost){nr, whole, nr, whole};
}

static struct tally_annotate_cost code_sum(const struct browser *browser)
{
	const struct browser_code *code = &browser->code;

	return tally_annotation_sum(&code->annotation, code->samples, browser->event);
}

/* Return true if the column with callees is shown: if requested, or if there is nothing else. */
static bool shows_totals(const struct browser *browser)
{
	return browser_has_callchains(browser) &&
	       (browser->code.has_totals || !code_sum(browser).nr);
}

/* Return what the shares are relative to: the same as in the text of tally annotate. */
static uint64_t shares_whole(const struct browser *browser)
{
	const struct browser_code *code = &browser->code;
	struct tally_annotate_view view = {
		.annotate = code->samples,
		.annotation = &code->annotation,
		.by_hits = code->by_hits,
		.has_totals = shows_totals(browser),
	};
	struct tally_annotate_cost all = cost_of_all(browser);

	if (code->is_global)
		return code->by_hits ? all.nr : all.weight;
	return tally_annotate_view_whole(&view, browser->event, false);
}

static void draw_insn(struct browser *browser, const struct browser_code_line *line, int row)
{
	const struct browser_code *code = &browser->code;
	const struct tally_annotation_insn *insn = &code->annotation.insns.data[line->insn];
	struct tally_annotate_cost cost =
		tally_annotation_cost(&code->annotation, insn, browser->event);
	bool is_call = insn->kind == TALLY_INSTRUCTION_CALL, by_hits = code->by_hits;
	bool has_total = shows_totals(browser) && (is_call || cost.total_weight > cost.weight);
	uint64_t whole = shares_whole(browser);
	int at = 2 * SHARE + GAP;
	struct tally_str text = {0};

	put_share(browser, by_hits ? cost.nr : cost.weight, whole, row, 0);
	if (has_total)
		put_share(browser, by_hits ? cost.total_nr : cost.total_weight, whole, row, SHARE);
	tally_str_addf(&text, "%*" PRIx64, ADDRESS, insn->linked);
	tally_canvas_draw(&browser->canvas, row, at, ADDRESS + 8, tally_str_text(&text),
			  TALLY_INK_DIM);
	at += TALLY_MAX((int)text.len, (int)ADDRESS) + GAP;
	put_lanes(browser, line->insn, row, at);
	at += BROWSER_LANES * LANE + 1 + GAP;
	tally_str_clear(&text);
	add_insn(code, insn, &text);
	tally_canvas_draw(&browser->canvas, row, at, browser->canvas.columns - at,
			  tally_str_text(&text), is_call ? TALLY_INK_HEADING : TALLY_INK_PLAIN);
	tally_str_free(&text);
}

/* Draw a source line or, if the source is not available, the file name and line number. */
static void draw_source(struct browser *browser, const struct browser_code_line *line, int row)
{
	struct tally_str text = {0};
	const char *source;
	size_t len, start;
	int at = 2 * SHARE + GAP;

	tally_str_addf(&text, "%*" PRIu32 " ", NUMBER, line->source);
	start = text.len;
	if (!tally_source_texts_get(browser->code.texts, line->line->file, line->source, &source,
				    &len))
		tally_str_add_bytes(&text, source, TALLY_MIN(len, (size_t)1000));
	else
		tally_str_addf(&text, "%s:%" PRIu32, tally_path_name(line->line->file),
			       line->source);
	for (size_t i = start; i < text.len; i++)
		text.data[i] = text.data[i] == '\t' ? ' ' : text.data[i];
	tally_str_escape(&text, start);
	tally_canvas_draw(&browser->canvas, row, at, browser->canvas.columns - at,
			  tally_str_text(&text), TALLY_INK_NOTE);
	tally_str_free(&text);
}

static void code_scroll(struct browser *browser, size_t rows)
{
	struct browser_code *code = &browser->code;

	if (code->cursor >= code->lines.len)
		code->cursor = code->lines.len ? code->lines.len - 1 : 0;
	code->first = TALLY_MIN(code->first, code->cursor);
	if (code->cursor >= code->first + rows)
		code->first = code->cursor - rows + 1;
	code->first = TALLY_MIN(code->first, code->lines.len > rows ? code->lines.len - rows : 0);
}

static void add_name(const char *name, struct tally_str *out)
{
	size_t start = out->len;

	(void)tally_short_name(out, name, strlen(name)); /* `out` records a failure */
	tally_str_escape(out, start);
}

static void draw_heading(struct browser *browser)
{
	const struct browser_code *code = &browser->code;
	const char *all = browser_whole(browser) == browser->total ? "all" : "the selection";
	struct tally_annotate_cost sum = code_sum(browser);
	const struct tally_profile *profile = browser->source->profile;
	bool has_totals = shows_totals(browser);
	struct tally_str text = {0};

	tally_str_add(&text, has_totals ? "    Self   Total  " : "    Self          ");
	tally_flame_name(profile, code->function,
			 (size_t)TALLY_MAX(browser->canvas.columns - 64, 12),
			 tally_canvas_mark(&browser->canvas), &text);
	if (code->annotation.inlined) {
		tally_str_add(&text, ", inlined in ");
		add_name(code->annotation.name, &text);
	}
	if (has_totals)
		sum = (struct tally_annotate_cost){sum.total_nr, sum.total_weight};
	tally_str_addf(&text, "  %" PRIu64 " sample%s%s, ", sum.nr, tally_plural(sum.nr),
		       has_totals ? " with callees" : "");
	tally_view_percent(sum.weight, browser_whole(browser), &text);
	tally_str_addf(&text, " of %s; %% of %s", all, code->is_global ? all : "these");
	tally_canvas_fill(&browser->canvas, browser->room.top, 0, browser->canvas.columns,
			  TALLY_INK_HEADING);
	tally_canvas_draw(&browser->canvas, browser->room.top, 0, browser->canvas.columns,
			  tally_str_text(&text), TALLY_INK_HEADING);
	tally_str_free(&text);
}

static int annotate_draw(struct browser *browser, struct tally_str *where)
{
	struct browser_code *code = &browser->code;
	int top = browser->room.top + 1;
	size_t rows = (size_t)TALLY_MAX(browser->room.bottom - top, 1);
	int ret = browser_code_build(code, browser);

	if (ret)
		return ret;
	if (!code->lines.len) {
		browser_draw_text(browser,
				  code->why.len ? tally_str_text(&code->why) : "no instructions");
		return 0;
	}
	draw_heading(browser);
	code_scroll(browser, rows);
	for (size_t i = code->first; i < TALLY_MIN(code->first + rows, code->lines.len); i++) {
		const struct browser_code_line *line = &code->lines.data[i];
		int row = top + (int)(i - code->first);

		if (line->source)
			draw_source(browser, line, row);
		else
			draw_insn(browser, line, row);
		if (i == code->cursor)
			tally_canvas_select(&browser->canvas, row);
	}
	tally_str_addf(where, "%s %s  %zu/%zu", code->is_global ? "global" : "local",
		       code->by_hits ? "hits" : "period", code->cursor + 1, code->lines.len);
	return 0;
}

/* ---- keys -------------------------------------------------------------------------------- */

static struct browser_cursor annotate_cursor(struct browser *browser)
{
	int rows = browser->room.bottom - browser->room.top - 1;

	return (struct browser_cursor){&browser->code.cursor, browser->code.lines.len,
				       (size_t)TALLY_MAX(rows, 1)};
}

static void go_to_insn(struct browser_code *code, uint32_t insn)
{
	for (size_t i = 0; i < code->lines.len; i++) {
		if (code->lines.data[i].insn == insn && !code->lines.data[i].source)
			code->cursor = i;
	}
}

/* Find the called function by name among the functions that have samples. Prefer a function in the
 * caller's file. */
static uint32_t callee_find(const struct browser *browser, const char *name)
{
	const struct tally_frames *frames = &browser->source->profile->frames;
	const struct tally_dso *here = browser->code.annotation.function->dso;
	uint32_t other = TALLY_FRAME_NONE;

	for (uint32_t i = 0; i < frames->all.len; i++) {
		const struct tally_frame *frame = &frames->all.data[i];

		if (!frame->symbol || tally_symbol_is_inlined(frame->dso, frame->symbol) ||
		    strcmp(tally_symbol_name(frame->dso, frame->symbol), name) != 0)
			continue;
		if (frame->dso == here)
			return i;
		other = other == TALLY_FRAME_NONE ? i : other;
	}
	return other;
}

/* Follow a jump or call. */
static int annotate_enter(struct browser *browser)
{
	struct browser_code *code = &browser->code;
	const struct tally_annotation_insn *insn;
	uint32_t callee;

	if (code->cursor >= code->lines.len)
		return 0;
	insn = &code->annotation.insns.data[code->lines.data[code->cursor].insn];
	if (insn->target_insn) {
		go_to_insn(code, insn->target_insn - 1);
		return 0;
	}
	callee = insn->target_name ? callee_find(browser, insn->target_name) : TALLY_FRAME_NONE;
	if (callee == TALLY_FRAME_NONE) {
		browser_set_message(browser, insn->target_name ? "no samples in this function"
					     : insn->has_target
						     ? "the target has no symbol"
						     : "this is not a jump or direct call");
		return 0;
	}
	browser->function = callee;
	browser_switch_view(browser, &browser_annotate, callee);
	return 0;
}

static int by_cost(const struct browser *browser, size_t line, uint64_t *ret_cost)
{
	const struct browser_code *code = &browser->code;
	const struct browser_code_line *at = &code->lines.data[line];

	*ret_cost = tally_annotation_cost(&code->annotation, &code->annotation.insns.data[at->insn],
					  browser->event)
			    .weight;
	return !at->source && *ret_cost;
}

/* Go to the next heaviest instruction, wrapping around from the lightest to the heaviest. */
static int annotate_hot(struct browser *browser)
{
	struct browser_code *code = &browser->code;
	uint64_t here = 0, cost, next = 0, most = 0;
	size_t next_at = code->cursor, most_at = code->cursor;

	if (!code->lines.len || !by_cost(browser, code->cursor, &here))
		here = 0;
	for (size_t i = 0; i < code->lines.len; i++) {
		if (!by_cost(browser, i, &cost) || i == code->cursor)
			continue;
		if ((cost < here || (cost == here && i > code->cursor)) && cost > next) {
			next = cost;
			next_at = i;
		}
		if (cost > most) {
			most = cost;
			most_at = i;
		}
	}
	code->cursor = here && next ? next_at : most_at;
	return 0;
}

static int annotate_source(struct browser *browser)
{
	struct browser_code *code = &browser->code;
	uint32_t insn = code->cursor < code->lines.len ? code->lines.data[code->cursor].insn : 0;
	int ret;

	code->hides_source = !code->hides_source;
	ret = browser_code_lines(code);
	go_to_insn(code, insn);
	return ret;
}

/* Append an instruction or a source line, escaped. */
static void line_text(const struct browser_code *code, const struct browser_code_line *line,
		      struct tally_str *out)
{
	const char *source;
	size_t len, start = out->len;

	if (!line->source)
		add_insn(code, &code->annotation.insns.data[line->insn], out);
	else if (!tally_source_texts_get(code->texts, line->line->file, line->source, &source,
					 &len)) {
		tally_str_add_bytes(out, source, len);
		for (size_t i = start; i < out->len; i++)
			out->data[i] = out->data[i] == '\t' ? ' ' : out->data[i];
		tally_str_escape(out, start);
	}
}

/* Toggle between samples and periods. "hits", "period", "global" and "local" are perf's terms. */
static int annotate_hits(struct browser *browser)
{
	browser->code.by_hits = !browser->code.by_hits;
	browser_set_message(browser, browser->code.by_hits ? "percentages of samples (hits)"
							   : "percentages of periods (period)");
	return 0;
}

static int annotate_global(struct browser *browser)
{
	browser->code.is_global = !browser->code.is_global;
	browser_set_message(browser, browser->code.is_global
					     ? "percentages of all samples (global)"
					     : "percentages of this function (local)");
	return 0;
}

static int annotate_totals(struct browser *browser)
{
	if (!browser_has_callchains(browser)) {
		browser_set_message(browser,
				    "there are no callchains: use record --call-graph auto");
		return 0;
	}
	browser->code.has_totals = !browser->code.has_totals;
	browser_set_message(browser, browser->code.has_totals
					     ? "with the total cost of calls (--total)"
					     : "self costs");
	return 0;
}

static bool line_has(const struct browser_code *code, const struct browser_code_line *line,
		     const char *text)
{
	struct tally_str shown = {0};
	bool has;

	line_text(code, line, &shown);
	has = strcasestr(tally_str_text(&shown), text) != NULL;
	tally_str_free(&shown);
	return has;
}

static void annotate_whole(const struct browser *browser, struct tally_str *out)
{
	const struct browser_code *code = &browser->code;

	if (code->cursor < code->lines.len) {
		line_text(code, &code->lines.data[code->cursor], out);
		tally_str_add_char(out, '\n');
	}
	browser_names_add_frame(browser, browser->pivot, out);
}

static int annotate_next(struct browser *browser)
{
	struct browser_code *code = &browser->code;
	const char *text = tally_str_text(&code->search);

	for (size_t i = 1; *text && i <= code->lines.len; i++) {
		size_t at = (code->cursor + i) % code->lines.len;

		if (line_has(code, &code->lines.data[at], text)) {
			code->cursor = at;
			return 0;
		}
	}
	browser_set_message(browser, *text ? "no matching line" : "no search text: press /");
	return 0;
}

static int answer_line(struct browser *browser, const char *text)
{
	tally_str_clear(&browser->code.search);
	tally_str_add(&browser->code.search, text);
	return annotate_next(browser);
}

static int annotate_search(struct browser *browser)
{
	browser_prompt_open(&browser->prompt, "find line: ", NULL, answer_line);
	return 0;
}

static int annotate_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct browser_code *code = &browser->code;
	size_t to = code->first + (size_t)(mouse.row - browser->room.top - 1);

	if (mouse.act != TALLY_MOUSE_DOWN || mouse.row <= browser->room.top ||
	    mouse.row >= browser->room.bottom || to >= code->lines.len)
		return 0;
	if (to == code->cursor)
		return annotate_enter(browser);
	code->cursor = to;
	return 0;
}

static const struct browser_key annotate_keys[] = {
	{TALLY_PRESS_ENTER, annotate_enter},
	{'H', annotate_hot},
	{'s', annotate_source},
	{'b', annotate_hits},
	{'p', annotate_global},
	{'t', annotate_totals},
	{'/', annotate_search},
	{'n', annotate_next},
};

static const char *const annotate_help[] = {
	"Enter      follow a jump, or show the called function",
	"H          go to the heaviest instruction, then to the next heaviest",
	"s          show or hide source     / n  find a line, find next",
	"b p        percentages: period or hits; local (of the function) or global",
	"t          also show the cost of calls (total); both are then percent of the total",
	"Self       includes functions inlined in this one; flame graphs show them separately",
};

const struct browser_view browser_annotate = {
	.name = "annotate",
	.press = '5',
	.bar = "h Help|Enter Follow|H Heaviest|s Source|/ Search|Esc Back|4 Callers|q Quit",
	.help = annotate_help,
	.nr_help = TALLY_ARRAY_SIZE(annotate_help),
	.keys = annotate_keys,
	.nr_keys = TALLY_ARRAY_SIZE(annotate_keys),
	.draw = annotate_draw,
	.mouse = annotate_mouse,
	.whole = annotate_whole,
	.cursor = annotate_cursor,
	.of_function = true,
};
