/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/browser_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_state.h"
#include "profile/frame_text.h"

/* Maximum length of a jump that is drawn, and a limit on the total work for placing all jumps. */
enum { JUMP_MAX = 2000, STEPS_MAX = 4 << 20 };

void browser_code_free(struct browser_code *code)
{
	tally_annotation_free(&code->annotation);
	tally_annotate_free(code->samples);
	tally_annotation_codes_free(code->codes);
	tally_source_texts_free(code->texts);
	tally_vec_free(&code->lines);
	free(code->lanes);
	tally_str_free(&code->why);
	tally_str_free(&code->search);
	*code = (struct browser_code){.hides_source = code->hides_source,
				      .by_hits = code->by_hits,
				      .is_global = code->is_global,
				      .has_totals = code->has_totals};
}

/* ---- jumps ------------------------------------------------------------------------------- */

/* A jump, from its upper to its lower end. */
struct jump {
	uint32_t top, bottom;
	bool is_up; /* the target is the upper end, as in a loop */
};

static int by_length(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;
	uint32_t i = x->bottom - x->top, j = y->bottom - y->top;

	if (i != j)
		return i < j ? -1 : 1;
	return (x->top > y->top) - (x->top < y->top);
}

static bool lane_is_free(const struct browser_code *code, const struct jump *jump, int lane)
{
	for (uint32_t i = jump->top; i <= jump->bottom; i++) {
		if (code->lanes[(size_t)i * BROWSER_LANES + (size_t)lane])
			return false;
	}
	return true;
}

static void lane_draw(struct browser_code *code, const struct jump *jump, int lane)
{
	uint8_t *lanes = code->lanes + lane;

	for (uint32_t i = jump->top + 1; i < jump->bottom; i++)
		lanes[(size_t)i * BROWSER_LANES] = BROWSER_LANE_ALONG;
	lanes[(size_t)jump->top * BROWSER_LANES] =
		(uint8_t)(BROWSER_LANE_TOP | (jump->is_up ? BROWSER_LANE_ARROW : 0));
	lanes[(size_t)jump->bottom * BROWSER_LANES] =
		(uint8_t)(BROWSER_LANE_BOTTOM | (jump->is_up ? 0 : BROWSER_LANE_ARROW));
}

/* Assign lanes to jumps. Short jumps are placed first and get the innermost free lane. Jumps
 * without a free lane, and very long ones, are not drawn. */
static void lanes_fill(struct browser_code *code, const struct jump *jumps, size_t nr)
{
	size_t steps = 0;

	for (size_t i = 0; i < nr && steps < STEPS_MAX; i++) {
		for (int lane = 0; lane < BROWSER_LANES; lane++) {
			steps += jumps[i].bottom - jumps[i].top;
			if (!lane_is_free(code, &jumps[i], lane))
				continue;
			lane_draw(code, &jumps[i], lane);
			break;
		}
	}
}

static int lanes_make(struct browser_code *code)
{
	const struct tally_annotation *annotation = &code->annotation;
	TALLY_VEC(struct jump) jumps = {0};
	int ret = 0;

	code->lanes = calloc(annotation->insns.len + 1, BROWSER_LANES);
	if (!code->lanes)
		return -ENOMEM;
	for (uint32_t i = 0; i < annotation->insns.len && !ret; i++) {
		uint32_t to = annotation->insns.data[i].target_insn;
		struct jump jump = {i, to - 1, false};

		if (!to || to - 1 == i)
			continue;
		if (to - 1 < i)
			jump = (struct jump){to - 1, i, true};
		if (jump.bottom - jump.top <= JUMP_MAX)
			ret = tally_vec_push(&jumps, jump);
	}
	if (!ret && jumps.len) {
		qsort(jumps.data, jumps.len, sizeof(*jumps.data), by_length);
		lanes_fill(code, jumps.data, jumps.len);
	}
	tally_vec_free(&jumps);
	return ret;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Return the source line of an instruction if it differs from the previous instruction's. */
static const struct tally_line *line_begun(const struct tally_annotation_insn *insn,
					   const struct tally_annotation_insn *before)
{
	const struct tally_line *line = insn->nr_lines ? &insn->lines[0] : NULL;
	const struct tally_line *last = before && before->nr_lines ? &before->lines[0] : NULL;

	if (!line || !line->file || !line->line)
		return NULL;
	return last && last->line == line->line && last->file && !strcmp(last->file, line->file)
		       ? NULL
		       : line;
}

int browser_code_lines(struct browser_code *code)
{
	const struct tally_annotation_insn *insns = code->annotation.insns.data;
	int ret = 0;

	code->lines.len = 0;
	for (uint32_t i = 0; i < code->annotation.insns.len && !ret; i++) {
		const struct tally_line *line = line_begun(&insns[i], i ? &insns[i - 1] : NULL);

		if (line && !code->hides_source)
			ret = tally_vec_push(&code->lines,
					     (struct browser_code_line){i, line->line, line});
		if (!ret)
			ret = tally_vec_push(&code->lines, (struct browser_code_line){i, 0, NULL});
	}
	return ret;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* If an inlined function was requested, keep only the costs of its instructions. */
static int keep_requested(struct browser_code *code, const struct browser *browser)
{
	const struct tally_frame *of = &browser->source->profile->frames.all.data[browser->pivot];

	return tally_frame_is_inlined(of)
		       ? tally_annotation_keep_inlined(&code->annotation,
						       tally_symbol_name(of->dso, of->symbol))
		       : 0;
}

/* Read a function's code. Return 0; -ENOMEM; or 1 with the reason in `why`. */
static int code_open(struct browser_code *code, struct browser *browser,
		     const struct tally_frame *frame)
{
	const struct tally_source_options source = {.symfs = browser->source->symfs};
	const struct tally_annotation_options options = {0};
	const struct tally_annotate_function *function;
	int ret = browser->source->annotate(browser->source->arg, browser, frame, &code->samples);

	if (ret && ret != -ENOMEM) {
		tally_str_add(&code->why, "cannot read the recording again");
		return 1;
	}
	if (!ret)
		ret = tally_annotation_codes_new(false, &code->codes);
	if (!ret)
		ret = tally_source_texts_new(&source, &code->texts);
	if (ret)
		return ret;
	function = tally_annotate_find(code->samples, frame->dso, frame->symbol);
	if (!function) {
		tally_str_add(&code->why, "no selected sample is in this function: ");
		tally_str_add_escaped(&code->why, tally_symbol_name(frame->dso, frame->symbol));
		if (browser->source->nr_events > 1)
			tally_str_add(&code->why, "\nTab goes to the next event\n");
		return 1;
	}
	ret = tally_annotation_build(code->codes, code->samples, function, &options,
				     &code->annotation);
	if (!ret)
		ret = keep_requested(code, browser);
	if (!ret || ret == -ENOMEM)
		return ret;
	tally_annotation_explain(frame->dso, ret, &code->why);
	return 1;
}

/* Explain that a frame has no symbol, and name its file. */
static void add_nameless(const struct tally_frame *frame, struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, "the start of this function is unknown, because it has no symbol: ");
	tally_str_add(out, frame->dso ? tally_dso_name(frame->dso) : "not in any file");
	tally_str_escape(out, start);
}

/* Append the reason if the frame obviously has no instructions. */
static void add_why_not(const struct browser *browser, const struct tally_frame *frame,
			struct tally_str *out)
{
	if (!browser->source->annotate)
		tally_str_add(out, BROWSER_NO_CODE);
	else if (!frame)
		tally_str_add(out,
			      "no function is selected: press 2 for rows, then a to annotate one");
	else if (!frame->symbol || !frame->dso)
		add_nameless(frame, out);
}

/* Place the cursor on the heaviest instruction. */
static void cursor_start(struct browser_code *code, const struct browser *browser)
{
	uint64_t most = 0;

	for (size_t i = 0; i < code->lines.len; i++) {
		const struct browser_code_line *line = &code->lines.data[i];
		const struct tally_annotation_insn *insn = &code->annotation.insns.data[line->insn];
		struct tally_annotate_cost cost =
			tally_annotation_cost(&code->annotation, insn, browser->event);

		if (line->source || cost.weight <= most)
			continue;
		most = cost.weight;
		code->cursor = i;
	}
	code->first = code->cursor > 4 ? code->cursor - 4 : 0;
}

/* Return the frame of the function to disassemble, or NULL: the requested function, or the one that
 * contains it if it is inlined. */
static const struct tally_frame *code_frame(const struct browser *browser)
{
	uint32_t function = browser->pivot;

	if (function != TALLY_FRAME_NONE)
		function = tally_chains_container(&browser->chains, function);
	return function != TALLY_FRAME_NONE ? &browser->source->profile->frames.all.data[function]
					    : NULL;
}

int browser_code_build(struct browser_code *code, struct browser *browser)
{
	const struct tally_frame *frame;
	int ret;

	if (code->is_tried && code->function == browser->pivot &&
	    code->generation == browser->generation)
		return 0;
	browser_code_free(code);
	code->is_tried = true;
	code->function = browser->pivot;
	code->generation = browser->generation;
	ret = browser_chains_build(browser);
	if (ret)
		return ret;
	frame = code_frame(browser);
	add_why_not(browser, frame, &code->why);
	if (code->why.len)
		return 0;
	ret = code_open(code, browser, frame);
	if (!ret)
		ret = lanes_make(code);
	if (!ret)
		ret = browser_code_lines(code);
	if (!ret)
		cursor_start(code, browser);
	return TALLY_MIN(ret, 0);
}
