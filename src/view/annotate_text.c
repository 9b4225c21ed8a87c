/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/path.h"
#include "view/annotate_view.h"
#include "view/percent_colour.h"

/* Minimum for a line in the summary, as in perf. */
#define SUMMARY_PERCENT 0.5

enum {
	TEXT_MAX = 512, /* maximum number of bytes shown of a source line or name */
	/* maximum number of source lines, or callers of an inlined function, to show together */
	CONTEXT = 5,
	TAB = 8,
	MNEMONIC_WIDTH = 6,
	RAW_WIDTH = 24, /* width of the instruction bytes, as in binutils */
};

/* ---- shares ------------------------------------------------------------------------ */

uint64_t tally_annotate_view_whole(const struct tally_annotate_view *view, uint32_t event,
				   bool is_total)
{
	struct tally_annotate_total all = tally_annotate_total(view->annotate, event);
	struct tally_annotate_cost sum =
		tally_annotation_sum(view->annotation, view->annotate, event);

	if (view->is_global)
		return view->by_hits ? all.nr : all.weight;
	/* Both columns have the same whole. */
	if (is_total || view->has_totals)
		return view->by_hits ? sum.total_nr : sum.total_weight;
	return view->by_hits ? sum.nr : sum.weight;
}

double tally_annotate_view_percent(const struct tally_annotate_view *view, uint32_t event,
				   const struct tally_annotate_cost *cost, bool is_total)
{
	uint64_t whole = tally_annotate_view_whole(view, event, is_total);
	uint64_t part = view->by_hits ? (is_total ? cost->total_nr : cost->nr)
				      : (is_total ? cost->total_weight : cost->weight);

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- columns ------------------------------------------------------------------------ */

static int cell_width(const struct tally_annotate_view *view)
{
	return view->measure == TALLY_ANNOTATE_PERIOD ? 12 : 8;
}

static size_t columns_width(const struct tally_annotate_view *view)
{
	return (size_t)cell_width(view) * view->nr_events * (view->has_totals ? 2 : 1);
}

/* Append a percentage, with a fast path for 0, the most frequent value. */
static void add_percent(const struct tally_annotate_view *view, double percent,
			struct tally_str *out)
{
	const char *colour;

	if (percent <= 0) {
		tally_str_add(out, "    0.00");
		return;
	}
	colour = view->has_colours ? tally_percent_colour(percent) : NULL;
	tally_str_addf(out, "%s%8.2f%s", colour ? colour : "", percent,
		       colour ? TALLY_NO_COLOUR : "");
}

static void add_cell(const struct tally_annotate_view *view, uint32_t event,
		     const struct tally_annotate_cost *cost, bool is_total, struct tally_str *out)
{
	int width = cell_width(view);

	if (view->measure == TALLY_ANNOTATE_PERCENT)
		add_percent(view, tally_annotate_view_percent(view, event, cost, is_total), out);
	else if (view->measure == TALLY_ANNOTATE_SAMPLES)
		tally_str_addf(out, "%*" PRIu64, width, is_total ? cost->total_nr : cost->nr);
	else
		tally_str_addf(out, "%*" PRIu64, width,
			       is_total ? cost->total_weight : cost->weight);
}

static void add_cells(const struct tally_annotate_view *view,
		      const struct tally_annotation_insn *insn, struct tally_str *out)
{
	for (size_t i = 0; i < view->nr_events; i++) {
		struct tally_annotate_cost cost =
			tally_annotation_cost(view->annotation, insn, view->events[i]);

		add_cell(view, view->events[i], &cost, false, out);
		if (view->has_totals)
			add_cell(view, view->events[i], &cost, true, out);
	}
}

/* Return an instruction's highest share among all events, which determines whether its line is
 * shown. */
static double insn_percent(const struct tally_annotate_view *view,
			   const struct tally_annotation_insn *insn)
{
	double most = 0;

	for (size_t i = 0; i < view->nr_events; i++) {
		struct tally_annotate_cost cost =
			tally_annotation_cost(view->annotation, insn, view->events[i]);
		double percent = tally_annotate_view_percent(view, view->events[i], &cost, false);

		most = TALLY_MAX(most, percent);
	}
	return most;
}

/* ---- external text -------------------------------------------------------------------- */

/* Append as much of the text as fits, escaped and with tabs expanded. */
static void add_text(const char *text, size_t len, struct tally_str *out)
{
	size_t start = out->len, most = TALLY_MIN(len, (size_t)TEXT_MAX);

	for (size_t i = 0; i < most; i++) {
		if (text[i] == '\t')
			tally_str_pad_to(out, start + (out->len - start) / TAB * TAB + TAB);
		else
			tally_str_add_char(out, text[i]);
	}
	tally_str_escape(out, start);
	if (most < len)
		tally_str_add(out, "...");
}

static const char *shown_path(const struct tally_annotate_view *view, const char *path)
{
	return view->has_paths ? path : tally_path_name(path);
}

static void add_line_name(const struct tally_annotate_view *view, const struct tally_line *line,
			  struct tally_str *out)
{
	const char *name = line->file ? shown_path(view, line->file) : "??";

	add_text(name, strlen(name), out);
	tally_str_addf(out, ":%" PRIu32, line->line);
}

/* ---- summary of lines -------------------------------------------------------------------- */

struct line_share {
	const struct tally_line *line;
	double percent;
};

static int compare_lines(const void *a, const void *b)
{
	const struct tally_line *left = ((const struct line_share *)a)->line;
	const struct tally_line *right = ((const struct line_share *)b)->line;
	int by_file = strcmp(left->file, right->file);

	return by_file ? by_file : left->line < right->line ? -1 : left->line > right->line;
}

static int compare_shares(const void *a, const void *b)
{
	const struct line_share *left = a, *right = b;

	if (left->percent != right->percent)
		return left->percent > right->percent ? -1 : 1;
	return compare_lines(a, b);
}

/* Add up the shares of each line; `shares` must be sorted by line. Returns the number of lines. */
static size_t merge_lines(struct line_share *shares, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare_lines(&shares[kept - 1], &shares[i]))
			shares[kept - 1].percent += shares[i].percent;
		else
			shares[kept++] = shares[i];
	}
	return kept;
}

static void add_summary(const struct tally_annotate_view *view, struct tally_str *out)
{
	TALLY_VEC(struct line_share) shares = {0};
	size_t nr;

	tally_vec_for_each (insn, &view->annotation->insns) {
		double percent = insn->nr_lines ? insn_percent(view, insn) : 0;

		if (percent > 0 && insn->lines->file &&
		    tally_vec_push(&shares, (struct line_share){insn->lines, percent}))
			out->failed = true;
	}
	if (shares.len)
		qsort(shares.data, shares.len, sizeof(*shares.data), compare_lines);
	nr = merge_lines(shares.data, shares.len);
	if (nr)
		qsort(shares.data, nr, sizeof(*shares.data), compare_shares);
	tally_str_add_char(out, '\n');
	tally_str_add_line(out, "Sorted summary for file %s",
			   tally_dso_name(view->annotation->function->dso));
	tally_str_add(out, "----------------------------------------------\n\n");
	for (size_t i = 0; i < nr && shares.data[i].percent > SUMMARY_PERCENT; i++) {
		add_percent(view, shares.data[i].percent, out);
		tally_str_add_char(out, ' ');
		add_line_name(view, shares.data[i].line, out);
		tally_str_add_char(out, '\n');
	}
	tally_vec_free(&shares);
}

/* ---- the heading ------------------------------------------------------------------------- */

/* Begin a line that has text only in the right column. */
static void add_note(const struct tally_annotate_view *view, struct tally_str *out)
{
	tally_str_pad_to(out, out->len + columns_width(view));
	tally_str_add(out, " : ");
}

/* Return the name to display for the code: the path of the image for a kernel, otherwise the DSO's
 * name, because the code may have been read from a cache file with a meaningless path. */
static const char *code_name(const struct tally_annotation *annotation)
{
	const struct tally_dso *dso = annotation->function->dso;

	return tally_dso_kind(dso) == TALLY_DSO_KERNEL && annotation->path ? annotation->path
									   : tally_dso_name(dso);
}

/* Append a line like "mix, inlined in spin: 1234 samples, 12.30 % of all". */
static void add_inlined(const struct tally_annotate_view *view,
			const struct tally_annotate_cost *sum, struct tally_str *out)
{
	const struct tally_annotation *annotation = view->annotation;
	uint64_t all = tally_annotate_total(view->annotate, view->events[0]).weight;

	add_note(view, out);
	add_text(annotation->inlined, strlen(annotation->inlined), out);
	tally_str_add(out, ", inlined in ");
	add_text(annotation->name, strlen(annotation->name), out);
	tally_str_addf(out, ": %" PRIu64 " sample%s, %.2f%% of all\n", sum->nr,
		       tally_plural(sum->nr), all ? 100.0 * (double)sum->weight / (double)all : 0);
}

void tally_annotate_view_heading(const struct tally_annotate_view *view, struct tally_str *out)
{
	static const char *const titles[] = {" Percent", " Samples", " Period"};
	const struct tally_annotation *annotation = view->annotation;
	const char *path = code_name(annotation);
	struct tally_annotate_cost sum = {0};
	size_t start, width;

	if (view->has_lines)
		add_summary(view, out);
	if (view->nr_events)
		sum = tally_annotation_sum(annotation, view->annotate, view->events[0]);
	start = out->len;
	tally_str_add(out, titles[view->measure]);
	tally_str_pad_to(out, start + columns_width(view));
	tally_str_add(out, " |\t");
	/* Width on the screen, including the tab. */
	width = columns_width(view) + TAB - out->len;
	tally_str_add(out, "Source code & Disassembly of ");
	tally_str_add_escaped(out, shown_path(view, path));
	tally_str_add(out, " for ");
	tally_str_add_escaped(out, view->heading);
	tally_str_addf(out, " (%" PRIu64 " samples, percent: %s %s)\n", sum.nr,
		       view->is_global ? "global" : "local", view->by_hits ? "hits" : "period");
	for (width += out->len - 1; width; width--)
		tally_str_add_char(out, '-');
	tally_str_add_char(out, '\n');
	if (annotation->inlined)
		add_inlined(view, &sum, out);
	add_note(view, out);
	tally_str_addf(out, "%016" PRIx64 " <",
		       annotation->insns.len ? annotation->insns.data[0].linked : 0);
	add_text(annotation->name, strlen(annotation->name), out);
	tally_str_add(out, ">:\n");
}

/* ---- source ------------------------------------------------------------------------------ */

static bool line_equals(const struct tally_line *a, const struct tally_line *b)
{
	return a->line == b->line && a->file == b->file && a->function == b->function;
}

/* Return true if the same functions are inlined at the same call sites as for the source line shown
 * last. */
static bool chain_equals(const struct tally_annotate_view *view,
			 const struct tally_annotation_insn *insn)
{
	const struct tally_line *a = view->shown.lines, *b = insn->lines;

	if (view->shown.nr_lines != insn->nr_lines || a->function != b->function)
		return false;
	for (uint32_t i = 1; i < insn->nr_lines; i++) {
		if (!line_equals(&a[i], &b[i]))
			return false;
	}
	return true;
}

/* Append a line like "inlined: push_back at a.c:12, at b.c:3". */
static void add_chain(const struct tally_annotate_view *view,
		      const struct tally_annotation_insn *insn, struct tally_str *out)
{
	struct tally_dso *dso = view->annotation->function->dso;
	const struct tally_symbol *symbol = NULL;
	const char *name;

	if (tally_line_symbol(dso, insn->lines, &symbol))
		out->failed = true;
	name = symbol ? tally_symbol_name(dso, symbol) : "??";
	add_note(view, out);
	tally_str_add(out, "inlined: ");
	add_text(name, strlen(name), out);
	for (uint32_t i = 1; i < insn->nr_lines && i < CONTEXT; i++) {
		tally_str_add(out, i == 1 ? " at " : ", at ");
		add_line_name(view, &insn->lines[i], out);
	}
	tally_str_add_char(out, '\n');
}

static bool add_source_line(const struct tally_annotate_view *view, const struct tally_line *line,
			    uint32_t number, struct tally_str *out)
{
	const char *text;
	size_t len;

	if (tally_source_texts_get(view->texts, line->file, number, &text, &len))
		return false;
	add_note(view, out);
	tally_str_addf(out, "%-4" PRIu32 " ", number);
	add_text(text, len, out);
	tally_str_add_char(out, '\n');
	return true;
}

/* Show an instruction's source line, and the lines before it that have not been shown yet, if there
 * are only a few of them. */
static void add_source(struct tally_annotate_view *view, const struct tally_annotation_insn *insn,
		       bool is_near, struct tally_str *out)
{
	const struct tally_line *line = insn->lines;
	uint32_t from = line->line, highest = is_near ? view->shown.highest : 0;

	if (is_near && highest < line->line && line->line - highest <= CONTEXT)
		from = highest + 1;
	view->shown.highest = TALLY_MAX(highest, line->line);
	for (; from < line->line; from++)
		(void)add_source_line(view, line, from, out);
	if (add_source_line(view, line, line->line, out))
		return;
	add_note(view, out);
	add_line_name(view, line, out);
	tally_str_add_char(out, '\n');
}

static void add_source_before(struct tally_annotate_view *view,
			      const struct tally_annotation_insn *insn, struct tally_str *out)
{
	bool is_same_chain, is_near;

	if (!view->texts || !insn->nr_lines || !insn->lines->file || !insn->lines->line)
		return;
	is_same_chain = chain_equals(view, insn);
	is_near = is_same_chain && view->shown.lines->file == insn->lines->file;
	if (is_near && view->shown.lines->line == insn->lines->line)
		return;
	if (!is_same_chain && insn->nr_lines > 1)
		add_chain(view, insn, out);
	add_source(view, insn, is_near, out);
	view->shown.lines = insn->lines;
	view->shown.nr_lines = insn->nr_lines;
}

/* ---- instructions ------------------------------------------------------------------------ */

static void add_bytes(const struct tally_annotate_view *view,
		      const struct tally_annotation_insn *insn, struct tally_str *out)
{
	const struct tally_annotation *annotation = view->annotation;
	const uint8_t *bytes =
		annotation->bytes.data + (insn->linked - annotation->insns.data[0].linked);
	size_t start = out->len;

	for (unsigned i = 0; i < insn->len; i++)
		tally_str_addf(out, "%02x ", bytes[i]);
	tally_str_pad_to(out, start + RAW_WIDTH);
}

/* Append a target like "1248 <leaf+0x38>". */
static void add_target(const struct tally_annotation_insn *insn, struct tally_str *out)
{
	tally_str_add_hex(out, insn->target, 1);
	if (!insn->target_name)
		return;
	tally_str_add(out, " <");
	add_text(insn->target_name, strlen(insn->target_name), out);
	if (insn->target_offset)
		tally_str_addf(out, "+0x%" PRIx32, insn->target_offset);
	tally_str_add_char(out, '>');
}

void tally_annotate_view_code(const struct tally_annotation *annotation,
			      const struct tally_annotation_insn *insn, struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, tally_annotation_text(annotation, insn->mnemonic));
	tally_str_pad_to(out, start + MNEMONIC_WIDTH);
	tally_str_add_char(out, ' ');
	tally_str_add(out, tally_annotation_text(annotation, insn->operands));
	if (insn->has_target)
		add_target(insn, out);
	if (insn->has_reference) {
		tally_str_add(out, "        # ");
		add_target(insn, out);
	}
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

void tally_annotate_view_insn(struct tally_annotate_view *view, size_t i, struct tally_str *out)
{
	const struct tally_annotation_insn *insn = &view->annotation->insns.data[i];
	size_t start;

	add_source_before(view, insn, out);
	add_cells(view, insn, out);
	tally_str_add(out, " :   ");
	start = out->len;
	tally_str_add_hex(out, insn->linked, 1);
	tally_str_add_char(out, ':');
	tally_str_pad_to(out, start + (out->len - start) / TAB * TAB + TAB);
	if (view->has_bytes)
		add_bytes(view, insn, out);
	tally_annotate_view_code(view->annotation, insn, out);
	if (view->has_lines && insn->nr_lines && insn_percent(view, insn) > SUMMARY_PERCENT) {
		tally_str_add(out, " // ");
		add_line_name(view, insn->lines, out);
	}
	tally_str_add_char(out, '\n');
}
