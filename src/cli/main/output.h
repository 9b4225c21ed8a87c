/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on its way to stdout, in large pieces. */
#ifndef TALLY_CLI_MAIN_OUTPUT_H
#define TALLY_CLI_MAIN_OUTPUT_H

#include <stdbool.h>

#include "base/str.h"

/* A builder longer than this is worth writing. */
enum { TALLY_FLUSH_AT = 1 << 16 };

/* Write the builder to stdout and empty it, also if writing fails. 0; -ENOMEM when building it
 * failed; the error of writing, which main() tells. */
int tally_output_flush(struct tally_str *out);

/* Whether stdout is a terminal, or its pager, that shows colours, and nobody asked for none:
 * NO_COLOR (no-color.org) with any value but an empty one. */
bool tally_output_colours(void);

/* Whether a screen can be drawn: standard input and output are a terminal, of a kind (TERM) that is
 * not dumb. */
bool tally_output_takes_screens(void);

struct tally_output_size {
	int rows, columns; /* 0: not known, or of no terminal */
};

/* How large the terminal is that stdout is. COLUMNS in the environment comes before what the
 * terminal says; 80 where nobody says anything. Of what is narrower than 50 columns lines are
 * wrapped. */
struct tally_output_size tally_output_size(void);

#endif
