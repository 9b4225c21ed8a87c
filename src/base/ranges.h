/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of numbers, parsed from text such as "0-3,5". An all-zero set is empty. */
#ifndef TALLY_BASE_RANGES_H
#define TALLY_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_number_range {
	uint32_t first, last;
};

struct tally_ranges {
	TALLY_VEC(struct tally_number_range) all; /* ascending; neither overlapping nor adjacent */
};

/* Parse the decimal number at `*text` and advance `*text` past it. Spaces and tabs before it are
 * skipped. Return 0, or -EINVAL if there is no number or it exceeds UINT32_MAX. */
int tally_list_number(const char **text, uint32_t *ret_number);
/* Advance `*text` past the comma after a number, or to the end of the text. Spaces and tabs are
 * skipped, and a comma may follow the last number. Return 0, or -EINVAL for any other text. */
int tally_list_next(const char **text);

/* Parse one or more numbers and ranges separated by commas. Free the set with tally_ranges_free().
 * Return 0; -EINVAL with `*ret_ranges` unchanged; or -ENOMEM. */
int tally_ranges_parse(const char *text, struct tally_ranges *ret_ranges);

/* Return true if the set contains `number`. */
bool tally_ranges_have(const struct tally_ranges *ranges, uint32_t number);

/* Free the set; it is empty afterwards. */
void tally_ranges_free(struct tally_ranges *ranges);

#endif
