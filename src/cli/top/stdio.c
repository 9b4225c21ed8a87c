/* SPDX-License-Identifier: BSD-2-Clause */
/* tally top --stdio: print the profile as text at every refresh. On a terminal, each screen
 * replaces the previous one, and keys work as in perf top. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/arith.h"
#include "cli/browser/browser_signals.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/top/end.h"
#include "cli/top/top_header.h"
#include "cli/top/top_reader.h"
#include "cli/top/top_rows.h"
#include "cli/top/stdio.h"
#include "view/percent_colour.h"
#include "view/view_hierarchy.h"
#include "view/width.h"

enum { DEFAULT_ROWS = 20, MARGIN_LINES = 5, DEFAULT_COLUMNS = 80 };

struct stdio_top {
	struct top *top;
	int signals;
	bool to_terminal, has_keys, has_colours;
	struct termios cooked, raw; /* terminal modes, if has_keys */
	struct tally_str out;
	bool stop;
};

/* ---- printing a screen ------------------------------------------------------- */

static size_t find_entries(const struct stdio_top *io, const struct tally_output_size *size)
{
	size_t asked = io->top->config->entries;

	if (asked)
		return asked;
	return size->rows > MARGIN_LINES ? size->rows - MARGIN_LINES : DEFAULT_ROWS;
}

static const char *colour_of(const struct stdio_top *io, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	return io->has_colours ? tally_percent_colour(percent) : NULL;
}

/* Append a line, truncated to the terminal's width, with a coloured first column. */
static void add_line(struct stdio_top *io, const char *text, size_t columns, const char *colour)
{
	enum { FIRST = 10 }; /* length of " 12.34%" */
	size_t len = columns ? tally_width_head(text, strlen(text), columns) : strlen(text);

	if (colour && len > FIRST) {
		tally_str_add(&io->out, colour);
		tally_str_add_bytes(&io->out, text, FIRST);
		tally_str_add(&io->out, TALLY_NO_COLOUR);
		tally_str_add_bytes(&io->out, text + FIRST, len - FIRST);
	} else {
		tally_str_add_bytes(&io->out, text, len);
	}
	tally_str_add_char(&io->out, '\n');
}

/* Append a row and as much of its call graph as fits on the screen. */
static void add_row(struct stdio_top *io, const struct tally_view *view,
		    const struct tally_row *row, const struct tally_output_size *size,
		    size_t *lines)
{
	const char *colour = colour_of(io, row->total, view->total);
	struct tally_str text = {0};
	char *rest, *line;

	tally_view_row(view, row, &text);
	rest = text.data;
	while (*lines && (line = strsep(&rest, "\n")) && rest) {
		add_line(io, line, (size_t)size->columns, colour);
		colour = NULL;
		--*lines;
	}
	io->out.failed |= text.failed;
	tally_str_free(&text);
}

/* Append as many lines of the tree of --hierarchy as fit on the screen. */
static int add_tree(struct stdio_top *io, const struct tally_view *view, size_t entries,
		    const struct tally_output_size *size, size_t *lines)
{
	struct tally_str text = {0};
	char *rest, *line;
	size_t shown;
	int ret = tally_view_hierarchy(view, io->top->config->rows.node_min_percent, false, &text,
				       &shown);

	rest = text.data;
	while (!ret && *lines && entries && (line = strsep(&rest, "\n")) && rest) {
		add_line(io, line, (size_t)size->columns, NULL);
		entries -= *line != '#' && *line;
		--*lines;
	}
	tally_str_free(&text);
	return ret;
}

static int add_event(struct stdio_top *io, uint32_t event, const struct tally_output_size *size,
		     size_t *lines)
{
	struct tally_str name = {0};
	struct tally_shown_rows rows;
	bool is_tree = io->top->config->rows.hierarchy;
	size_t entries = find_entries(io, size);
	int ret = top_rows_build(io->top, event, is_tree ? 0 : entries, &rows);

	if (ret)
		return ret;
	if (top_nr_events(io->top) > 1) {
		top_event_name(io->top, event, &name);
		tally_str_addf(&io->out, "%s# event '%s'\n", event ? "\n" : "",
			       tally_str_text(&name));
		tally_str_free(&name);
	}
	rows.view.line_width = rows.view.asked ? 0 : size->columns;
	rows.view.has_short_names = rows.view.line_width > 0;
	tally_view_measure(&rows.view);
	rows.view.hist = &rows.hist;
	if (is_tree)
		ret = add_tree(io, &rows.view, entries, size, lines);
	tally_vec_for_each (row, &rows.hist.rows)
		if (!is_tree)
			add_row(io, &rows.view, row, size, lines);
	tally_shown_rows_free(&rows);
	return ret;
}

static void add_header(struct stdio_top *io, const struct tally_output_size *size)
{
	struct tally_str line = {0};

	tally_str_add(&line, "   ");
	top_header_text(io->top, &line);
	if (size->columns)
		tally_shorten(&line, 0, TALLY_SHORTEN_END, (size_t)size->columns, TALLY_VIEW_MARK);
	tally_str_add(&io->out, io->to_terminal ? "\033[H\033[2J" : "");
	tally_str_add_char(&io->out, '\n');
	add_line(io, tally_str_text(&line), (size_t)size->columns, NULL);
	for (int i = 1; i < (size->columns ? size->columns : DEFAULT_COLUMNS); i++)
		tally_str_add_char(&io->out, '-');
	tally_str_add(&io->out, "\n\n");
	tally_str_free(&line);
}

/* Build the screen with the lock held, and write it after releasing the lock. */
static int show(struct stdio_top *io)
{
	struct tally_output_size size = tally_output_size();
	size_t lines = size.rows > MARGIN_LINES ? size.rows - MARGIN_LINES : SIZE_MAX;
	int ret = 0;

	pthread_mutex_lock(&io->top->lock);
	add_header(io, &size);
	for (uint32_t i = 0; i < top_nr_events(io->top) && !ret; i++)
		ret = add_event(io, i, &size, &lines);
	top_rows_finished(io->top);
	pthread_mutex_unlock(&io->top->lock);
	if (!ret)
		ret = tally_output_flush(&io->out);
	if (!ret && fflush(stdout))
		ret = -errno;
	return ret;
}

/* ---- keys -------------------------------------------------------------------- */

static void terminal_mode(struct stdio_top *io, const struct termios *mode)
{
	if (io->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, mode);
}

/* Ask for a number. Return false if no number within the range was entered. */
static bool ask(struct stdio_top *io, const char *question, double least, double most,
		double *ret_number)
{
	struct pollfd polls[] = {{STDIN_FILENO, POLLIN, 0}, {io->signals, POLLIN, 0}};
	char line[64], *end;
	ssize_t n = 0;
	double number;

	printf("\n%s: ", question);
	fflush(stdout);
	terminal_mode(io, &io->cooked);
	if (poll(polls, 2, -1) > 0 && polls[0].revents & POLLIN)
		n = read(STDIN_FILENO, line, sizeof(line) - 1);
	terminal_mode(io, &io->raw);
	line[n > 0 ? n : 0] = '\0';
	number = strtod(line, &end);
	if (end == line || !(number >= least && number <= most))
		return false;
	*ret_number = number;
	return true;
}

/* Keys that toggle a flag or ask for a number. */
static const struct stdio_key {
	char key;
	const char *help;
	size_t flag, number; /* offsets in struct top_config; 0 if not used */
	double least, most, scale;
} keys[] = {
	{'d', "seconds between refreshes", 0, offsetof(struct top_config, delay_ns), 0.05, 86400,
	 1e9},
	{'e', "rows (0: as many as fit)", 0, offsetof(struct top_config, entries), 0, 1e6, 1},
	{'f', "show only rows with at least this many samples", 0,
	 offsetof(struct top_config, count_filter), 0, 1e12, 1},
	{'K', "hide or show the kernel", offsetof(struct top_config, hide_kernel)},
	{'U', "hide or show user space", offsetof(struct top_config, hide_user)},
	{'z', "toggle: only the last interval", offsetof(struct top_config, zero)},
};

/* Ask for the key's number, or toggle the key's flag. The lock is needed because the reader also
 * uses the config. */
static void act(struct stdio_top *io, const struct stdio_key *key)
{
	char *config = (char *)io->top->config;
	double number = 0;

	if (key->number && !ask(io, key->help, key->least, key->most, &number))
		return;
	pthread_mutex_lock(&io->top->lock);
	if (key->number)
		*(uint64_t *)(void *)(config + key->number) = (uint64_t)(number * key->scale);
	else
		*(bool *)(config + key->flag) ^= true;
	pthread_mutex_unlock(&io->top->lock);
	top_reader_refresh(io->top);
}

static void key_help(struct stdio_top *io)
{
	const struct top_config *config = io->top->config;

	printf("\nKeys:\n");
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++)
		printf("\t[%c] %s\n", keys[i].key, keys[i].help);
	printf("\t[q] quit\n\nEvery %g s, %" PRIu64
	       " rows (0: as many as fit) with at least %" PRIu64 " samples%s%s%s\n",
	       (double)config->delay_ns / 1e9, config->entries, config->count_filter,
	       config->hide_kernel ? ", no kernel" : "", config->hide_user ? ", no user space" : "",
	       config->zero ? ", only the last interval" : "");
	fflush(stdout);
}

static void on_key(struct stdio_top *io, char key)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(keys); i++) {
		if (keys[i].key == key) {
			act(io, &keys[i]);
			return;
		}
	}
	if (key == 'q' || key == 'Q')
		io->stop = true;
	else
		key_help(io);
}

/* ---- main loop ----------------------------------------------------------------- */

static int loop_once(struct stdio_top *io)
{
	struct pollfd polls[] = {{io->top->wake_main, POLLIN, 0},
				 {io->signals, POLLIN, 0},
				 {io->has_keys ? STDIN_FILENO : -1, POLLIN, 0}};
	uint64_t wakes;
	bool due, over;
	char key;
	int error;

	if (poll(polls, TALLY_ARRAY_SIZE(polls), -1) < 0)
		return errno == EINTR ? 0 : -errno;
	due = read(io->top->wake_main, &wakes, sizeof(wakes)) == sizeof(wakes);
	due |= tally_browser_signals_drain(io->signals, &io->stop);
	if (polls[2].revents & POLLIN && read(STDIN_FILENO, &key, 1) == 1)
		on_key(io, key);
	else if (polls[2].revents)
		io->has_keys = false; /* standard input was closed */
	pthread_mutex_lock(&io->top->lock);
	over = io->top->is_over;
	error = io->top->error;
	pthread_mutex_unlock(&io->top->lock);
	if (error)
		return error;
	io->stop |= over;
	return due ? show(io) : 0;
}

int top_stdio_run(struct top *top, int signals)
{
	struct stdio_top io = {.top = top, .signals = signals};
	int ret = 0;

	io.to_terminal = isatty(STDOUT_FILENO);
	io.has_colours = tally_output_colours();
	io.has_keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &io.cooked);
	io.raw = io.cooked;
	io.raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	terminal_mode(&io, &io.raw);
	while (!ret && !io.stop)
		ret = loop_once(&io);
	io.has_keys = isatty(STDIN_FILENO) && io.cooked.c_lflag;
	terminal_mode(&io, &io.cooked);
	tally_str_free(&io.out);
	return top_explain_end(top, ret);
}
