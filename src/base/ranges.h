/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of numbers as people write them: "0-3,5". All zero is the empty set. */
#ifndef TALLY_BASE_RANGES_H
#define TALLY_BASE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_number_range {
	uint32_t first, last;
};

struct tally_ranges {
	TALLY_VEC(struct tally_number_range) all; /* ascending, with gaps between them */
};

/* The parts of a list with commas: the decimal number at `*text`, which moves behind it, and what
 * is behind that, a comma or the end. Blanks around numbers and a comma at the end change nothing.
 * 0 or -EINVAL. */
int tally_list_number(const char **text, uint32_t *ret_number);
int tally_list_next(const char **text);

/* Parse numbers and ranges with commas between them, at least one. 0; -EINVAL, `*ret_ranges` left
 * alone; -ENOMEM. Free with tally_ranges_free(). */
int tally_ranges_parse(const char *text, struct tally_ranges *ret_ranges);

bool tally_ranges_have(const struct tally_ranges *ranges, uint32_t number);

void tally_ranges_free(struct tally_ranges *ranges);

#endif
