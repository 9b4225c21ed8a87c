/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_BASE_SIZE_H
#define TALLY_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Parse "64", "512K", "4M" or "1G" as a number of bytes; a number without a suffix is in multiples
 * of `unit` bytes. Return false if `text` is not a size or the result does not fit. */
bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes);

/* Append a number of bytes exactly, in the largest unit that divides it: "64B", "4K", "2M". */
void tally_size_add(struct tally_str *out, uint64_t bytes);

#endif
