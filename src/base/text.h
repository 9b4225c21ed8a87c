/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare text that is not null-terminated. */
#ifndef TALLY_BASE_TEXT_H
#define TALLY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Return true if the `len` bytes at `text` equal `name`. `name` may be NULL. */
static inline bool tally_text_is(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, text, len);
}

#endif
