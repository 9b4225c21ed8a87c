/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that comes from elsewhere - a recording, a symbol table, another user's process, a file's
 * name - made fit for people: it can neither drive their terminal nor make lines that look like
 * others. Newline, tab and return become \n, \t and \r; other control characters and bytes that are
 * no UTF-8 become \x1b; characters that are not seen but change what is (directions, ends of lines)
 * become \u202e. All else stays, backslashes too: names are what they are in all other tools.
 *
 * Whatever prints text for people appends it to a builder and escapes it there; JSON has escapes of
 * its own (json.h).
 */
#ifndef TALLY_BASE_ESCAPE_H
#define TALLY_BASE_ESCAPE_H

#include "base/str.h"

/* Whether all of `len` bytes are printable ASCII, which most text is: nothing is to be escaped. */
bool tally_text_is_plain(const char *text, size_t len);

/* Escape what was appended to `str` from byte `start` on. */
void tally_str_escape(struct tally_str *str, size_t start);

/* The same, but newlines and tabs stay: text of several lines. */
void tally_str_escape_lines(struct tally_str *str, size_t start);

/* Append a text, escaped. */
void tally_str_add_escaped(struct tally_str *str, const char *text);

/* Append a line: as tally_str_addf(), escaped, and a newline. */
void tally_str_add_line(struct tally_str *str, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
