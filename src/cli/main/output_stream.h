/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered text output to stdout. */
#ifndef TALLY_CLI_MAIN_OUTPUT_STREAM_H
#define TALLY_CLI_MAIN_OUTPUT_STREAM_H

#include <stdbool.h>

#include "base/str.h"

/* Builder length at which callers flush. */
enum { TALLY_FLUSH_AT = 1 << 16 };

/* Write the builder to stdout. The builder is emptied even if the write fails. Returns 0, -ENOMEM
 * if building the text failed, or the write error, which main() reports. */
int tally_output_flush(struct tally_str *out);

/* Return true if stdout is a terminal that supports colours, or a pager on such a terminal, and
 * NO_COLOR (no-color.org) is unset or empty. */
bool tally_output_colours(void);

/* Parse the argument of --stdio-color: always, never, or auto (also NULL), which means
 * tally_output_colours(). Returns 0, or -EINVAL after printing an error. */
int tally_output_colour_mode(const char *mode, bool *ret_colours);

/* Return true if a full-screen interface can be drawn: stdin and stdout are terminals, and TERM is
 * set and not "dumb". */
bool tally_output_takes_screens(void);

struct tally_output_size {
	int rows, columns; /* 0 if unknown or not a terminal */
};

/* Return the size of the terminal on stdout. COLUMNS in the environment overrides the width that
 * the terminal reports. The width is 80 if unknown and at least 50; narrower terminals wrap the
 * lines. */
struct tally_output_size tally_output_size(void);

/* Return the width of the terminal on stdout. Without a terminal, return the width that COLUMNS
 * sets, or `usual`. */
int tally_output_columns(int usual);

#endif
