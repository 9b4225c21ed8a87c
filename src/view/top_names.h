/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_VIEW_TOP_NAMES_H
#define TALLY_VIEW_TOP_NAMES_H

#include "view/top_lists.h"

/* Append the name of the function in row `i` of a list, escaped and cut to `columns` columns. If
 * another function of the list has the same cut name, the first identifier in which both differ
 * follows in brackets, unless it takes more than half of the columns. */
void tally_top_names_add(const struct tally_top_lists *lists, enum tally_top_list list, uint32_t i,
			 size_t columns, const char *mark, struct tally_str *out);

#endif
