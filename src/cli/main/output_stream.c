/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/output_stream.h"

#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "base/arith.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"

enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 50, MOST_COLUMNS = 1 << 15 };

int tally_output_flush(struct tally_str *out)
{
	size_t written;
	int ret;

	if (tally_str_error(out))
		return -ENOMEM;
	errno = 0;
	written = fwrite(tally_str_text(out), 1, out->len, stdout);
	ret = written == out->len ? 0 : errno ? -errno : -EIO;
	/* Clear the text even after an error, because part of it may have been written. */
	tally_str_clear(out);
	return ret;
}

static bool is_terminal(void)
{
	return isatty(STDOUT_FILENO) || tally_pager_runs();
}

bool tally_output_colours(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return is_terminal() && !(none && *none) && term && strcmp(term, "dumb");
}

int tally_output_colour_mode(const char *mode, bool *ret_colours)
{
	if (mode && strcmp(mode, "always") && strcmp(mode, "never") && strcmp(mode, "auto")) {
		tally_print_error("option '--stdio-color' requires always, never or auto, not '%s'",
				  mode);
		return -EINVAL;
	}
	*ret_colours =
		mode && strcmp(mode, "auto") ? !strcmp(mode, "always") : tally_output_colours();
	return 0;
}

bool tally_output_takes_screens(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static int columns_in_range(long columns)
{
	return (int)TALLY_MAX(TALLY_MIN(columns, MOST_COLUMNS), LEAST_COLUMNS);
}

/* Return the width that COLUMNS sets, or 0. */
static int environment_columns(void)
{
	const char *environment = getenv("COLUMNS");
	long columns = environment ? strtol(environment, NULL, 10) : 0;

	return columns > 0 ? columns_in_range(columns) : 0;
}

struct tally_output_size tally_output_size(void)
{
	struct tally_output_size size = {0};
	struct winsize terminal = {0};

	if (!is_terminal())
		return size;
	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal);
	size.rows = terminal.ws_row;
	size.columns = environment_columns();
	if (!size.columns)
		size.columns =
			columns_in_range(terminal.ws_col ? terminal.ws_col : DEFAULT_COLUMNS);
	return size;
}

int tally_output_columns(int usual)
{
	int columns = is_terminal() ? tally_output_size().columns : environment_columns();

	return columns ? columns : usual;
}
