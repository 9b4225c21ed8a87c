/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of percentages on terminals, as in perf: red from 5 %, green above 0.5 %. */
#ifndef TALLY_VIEW_PERCENT_COLOUR_H
#define TALLY_VIEW_PERCENT_COLOUR_H

#include <stddef.h>

#define TALLY_NO_COLOUR "\033[m"

/* Return the escape sequence that selects the colour, or NULL for the usual colour. */
static inline const char *tally_percent_colour(double percent)
{
	return percent >= 5 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

#endif
