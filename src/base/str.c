/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"

char *tally_str_reserve(struct tally_str *str, size_t more)
{
	size_t need;
	char *grown;

	if (__builtin_add_overflow(str->len + 1, more, &need)) {
		str->failed = true;
		return NULL;
	}
	if (need > str->cap) {
		grown = tally_vec_grow(str->data, &str->cap, 1, need);
		if (!grown) {
			str->failed = true;
			return NULL;
		}
		str->data = grown;
	}
	return str->data + str->len;
}

void tally_str_add(struct tally_str *str, const char *text)
{
	tally_str_add_bytes(str, text, strlen(text));
}

int tally_decimal(uint64_t value, char *end)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char *at = end;

	while (value >= 100) {
		at -= 2;
		memcpy(at, &pairs[value % 100 * 2], 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(at, &pairs[value * 2], 2);
	} else {
		*--at = (char)('0' + value);
	}
	return (int)(end - at);
}

void tally_str_add_u64(struct tally_str *str, uint64_t value)
{
	char digits[TALLY_DECIMAL_MAX], *end = digits + sizeof(digits);
	int n = tally_decimal(value, end);

	tally_str_add_bytes(str, end - n, (size_t)n);
}

uint64_t tally_hex_text(uint32_t value)
{
	uint64_t digits = value, letters;

	/* Spread the digits, one per byte. */
	digits = (digits | digits << 16) & 0x0000ffff0000ffff;
	digits = (digits | digits << 8) & 0x00ff00ff00ff00ff;
	digits = (digits | digits << 4) & 0x0f0f0f0f0f0f0f0f;
	/* Set each byte to 1 if its digit is a letter (a to f), and to 0 otherwise. In ASCII, 'a'
	 * is ':' + 39, and ':' is the character that follows '9'. */
	letters = (digits + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return __builtin_bswap64(digits + 0x3030303030303030 + letters * 39);
}

void tally_str_add_hex(struct tally_str *str, uint64_t value, int width)
{
	int n = value ? 16 - __builtin_clzll(value) / 4 : 1;
	char digits[16];

	n = TALLY_MAX(n, TALLY_MIN(width, 16));
	tally_put_text(digits, tally_hex_text(value >> 32));
	tally_put_text(digits + 8, tally_hex_text((uint32_t)value));
	tally_str_add_bytes(str, digits + 16 - n, (size_t)n);
}

void tally_str_add_hex_bytes(struct tally_str *str, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		tally_str_add_hex(str, bytes[i], 2);
}

void tally_str_addv(struct tally_str *str, const char *format, va_list args)
{
	size_t room = str->cap - str->len;
	va_list again;
	int len;
	char *at;

	va_copy(again, args);
	/* Usually the string fits. Otherwise its length is now known, and it is formatted again. */
	len = vsnprintf(room ? str->data + str->len : NULL, room, format, args);
	at = len < 0 ? NULL : tally_str_reserve(str, (size_t)len);
	if (at && (size_t)len >= room)
		vsnprintf(at, (size_t)len + 1, format, again);
	if (at)
		str->len += (size_t)len;
	else if (room)
		str->data[str->len] = '\0';
	str->failed |= len < 0;
	va_end(again);
}

void tally_str_addf(struct tally_str *str, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tally_str_addv(str, format, args);
	va_end(args);
}

void tally_str_pad_to(struct tally_str *str, size_t column)
{
	size_t pad = column > str->len ? column - str->len : 0;
	char *at = tally_str_reserve(str, pad);

	if (!at)
		return;
	memset(at, ' ', pad);
	at[pad] = '\0';
	str->len += pad;
}

void tally_str_replace(struct tally_str *str, size_t start, char from, char to)
{
	for (size_t at = start; at < str->len && from; at++) {
		if (str->data[at] == from)
			str->data[at] = to;
	}
}

void tally_str_clear(struct tally_str *str)
{
	str->len = 0;
	if (str->data)
		str->data[0] = '\0';
}

int tally_str_error(const struct tally_str *str)
{
	return str->failed ? -ENOMEM : 0;
}

const char *tally_str_text(const struct tally_str *str)
{
	return str->data ? str->data : "";
}

void tally_str_free(struct tally_str *str)
{
	free(str->data);
	*str = (struct tally_str){0};
}

void tally_str_add_grouped(struct tally_str *str, const char *digits, const char *separator)
{
	size_t whole = strcspn(digits, ".");

	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0)
			tally_str_add(str, separator);
		tally_str_add_char(str, digits[i]);
	}
	tally_str_add(str, digits + whole);
}
