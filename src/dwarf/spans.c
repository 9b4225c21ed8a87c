/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of a function. The code is split at each address where a line table row or a piece of
 * an inlined call begins or ends, so all addresses in a span have the same line and inlined calls.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "dwarf/dwarf_private.h"

enum { CHANGES_MAX = 1 << 20, LINES_MAX = 1 << 20 };

enum change_kind { CHANGE_END, CHANGE_BEGIN, CHANGE_ROW };

/* A change in the lines at an address: a row begins, or a call begins or ends. */
struct change {
	uint64_t addr;
	uint32_t kind;
	uint32_t number; /* index of a call or row */
};

struct spans {
	struct tally_dwarf *dwarf;
	struct dwarf_unit *unit;
	struct dwarf_part part; /* range of code to be split */
	TALLY_VEC(struct change) changes;
	size_t row;                                 /* index of the current row + 1, or 0 */
	uint32_t open[TALLY_DWARF_INLINED_MAX + 1]; /* index of the current call + 1, by depth */
	uint32_t depth;                             /* upper bound on the depths used in `open` */
	size_t nr_lines;                            /* number of lines passed to `take` */
	struct tally_line lines[TALLY_DWARF_INLINED_MAX + 1];
};

static Dwarf_Line *row_at(const struct dwarf_unit *unit, size_t i)
{
	return dwarf_onesrcline(unit->rows, i);
}

static uint64_t row_address(const struct dwarf_unit *unit, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(row_at(unit, i), &addr);
	return addr;
}

/* Return the number of rows that begin at or before an address. */
static size_t rows_before(const struct dwarf_unit *unit, uint64_t addr)
{
	size_t low = 0, high = unit->nr_rows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row_address(unit, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int change_add(struct spans *spans, uint64_t addr, enum change_kind kind, size_t number)
{
	if (spans->changes.len == CHANGES_MAX)
		return -E2BIG;
	return tally_vec_push(&spans->changes, (struct change){addr, kind, (uint32_t)number});
}

static int add_rows(struct spans *spans)
{
	size_t row = rows_before(spans->unit, spans->part.start);
	int ret = 0;

	spans->row = row;
	while (row < spans->unit->nr_rows && row_address(spans->unit, row) < spans->part.end &&
	       !ret) {
		ret = change_add(spans, row_address(spans->unit, row), CHANGE_ROW, row);
		row++;
	}
	return ret;
}

static int add_calls(struct spans *spans, const struct dwarf_function *function)
{
	int ret = 0;

	for (uint32_t i = function->first; i < function->last && !ret; i++) {
		const struct dwarf_call *call = &spans->unit->calls.data[i];
		uint64_t start = TALLY_MAX(call->start, spans->part.start);
		uint64_t end = TALLY_MIN(call->end, spans->part.end);

		if (start >= end)
			continue;
		ret = change_add(spans, start, CHANGE_BEGIN, i);
		if (!ret)
			ret = change_add(spans, end, CHANGE_END, i);
	}
	return ret;
}

/* Sort changes by address; at the same address, ends come before beginnings. */
static int by_address(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void change_apply(struct spans *spans, const struct change *change)
{
	const struct dwarf_call *call;

	if (change->kind == CHANGE_ROW) {
		spans->row = change->number + 1;
		return;
	}
	call = &spans->unit->calls.data[change->number];
	if (change->kind == CHANGE_BEGIN) {
		spans->open[call->depth] = change->number + 1;
		spans->depth = TALLY_MAX(spans->depth, call->depth);
	} else if (spans->open[call->depth] == change->number + 1) {
		spans->open[call->depth] = 0;
	}
}

/* Get the line for the current row. Returns false after the end of a sequence. */
static bool row_line(const struct spans *spans, struct tally_line *line)
{
	Dwarf_Line *row = spans->row ? row_at(spans->unit, spans->row - 1) : NULL;
	bool is_end = true;
	int number = 0;

	if (!row || dwarf_lineendsequence(row, &is_end) || is_end)
		return false;
	dwarf_lineno(row, &number);
	line->file = dwarf_file_path(spans->dwarf, spans->unit, dwarf_linesrc(row, NULL, NULL));
	line->line = number > 0 ? (uint32_t)number : 0;
	return true;
}

/* Fill in the lines for the current span. Returns the number of lines. */
static uint32_t lines_fill(struct spans *spans)
{
	struct dwarf_unit *unit = spans->unit;
	struct tally_line *line = spans->lines;
	bool is_known;

	*line = (struct tally_line){0};
	is_known = row_line(spans, line);
	for (uint32_t depth = spans->depth; depth; depth--) {
		const struct dwarf_call *call;

		if (!spans->open[depth])
			continue;
		call = &unit->calls.data[spans->open[depth] - 1];
		line->function = dwarf_call_name(spans->dwarf, unit, call);
		/* Skip calls without a name. */
		if (!line->function)
			continue;
		line++;
		*line = (struct tally_line){.line = call->line};
		if (call->file < unit->nr_files)
			line->file =
				dwarf_file_path(spans->dwarf, unit,
						dwarf_filesrc(unit->files, call->file, NULL, NULL));
		is_known = true;
	}
	return is_known ? (uint32_t)(line - spans->lines) + 1 : 0;
}

static int span_emit(struct spans *spans, uint64_t start, uint64_t end, tally_line_take take,
		     void *arg)
{
	struct tally_line_span span = {start, end, spans->lines, lines_fill(spans)};

	spans->nr_lines += span.nr;
	return spans->nr_lines > LINES_MAX ? -E2BIG : take(arg, &span);
}

static int spans_emit(struct spans *spans, tally_line_take take, void *arg)
{
	uint64_t at = spans->part.start;
	int ret = 0;

	tally_vec_for_each (change, &spans->changes) {
		if (change->addr > at && !ret) {
			ret = span_emit(spans, at, change->addr, take, arg);
			at = change->addr;
		}
		change_apply(spans, change);
	}
	return ret || at >= spans->part.end ? ret
					    : span_emit(spans, at, spans->part.end, take, arg);
}

/* For an address outside any function, reduce the part to the row that contains the address. */
static void part_cut_by_rows(struct dwarf_part *part, const struct dwarf_unit *unit, uint64_t addr)
{
	size_t row = rows_before(unit, addr);
	uint64_t start = row ? row_address(unit, row - 1) : addr;
	uint64_t end = row < unit->nr_rows ? row_address(unit, row) : addr + 1;

	part->start = TALLY_MAX(part->start, start);
	part->end = TALLY_MIN(part->end, end);
}

static int spans_find(struct spans *spans, uint64_t addr)
{
	const struct dwarf_function *function =
		DWARF_PIECES_FIND(&spans->unit->functions, addr, &spans->part);
	int ret;

	if (!function)
		part_cut_by_rows(&spans->part, spans->unit, addr);
	ret = add_rows(spans);
	if (!ret && function)
		ret = add_calls(spans, function);
	if (!ret && spans->changes.len)
		qsort(spans->changes.data, spans->changes.len, sizeof(*spans->changes.data),
		      by_address);
	return ret;
}

int tally_dwarf_find(struct tally_dwarf *dwarf, uint64_t addr, tally_line_take take, void *arg)
{
	struct spans spans = {.dwarf = dwarf, .part = {0, UINT64_MAX}};
	int ret = dwarf_unit_find(dwarf, addr, &spans.part, &spans.unit);

	if (ret)
		return ret;
	ret = spans_find(&spans, addr);
	if (!ret)
		ret = spans_emit(&spans, take, arg);
	tally_vec_free(&spans.changes);
	return ret;
}
