/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Escape text from untrusted sources, such as recordings, symbol tables, other users' processes and
 * file names, before it is shown to people. Escaped text can neither control a terminal nor imitate
 * other lines. Newline, tab and carriage return become \n, \t and \r. Other control characters and
 * bytes that are not UTF-8 are written like \x1b. Invisible characters that change the display,
 * such as bidirectional controls and line separators, are written like \u202e. All other characters
 * are unchanged, including backslashes, so that names look the same as in other tools.
 *
 * Code that prints text for people appends it to a string builder and escapes it there. JSON has
 * its own escapes (json.h).
 */
#ifndef TALLY_BASE_ESCAPE_H
#define TALLY_BASE_ESCAPE_H

#include "base/str.h"

/* Return true if all `len` bytes are printable ASCII, so that nothing needs escaping. This is the
 * usual case. */
bool tally_text_is_plain(const char *text, size_t len);

/* Escape the bytes of `str` from offset `start` on. */
void tally_str_escape(struct tally_str *str, size_t start);

/* Like tally_str_escape(), but keep newlines and tabs, for multi-line text. */
void tally_str_escape_lines(struct tally_str *str, size_t start);

/* Append a string and escape it. */
void tally_str_add_escaped(struct tally_str *str, const char *text);

/* Append a formatted string like tally_str_addf(), escape it, and append a newline. */
void tally_str_add_line(struct tally_str *str, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
