/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_BASE_SIZE_H
#define TALLY_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Parse "64", "512K", "4M" or "1G" as a number of bytes; a number without a suffix is in multiples
 * of `unit` bytes. Return false if `text` is not a size or the result does not fit. */
bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes);

#endif
