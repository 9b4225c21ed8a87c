/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/panel.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "view/width.h"

enum { GAP = 2, TITLE = 1, FEW = 4 };

struct tally_panel_room tally_panel_room(int rows)
{
	int below = rows < FEW ? 0 : 2;

	return (struct tally_panel_room){TALLY_MIN(TITLE, rows), TALLY_MAX(rows - below, 0)};
}

static void draw_note(const struct tally_panel *panel, struct tally_canvas *canvas, int row)
{
	const char *where = panel->where ? panel->where : "";
	int width = (int)tally_width_of(where);

	if (panel->note)
		tally_canvas_put(canvas, row, 0, canvas->columns - width - GAP, panel->note,
				 TALLY_INK_NOTE);
	tally_canvas_put(canvas, row, canvas->columns - width, width, where, TALLY_INK_DIM);
}

/* Whole words only: a key that does not fit is left out. */
static void draw_bar(const char *bar, struct tally_canvas *canvas, int row)
{
	int at = 0;

	tally_canvas_fill(canvas, row, 0, canvas->columns, TALLY_INK_BAR);
	while (*bar) {
		size_t len = strcspn(bar, "|"), key = strcspn(bar, " ");
		char text[64];

		snprintf(text, sizeof(text), "%.*s", (int)TALLY_MIN(len, sizeof(text) - 1), bar);
		if (at + (int)tally_width_of(text) + 1 > canvas->columns)
			return;
		tally_canvas_put(canvas, row, at + 1, canvas->columns, text, TALLY_INK_BAR);
		text[TALLY_MIN(key, sizeof(text) - 1)] = '\0';
		tally_canvas_put(canvas, row, at + 1, canvas->columns, text, TALLY_INK_KEY);
		at += (int)len + GAP;
		bar += len + (bar[len] == '|');
	}
}

void tally_panel_draw(const struct tally_panel *panel, struct tally_canvas *canvas)
{
	if (panel->title) {
		tally_canvas_fill(canvas, 0, 0, canvas->columns, TALLY_INK_TITLE);
		tally_canvas_put(canvas, 0, 0, canvas->columns, panel->title, TALLY_INK_TITLE);
	}
	if (canvas->rows >= FEW) {
		draw_note(panel, canvas, canvas->rows - 2);
		draw_bar(panel->bar ? panel->bar : "", canvas, canvas->rows - 1);
	}
	if (panel->popup)
		tally_canvas_box(canvas, panel->popup_title, panel->popup, panel->nr_popup);
}
