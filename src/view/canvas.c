/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "view/width.h"

#define ELLIPSIS "\xe2\x80\xa6"

int tally_canvas_reset(struct tally_canvas *canvas, int rows, int columns)
{
	size_t nr = (size_t)rows * (size_t)columns;
	struct tally_glyph *glyphs = canvas->glyphs;

	if (!glyphs || rows != canvas->rows || columns != canvas->columns) {
		glyphs = malloc((nr ? nr : 1) * sizeof(*glyphs));
		free(canvas->glyphs);
	}
	canvas->glyphs = glyphs;
	canvas->rows = glyphs ? rows : 0;
	canvas->columns = glyphs ? columns : 0;
	for (size_t i = 0; glyphs && i < nr; i++)
		glyphs[i] = (struct tally_glyph){.bytes = " "};
	return glyphs ? 0 : -ENOMEM;
}

void tally_canvas_free(struct tally_canvas *canvas)
{
	free(canvas->glyphs);
	*canvas = (struct tally_canvas){0};
}

static struct tally_glyph *glyph_at(const struct tally_canvas *canvas, int row, int column)
{
	return &canvas->glyphs[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

const struct tally_glyph *tally_canvas_at(const struct tally_canvas *canvas, int row, int column)
{
	return glyph_at(canvas, row, column);
}

/* Add a combining mark to the preceding glyph, if there is space. */
static void glyph_join(struct tally_canvas *canvas, int row, int column, const char *bytes)
{
	struct tally_glyph *glyph = column > 0 ? glyph_at(canvas, row, column - 1) : NULL;

	if (glyph && !*glyph->bytes && column > 1)
		glyph--;
	if (glyph && strlen(glyph->bytes) + strlen(bytes) < sizeof(glyph->bytes))
		strcat(glyph->bytes, bytes);
}

/* Draw as much of the text as fits before column `end`. Returns the column after the drawn text. */
static int put_part(struct tally_canvas *canvas, int row, int column, int end, const char *text,
		    enum tally_ink ink)
{
	size_t len = strlen(text);

	for (size_t at = 0; at < len;) {
		struct tally_glyph_read read = tally_width_read(text + at, len - at);
		struct tally_glyph *glyph;

		at += read.used;
		if (canvas->is_ascii && read.used > 1) {
			if (!read.width)
				continue;
			strcpy(read.bytes, "?");
			read.width = 1;
		}
		if (!read.width) {
			glyph_join(canvas, row, column, read.bytes);
			continue;
		}
		if (column + read.width > end)
			break;
		glyph = glyph_at(canvas, row, column);
		memcpy(glyph->bytes, read.bytes, sizeof(read.bytes));
		glyph->ink = ink;
		if (read.width == 2)
			glyph[1] = (struct tally_glyph){.bytes = "", .ink = ink};
		column += read.width;
	}
	return column;
}

const char *tally_canvas_mark(const struct tally_canvas *canvas)
{
	return canvas->is_ascii ? ".." : ELLIPSIS;
}

int tally_canvas_draw(struct tally_canvas *canvas, int row, int column, int limit, const char *text,
		      enum tally_ink ink)
{
	int end = TALLY_MIN(column + TALLY_MAX(limit, 0), canvas->columns);
	int dots = canvas->is_ascii ? 2 : 1;

	if (row < 0 || row >= canvas->rows || column < 0 || column >= end)
		return column;
	if (tally_width_of(text) <= (size_t)(end - column))
		return put_part(canvas, row, column, end, text, ink);
	if (end - column <= dots)
		return put_part(canvas, row, column, end, text, ink);
	column = put_part(canvas, row, column, end - dots, text, ink);
	/* A wide glyph that did not fit leaves an empty column. */
	tally_canvas_fill(canvas, row, column, end - column, ink);
	return put_part(canvas, row, column, end, tally_canvas_mark(canvas), ink);
}

void tally_canvas_fill(struct tally_canvas *canvas, int row, int column, int columns,
		       enum tally_ink ink)
{
	if (row < 0 || row >= canvas->rows)
		return;
	for (int i = TALLY_MAX(column, 0); i < TALLY_MIN(column + columns, canvas->columns); i++)
		*glyph_at(canvas, row, i) = (struct tally_glyph){.bytes = " ", .ink = ink};
}

void tally_canvas_select_part(struct tally_canvas *canvas, int row, int column, int columns)
{
	if (row < 0 || row >= canvas->rows)
		return;
	for (int i = TALLY_MAX(column, 0); i < TALLY_MIN(column + columns, canvas->columns); i++)
		glyph_at(canvas, row, i)->is_selected = true;
}

void tally_canvas_select(struct tally_canvas *canvas, int row)
{
	tally_canvas_select_part(canvas, row, 0, canvas->columns);
}

/* ---- boxes ------------------------------------------------------------------- */

/* Characters in one row of a frame: left, middle, right. */
struct frame_line {
	const char *left, *along, *right;
};

enum frame_part { FRAME_TOP, FRAME_MIDDLE, FRAME_BOTTOM };

static void put_frame(struct tally_canvas *canvas, int row, int column, int width,
		      enum frame_part part)
{
	static const struct frame_line fine[] = {{"\xe2\x94\x8c", "\xe2\x94\x80", "\xe2\x94\x90"},
						 {"\xe2\x94\x82", " ", "\xe2\x94\x82"},
						 {"\xe2\x94\x94", "\xe2\x94\x80", "\xe2\x94\x98"}};
	static const struct frame_line plain[] = {
		{"+", "-", "+"}, {"|", " ", "|"}, {"+", "-", "+"}};
	const struct frame_line *line = canvas->is_ascii ? &plain[part] : &fine[part];

	for (int i = 0; i < width; i++) {
		const char *text = i == 0 ? line->left : i == width - 1 ? line->right : line->along;

		tally_canvas_draw(canvas, row, column + i, 2, text, TALLY_INK_POPUP);
	}
}

/* Return the width of a box: the width of its widest text plus the frame. */
static int box_width(const struct tally_canvas *canvas, const struct tally_box *box)
{
	size_t width = TALLY_MAX(tally_width_of(box->title), tally_width_of(box->foot));

	for (size_t i = 0; i < box->nr; i++)
		width = TALLY_MAX(width, tally_width_of(box->lines[i]));
	return (int)TALLY_MIN(width + TALLY_BOX_SIDES, (size_t)canvas->columns);
}

void tally_canvas_box(struct tally_canvas *canvas, const struct tally_box *box)
{
	size_t left = box->nr - TALLY_MIN(box->first, box->nr);
	int width = box_width(canvas, box), inner = width - TALLY_BOX_SIDES;
	int height = (int)TALLY_MIN(left + TALLY_BOX_EDGES, (size_t)canvas->rows);
	int row = (canvas->rows - height) / 2, column = (canvas->columns - width) / 2;

	if (inner < 1 || height <= TALLY_BOX_EDGES)
		return;
	put_frame(canvas, row, column, width, FRAME_TOP);
	tally_canvas_draw(canvas, row, column + 2, inner, box->title, TALLY_INK_POPUP);
	for (int i = 1; i < height - 1; i++) {
		const char *line = box->lines[box->first + (size_t)i - 1];

		put_frame(canvas, row + i, column, width, FRAME_MIDDLE);
		tally_canvas_draw(canvas, row + i, column + 2, inner, line, TALLY_INK_POPUP);
	}
	put_frame(canvas, row + height - 1, column, width, FRAME_BOTTOM);
	tally_canvas_draw(canvas, row + height - 1, column + 2, inner, box->foot, TALLY_INK_POPUP);
}

void tally_canvas_text(const struct tally_canvas *canvas, int row, struct tally_str *out)
{
	size_t start = out->len;

	for (int i = 0; i < canvas->columns; i++)
		tally_str_add(out, glyph_at(canvas, row, i)->bytes);
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}
