/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/tracks.h"

#include "base/arith.h"

/* Glyphs filled in eighths, from the bottom or from the left, and ASCII substitutes for heights. */
static const char *const heights[] = {" ",
				      "\xe2\x96\x81",
				      "\xe2\x96\x82",
				      "\xe2\x96\x83",
				      "\xe2\x96\x84",
				      "\xe2\x96\x85",
				      "\xe2\x96\x86",
				      "\xe2\x96\x87",
				      "\xe2\x96\x88"};
static const char *const plain_heights[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
static const char *const widths[] = {" ",
				     "\xe2\x96\x8f",
				     "\xe2\x96\x8e",
				     "\xe2\x96\x8d",
				     "\xe2\x96\x8c",
				     "\xe2\x96\x8b",
				     "\xe2\x96\x8a",
				     "\xe2\x96\x89",
				     "\xe2\x96\x88"};

enum { EIGHTHS = 8 };

static uint64_t eighths_of(uint64_t part, uint64_t whole, uint64_t nr)
{
	return whole ? (uint64_t)((unsigned __int128)part * nr * EIGHTHS / whole) : 0;
}

/* Return the ink for a height: hot, warm or plain, like perf's colours for shares. */
static enum tally_ink ink_of(uint64_t eighths)
{
	if (eighths >= EIGHTHS - 2)
		return TALLY_INK_HOT;
	return eighths >= 2 ? TALLY_INK_WARM : TALLY_INK_PLAIN;
}

void tally_tracks_draw(const uint64_t *bins, uint32_t nr, uint64_t highest, int row, int column,
		       struct tally_canvas *canvas)
{
	for (uint32_t i = 0; i < nr; i++) {
		/* Non-empty bins are always visible. */
		uint64_t at = TALLY_MAX(eighths_of(bins[i], highest, 1), (uint64_t) !!bins[i]);

		at = TALLY_MIN(at, (uint64_t)EIGHTHS);
		tally_canvas_draw(canvas, row, column + (int)i, 1,
				  canvas->is_ascii ? plain_heights[at] : heights[at], ink_of(at));
	}
}

void tally_bar_draw(uint64_t part, uint64_t whole, int row, int column, int columns,
		    struct tally_canvas *canvas)
{
	uint64_t left = eighths_of(TALLY_MIN(part, whole), whole, (uint64_t)TALLY_MAX(columns, 0));

	for (int i = 0; i < columns && left; i++) {
		uint64_t here = TALLY_MIN(left, (uint64_t)EIGHTHS);

		tally_canvas_draw(canvas, row, column + i, 1,
				  canvas->is_ascii ? (here >= EIGHTHS / 2 ? "#" : "-")
						   : widths[here],
				  TALLY_INK_WARM);
		left -= here;
	}
}

void tally_change_draw(uint64_t part, uint64_t whole, bool is_growth, int row, int column,
		       int columns, struct tally_canvas *canvas)
{
	int half = (columns - 1) / 2, axis = column + half;
	uint64_t halves = eighths_of(TALLY_MIN(part, whole), whole, (uint64_t)half) / 4;
	enum tally_ink ink = is_growth ? TALLY_INK_HOT : TALLY_INK_WARM;

	tally_canvas_draw(canvas, row, axis, 1, canvas->is_ascii ? "|" : "\xe2\x94\x82",
			  TALLY_INK_DIM);
	for (int i = 1; halves; i++, halves -= TALLY_MIN(halves, (uint64_t)2)) {
		const char *filled = canvas->is_ascii ? "#" : "\xe2\x96\x88";
		const char *part_filled = canvas->is_ascii ? "-"
					  : is_growth      ? "\xe2\x96\x8c"
							   : "\xe2\x96\x90";

		tally_canvas_draw(canvas, row, is_growth ? axis + i : axis - i, 1,
				  halves > 1 ? filled : part_filled, ink);
	}
}
