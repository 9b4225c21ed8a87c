/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that functions of the library append to, and the errors of its parsers. */
#ifndef TALLY_TEXTS_H
#define TALLY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text. An all-zero structure is empty; free it with tally_str_free(). If there is not enough
 * memory, the text is incomplete and tally_str_error() returns -ENOMEM. */
struct tally_str {
	char *data; /* NUL-terminated, or NULL */
	size_t len, cap;
	bool failed;
};

/* Return the text, "" if it is empty. It is valid until the next change. */
const char *tally_str_text(const struct tally_str *str);

/* Return 0, or -ENOMEM if an append has failed since the last tally_str_free(). */
int tally_str_error(const struct tally_str *str);

/* Remove the content, but keep the memory and a recorded failure. */
void tally_str_clear(struct tally_str *str);

/* Free the text. The structure is then empty. */
void tally_str_free(struct tally_str *str);

/* The error of a parser. Functions with an optional argument of this type set it before they return
 * an error. */
struct tally_error {
	int code;         /* the -errno that was returned; 0 if there was no error */
	const char *text; /* constant, never freed; lower case, no full stop */
	uint64_t offset;  /* offset of the problem in the input */
};

#ifdef __cplusplus
}
#endif

#endif
