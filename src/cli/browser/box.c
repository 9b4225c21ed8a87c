/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/box.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "view/terminal.h"
#include "view/wrap.h"

enum { INDENT = 2 };

struct tally_str *browser_box_open(struct browser_box *box, const char *title)
{
	tally_str_clear(&box->text);
	box->title = title;
	box->first = 0;
	return &box->text;
}

/* ---- keys -------------------------------------------------------------------------------- */

static bool box_scroll(struct browser_box *box, uint32_t press)
{
	size_t last = box->nr - box->page, at = box->first;

	switch (press) {
	case TALLY_PRESS_UP: at -= at > 0; break;
	case TALLY_PRESS_DOWN: at++; break;
	case TALLY_PRESS_PAGE_UP: at -= TALLY_MIN(at, box->page); break;
	case ' ':
	case TALLY_PRESS_PAGE_DOWN: at += box->page; break;
	case TALLY_PRESS_HOME: at = 0; break;
	case TALLY_PRESS_LAST: at = last; break;
	default: return false;
	}
	box->first = TALLY_MIN(at, last);
	return true;
}

bool browser_box_press(struct browser_box *box, uint32_t press)
{
	if (!box->title)
		return false;
	if (box->nr <= box->page || !box_scroll(box, press))
		box->title = NULL;
	return true;
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Show the lines. If not all of them fit, the title shows the position, and the bottom border shows
 * the key for scrolling. */
static void lines_show(struct browser_box *box, const char *const *lines,
		       struct tally_canvas *canvas)
{
	struct tally_box shown = {box->title, "", lines, box->nr, box->first};
	size_t last = box->first + box->page;
	char title[64];

	if (box->page < box->nr) {
		snprintf(title, sizeof(title), "%s%zu/%zu ", box->title, last, box->nr);
		shown.title = title;
		shown.foot = last < box->nr ? " more: Down " : " more: Up ";
	}
	tally_canvas_box(canvas, &shown);
}

static int lines_draw(struct browser_box *box, struct tally_str *text, struct tally_canvas *canvas)
{
	TALLY_VEC(const char *) lines = {0};
	char *rest = text->data;
	int ret = tally_str_error(text) ? -ENOMEM : 0;

	for (char *line; !ret && rest && (line = strsep(&rest, "\n"));) {
		if (*line)
			ret = tally_vec_push(&lines, (const char *)line);
	}
	box->nr = lines.len;
	box->page = (size_t)TALLY_MAX(canvas->rows - TALLY_BOX_EDGES, 1);
	box->first = TALLY_MIN(box->first, box->nr > box->page ? box->nr - box->page : 0);
	if (!ret && box->nr)
		lines_show(box, lines.data, canvas);
	tally_vec_free(&lines);
	return ret;
}

int browser_box_draw(struct browser_box *box, struct tally_canvas *canvas)
{
	struct tally_str text = {0};
	int columns = canvas->columns - TALLY_BOX_SIDES, ret;

	if (!box->title)
		return 0;
	tally_wrap_text(tally_str_text(&box->text), (size_t)TALLY_MAX(columns, 2), INDENT, &text);
	ret = lines_draw(box, &text, canvas);
	tally_str_free(&text);
	return ret;
}

void browser_box_free(struct browser_box *box)
{
	tally_str_free(&box->text);
	box->title = NULL;
}
