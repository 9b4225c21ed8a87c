/* SPDX-License-Identifier: BSD-2-Clause */
/* Scan text that is not null-terminated: numbers, words and blanks. */
#ifndef TALLY_BASE_SCAN_H
#define TALLY_BASE_SCAN_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The part of a text that has not been scanned yet. */
struct tally_scan {
	const char *at, *end;
};

static inline struct tally_scan tally_scan_of(const char *text, size_t len)
{
	return (struct tally_scan){text, text + len};
}

/* White space as in isspace(), regardless of the locale. */
static inline bool tally_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return the value of a hexadecimal digit, or 16 if `c` is not a digit. */
static inline unsigned tally_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static inline bool tally_is_digit(char c)
{
	return tally_digit(c) < 10;
}

/* Return the next character, or NUL at the end. */
static inline char tally_scan_peek(const struct tally_scan *scan)
{
	return scan->at < scan->end ? *scan->at : '\0';
}

/* Skip spaces and tabs. */
static inline void tally_scan_blanks(struct tally_scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
}

/* Skip `c`. Returns false if the next character is another one. */
static inline bool tally_scan_char(struct tally_scan *scan, char c)
{
	bool is_next = scan->at < scan->end && *scan->at == c;

	scan->at += is_next;
	return is_next;
}

/* Skip `text`. Returns false if something else follows. */
static inline bool tally_scan_text(struct tally_scan *scan, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, text, len))
		return false;
	scan->at += len;
	return true;
}

/* Scan all digits of an unsigned number; `base` is at most 16. Returns 0; -EINVAL if there is no
 * digit; or -ERANGE if the number exceeds 64 bits. */
static inline int tally_scan_number(struct tally_scan *scan, unsigned base, uint64_t *ret_value)
{
	const char *start = scan->at;
	uint64_t value = 0;
	int ret = 0;

	for (; scan->at < scan->end && tally_digit(*scan->at) < base; scan->at++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)tally_digit(*scan->at), &value))
			ret = -ERANGE;
	}
	if (scan->at == start)
		return -EINVAL;
	if (!ret)
		*ret_value = value;
	return ret;
}

/* Like tally_scan_number(), for a decimal number, or a hexadecimal number after "0x". */
static inline int tally_scan_prefixed(struct tally_scan *scan, uint64_t *ret_value)
{
	bool is_hex =
		scan->end - scan->at >= 2 && scan->at[0] == '0' && (scan->at[1] | 0x20) == 'x';

	scan->at += is_hex ? 2 : 0;
	return tally_scan_number(scan, is_hex ? 16 : 10, ret_value);
}

/* Scan the digits after a decimal point, and return their value in units of 1/`unit`, where `unit`
 * is a power of ten. Further digits are ignored. */
static inline uint64_t tally_scan_fraction(struct tally_scan *scan, uint64_t unit)
{
	uint64_t value = 0;

	for (; scan->at < scan->end && tally_is_digit(*scan->at); scan->at++) {
		unit /= 10;
		value += tally_digit(*scan->at) * unit;
	}
	return value;
}

#endif
