/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A string builder. An allocation failure is recorded, not returned: append without checks, then
 * call tally_str_error() once. An all-zero builder is empty. `data` is NUL-terminated unless it is
 * NULL.
 */
#ifndef TALLY_BASE_STR_H
#define TALLY_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/endian.h"
#include "tally/texts.h"

enum { TALLY_DECIMAL_MAX = 20 }; /* number of digits in the largest uint64_t */

/* Write `value` in decimal so that it ends before `end`. Return the number of digits. There must be
 * space for TALLY_DECIMAL_MAX digits. */
int tally_decimal(uint64_t value, char *end);

/* Return the eight hexadecimal digits of `value` as text, with the first character in the lowest
 * byte; see tally_put_text(). */
uint64_t tally_hex_text(uint32_t value);

/* Store eight characters at `at`. */
static inline void tally_put_text(char *at, uint64_t text)
{
	tally_put_u64(at, TALLY_HOST_BIG_ENDIAN ? __builtin_bswap64(text) : text);
}

/* Return the plural ending for `nr` items: "1 sample", "2 samples". */
static inline const char *tally_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Append a NUL-terminated string, a number, or a formatted string. */
void tally_str_add(struct tally_str *str, const char *text);
void tally_str_add_u64(struct tally_str *str, uint64_t value);            /* decimal */
void tally_str_add_hex(struct tally_str *str, uint64_t value, int width); /* zero-padded */
/* Append a number in decimal, with `separator` between groups of three digits before its point. */
void tally_str_add_grouped(struct tally_str *str, const char *digits, const char *separator);

/* Append two hexadecimal digits for each byte. */
void tally_str_add_hex_bytes(struct tally_str *str, const uint8_t *bytes, size_t len);
void tally_str_addf(struct tally_str *str, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tally_str_addv(struct tally_str *str, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Reserve space for `more` bytes and a NUL after the first `len` bytes. Return the address of the
 * space, or NULL if out of memory. The caller writes to the space, increases `len` and writes the
 * NUL. */
char *tally_str_reserve(struct tally_str *str, size_t more);

static inline void tally_str_add_bytes(struct tally_str *str, const void *bytes, size_t len)
{
	char *at = len < str->cap - str->len ? str->data + str->len : tally_str_reserve(str, len);

	if (!at)
		return;
	memcpy(at, bytes, len);
	at[len] = '\0';
	str->len += len;
}

static inline void tally_str_add_char(struct tally_str *str, char c)
{
	tally_str_add_bytes(str, &c, 1);
}

/* Pad with spaces until the builder is `column` bytes long. */
void tally_str_pad_to(struct tally_str *str, size_t column);

/* Replace each `from` at or after offset `start` with `to`; do nothing if `from` is NUL. */
void tally_str_replace(struct tally_str *str, size_t start, char from, char to);

#endif
