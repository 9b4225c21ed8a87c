/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/panel.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "view/width.h"

enum { GAP = 2, TITLE = 1, FEW = 4 };

struct tally_panel_rows tally_panel_rows(int rows)
{
	int below = rows < FEW ? 0 : 2;

	return (struct tally_panel_rows){TALLY_MIN(TITLE, rows), TALLY_MAX(rows - below, 0)};
}

static void draw_note(const struct tally_panel *panel, struct tally_canvas *canvas, int row)
{
	const char *where = panel->where ? panel->where : "";
	int width = (int)tally_width_of(where);

	if (panel->note)
		tally_canvas_draw(canvas, row, 0, canvas->columns - width - GAP, panel->note,
				  TALLY_INK_NOTE);
	tally_canvas_draw(canvas, row, canvas->columns - width, width, where, TALLY_INK_DIM);
}

/* A word in the key line, and its position. */
struct bar_word {
	const char *text;
	int len, column;
};

static int word_length(const char *word)
{
	return (int)strcspn(word, "|");
}

static const char *last_word(const char *bar)
{
	const char *last = strrchr(bar, '|');

	return last ? last + 1 : bar;
}

/* Find the next word to show, and move `*bar` past it. Only whole words are shown, from left to
 * right. The last word, which shows how to quit, is always included if there is space for it. */
static bool bar_next(const char **bar, int columns, struct bar_word *word)
{
	const char *last = last_word(*bar);
	int behind = word->text ? word->column + word->len + GAP : 1;
	int len = word_length(*bar), left = columns - behind;

	if (!**bar)
		return false;
	if (*bar != last && len + GAP + word_length(last) > left) {
		*bar = last;
		len = word_length(last);
	}
	if (len > left)
		return false;
	*word = (struct bar_word){*bar, len, behind};
	*bar += len + ((*bar)[len] == '|');
	return true;
}

const char *tally_panel_bar_at(const char *bar, int columns, int column)
{
	struct bar_word word = {0};

	while (bar_next(&bar, columns, &word)) {
		if (column >= word.column && column < word.column + word.len)
			return word.text;
	}
	return NULL;
}

static void draw_bar(const char *bar, struct tally_canvas *canvas, int row)
{
	struct bar_word word = {0};

	tally_canvas_fill(canvas, row, 0, canvas->columns, TALLY_INK_BAR);
	while (bar_next(&bar, canvas->columns, &word)) {
		char text[64];
		size_t key = strcspn(word.text, " ");

		snprintf(text, sizeof(text), "%.*s", TALLY_MIN(word.len, (int)sizeof(text) - 1),
			 word.text);
		tally_canvas_draw(canvas, row, word.column, word.len, text, TALLY_INK_BAR);
		text[TALLY_MIN(key, sizeof(text) - 1)] = '\0';
		tally_canvas_draw(canvas, row, word.column, word.len, text, TALLY_INK_KEY);
	}
}

void tally_panel_draw(const struct tally_panel *panel, struct tally_canvas *canvas)
{
	if (panel->title) {
		tally_canvas_fill(canvas, 0, 0, canvas->columns, TALLY_INK_TITLE);
		tally_canvas_draw(canvas, 0, 0, canvas->columns, panel->title, TALLY_INK_TITLE);
	}
	if (canvas->rows >= FEW) {
		draw_note(panel, canvas, canvas->rows - 2);
		draw_bar(panel->bar ? panel->bar : "", canvas, canvas->rows - 1);
	}
}
