/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The error object of parsers: what went wrong, in constant text, and where.
 *
 * Every fallible function returns 0 or -errno. A parser takes an optional
 * `struct tally_error *` as well and fills it before it returns the same code.
 */
#ifndef TALLY_BASE_ERROR_H
#define TALLY_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

struct tally_error {
	int code;         /* the -errno returned; 0 while nothing went wrong */
	const char *text; /* constant, never freed; lower case, no full stop */
	uint64_t offset;  /* byte of the input the text speaks of */
};

/* Fill `err` (NULL is allowed) and hand `code` back, so that a parser ends with
 * `return tally_error_at(err, -EINVAL, "record shorter than its header", at);`. */
static inline int tally_error_at(struct tally_error *err, int code, const char *text,
				 uint64_t offset)
{
	if (err)
		*err = (struct tally_error){code, text, offset};
	return code;
}

#endif
