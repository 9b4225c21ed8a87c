/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The error object for parsers: a constant message, and the offset of the problem.
 *
 * A function that can fail returns 0 or -errno. A parser also takes an optional `struct tally_error
 * *`, and fills it in before it returns the same code.
 */
#ifndef TALLY_BASE_ERROR_H
#define TALLY_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "tally/texts.h"

/* Fill in `err` (NULL is allowed) and return `code`, so that a parser can end with `return
 * tally_error_at(err, -EINVAL, "record shorter than its header", at);`. */
static inline int tally_error_at(struct tally_error *err, int code, const char *text,
				 uint64_t offset)
{
	if (err)
		*err = (struct tally_error){code, text, offset};
	return code;
}

#endif
