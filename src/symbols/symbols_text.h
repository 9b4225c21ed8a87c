/* SPDX-License-Identifier: BSD-2-Clause */
/* Scanner for lines in a buffer that need not be NUL-terminated. */
#ifndef TALLY_SYMBOLS_TEXT_H
#define TALLY_SYMBOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

struct tally_text {
	const char *at, *end;
};

/* Read a hexadecimal number, with or without "0x". Returns false if there is no number or it does
 * not fit in 64 bits; the position is undefined in that case. */
static inline bool tally_text_hex(struct tally_text *text, uint64_t *ret_value)
{
	const char *first;
	uint64_t value = 0;

	if (text->end - text->at > 2 && text->at[0] == '0' && (text->at[1] | 0x20) == 'x')
		text->at += 2;
	first = text->at;
	for (; text->at < text->end; text->at++) {
		unsigned int c = (unsigned char)*text->at;
		bool is_letter = (c | 0x20) - 'a' < 6;

		/* Check for letters and digits without a branch, which would be unpredictable. */
		if (!(is_letter | (c - '0' < 10)))
			break;
		if (value >> 60)
			return false;
		value = value << 4 | ((c & 15) + 9 * is_letter);
	}
	*ret_value = value;
	return text->at > first;
}

/* Skip spaces and tabs. Returns true if there were any. */
static inline bool tally_text_skip_blanks(struct tally_text *text)
{
	const char *first = text->at;

	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
	return text->at > first;
}

/* Return true if all eight bytes are ASCII characters above ' '. */
static inline bool tally_text_are_letters(const char *at)
{
	uint64_t bytes = tally_get_u64(at);

	/* A top bit is set if any byte is below 0x21 or above 0x7f. */
	return !((bytes - 0x2121212121212121) & 0x8080808080808080) &&
	       !(bytes & 0x8080808080808080);
}

/* Read up to the next space, tab or end of line. The result may be empty. */
static inline void tally_text_word(struct tally_text *text, const char **ret_word, size_t *ret_len)
{
	*ret_word = text->at;
	while (text->end - text->at >= 8 && tally_text_are_letters(text->at))
		text->at += 8;
	while (text->at < text->end && *text->at != ' ' && *text->at != '\t' && *text->at != '\n')
		text->at++;
	*ret_len = (size_t)(text->at - *ret_word);
}

/* Read the rest of the line. */
static inline void tally_text_line(struct tally_text *text, const char **ret_line, size_t *ret_len)
{
	*ret_line = text->at;
	while (text->at < text->end && *text->at != '\n')
		text->at++;
	*ret_len = (size_t)(text->at - *ret_line);
}

/* Advance past the end of the line. */
static inline void tally_text_next_line(struct tally_text *text)
{
	while (text->at < text->end && *text->at++ != '\n')
		;
}

#endif
