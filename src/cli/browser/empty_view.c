/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages shown when a filter leaves nothing to show. */
#include <string.h>

#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "view/wrap.h"

/* Return true if the filter leaves no samples. The time view ignores the selected span. */
static bool has_no_samples(const struct browser *browser)
{
	return !browser->selection.nr && browser->filter.steps.len &&
	       (browser->view != &browser_time ||
		!browser_filter_step(&browser->filter, BROWSER_ONLY_SPAN));
}

static bool has_no_rows(const struct browser *browser)
{
	return browser->view == &browser_rows && !browser->table.screen.lines.len &&
	       (browser->filter.steps.len || browser->hide_kernel || browser->hide_user);
}

static void add_why(const struct browser *browser, struct tally_str *out)
{
	tally_str_add(out, has_no_samples(browser) ? "No sample matches these filters:\n"
						   : "No row matches these filters:\n");
	tally_str_add(out, "  ");
	browser_filter_text(&browser->filter, out);
	tally_str_add(out, browser->filter.steps.len ? "\n" : "all samples\n");
	if (browser->hide_kernel)
		tally_str_add(out, "The kernel is hidden: press K in the rows view to show it.\n");
	if (browser->hide_user)
		tally_str_add(out, "User space is hidden: press U in the rows view to show it.\n");
	if (browser->filter.steps.len)
		tally_str_add(out, "Press Esc to undo the last filter.\n");
	if (browser_filter_step(&browser->filter, BROWSER_ONLY_QUERY))
		tally_str_add(out,
			      "Press : for another query; an empty one removes all queries.\n");
}

void browser_draw_text(struct browser *browser, const char *words)
{
	struct tally_canvas *canvas = &browser->canvas;
	struct tally_str text = {0};
	int row = browser->room.top;

	tally_wrap_text(words, (size_t)TALLY_MAX(canvas->columns, 2), 2, &text);
	for (int i = row; i < browser->room.bottom; i++)
		tally_canvas_fill(canvas, i, 0, canvas->columns, TALLY_INK_PLAIN);
	for (char *rest = text.data, *line; rest && (line = strsep(&rest, "\n"));) {
		if (row < browser->room.bottom)
			tally_canvas_draw(canvas, row++, 0, canvas->columns, line, TALLY_INK_PLAIN);
	}
	tally_str_free(&text);
}

void browser_draw_empty(struct browser *browser)
{
	struct tally_str why = {0};

	if (!browser->source->profile || !(has_no_samples(browser) || has_no_rows(browser)))
		return;
	add_why(browser, &why);
	browser_draw_text(browser, tally_str_text(&why));
	tally_str_free(&why);
}
