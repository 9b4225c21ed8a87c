/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens of function names from C++, Rust, Go and other languages. */
#ifndef TALLY_SYMBOLS_NAME_TEXT_H
#define TALLY_SYMBOLS_NAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Return true if `c` can be part of an identifier. All bytes of UTF-8 sequences can. */
static inline bool tally_name_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Return the length in bytes of the operator name at offset `at`, including the word "operator", or
 * 0 if there is no operator name that contains a bracket, an arrow or a comparison. */
size_t tally_name_operator(const char *text, size_t len, size_t at);

#endif
