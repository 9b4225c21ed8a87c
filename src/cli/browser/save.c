/* SPDX-License-Identifier: BSD-2-Clause */
/* Save the view as text: draw the view again on a canvas that is large enough for all lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/browser/browser_view.h"

/* AROUND is the number of rows around a list's lines, BELOW the number of rows for the note and the
 * keys. Lists are at least COLUMNS_WIDE columns wide. LINES_MAX is the maximum number of lines,
 * FILES_MAX the highest number in a file name. */
enum { AROUND = 4, BELOW = 2, LINES_MAX = 5000, COLUMNS_WIDE = 400, FILES_MAX = 1000 };

/* Choose the canvas size. Lists are written in full, with full names. Other views are written at
 * the size of the screen. */
static void size_find(struct browser *browser, int *ret_rows, int *ret_columns)
{
	struct browser_cursor cursor;

	*ret_rows = browser->canvas.rows;
	*ret_columns = browser->canvas.columns;
	if (!browser->view->cursor)
		return;
	cursor = browser->view->cursor(browser);
	*ret_rows = AROUND + (int)TALLY_MIN(TALLY_MAX(cursor.nr, (size_t)1), (size_t)LINES_MAX);
	*ret_columns = TALLY_MAX(*ret_columns, (int)COLUMNS_WIDE);
}

/* Append the canvas without the note, the key bar and trailing empty lines. */
static void add_canvas(const struct tally_canvas *canvas, struct tally_str *out)
{
	size_t end = out->len;

	for (int row = 0; row < TALLY_MAX(canvas->rows - BELOW, 1) && row < canvas->rows; row++) {
		size_t start = out->len;

		tally_canvas_text(canvas, row, out);
		end = out->len > start ? out->len : end;
		tally_str_add_char(out, '\n');
	}
	if (out->len > end + 1) {
		out->len = end + 1;
		out->data[out->len] = '\0';
	}
}

/* Draw the view as text; screen and scroll position are restored afterwards. */
static int view_text(struct browser *browser, struct tally_str *out)
{
	struct tally_canvas screen = browser->canvas;
	struct tally_panel_rows room = browser->room;
	size_t first = browser->table.screen.first, page = browser->table.screen.page;
	size_t code_first = browser->code.first;
	int rows, columns, ret;

	size_find(browser, &rows, &columns);
	browser->canvas = (struct tally_canvas){.is_ascii = screen.is_ascii};
	ret = browser_draw_view(browser, rows, columns);
	if (!ret)
		add_canvas(&browser->canvas, out);
	tally_canvas_free(&browser->canvas);
	browser->canvas = screen;
	browser->room = room;
	browser->table.screen.first = first;
	browser->table.screen.page = page;
	browser->code.first = code_first;
	if (!ret && browser->filter.steps.len) {
		tally_str_add_char(out, '\n');
		browser_filter_text(&browser->filter, out);
		tally_str_add_char(out, '\n');
	}
	return ret ? ret : tally_str_error(out);
}

/* Create a new file, and store its name in `name`. Return 0 or -errno. */
static int file_create(char *name, size_t size, int *ret_fd)
{
	int fd = -1;

	for (int i = 1; i <= FILES_MAX; i++) {
		snprintf(name, size, "tally.view.%d", i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int browser_save(struct browser *browser)
{
	struct tally_str text = {0};
	char name[32] = "";
	int ret = view_text(browser, &text), fd = -1, failed;

	if (ret) {
		tally_str_free(&text);
		return ret;
	}
	failed = file_create(name, sizeof(name), &fd);
	if (!failed) {
		failed = tally_file_write_all(fd, text.data, text.len);
		if (close(fd) && !failed)
			failed = -errno;
		if (failed)
			unlink(name);
	}
	if (failed)
		browser_set_message(browser, "cannot write %s: %s", name, strerror(-failed));
	else
		browser_set_message(browser, "this view was written to %s", name);
	tally_str_free(&text);
	return 0;
}
