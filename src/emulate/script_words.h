/* SPDX-License-Identifier: BSD-2-Clause */
/* Split a script line into words. The error for an unexpected word contains the word's position. */
#ifndef TALLY_EMULATE_SCRIPT_WORDS_H
#define TALLY_EMULATE_SCRIPT_WORDS_H

#include "emulate/emulate_script.h"

#define TALLY_SCRIPT_RATE_MAX ((uint64_t)4000000000 * 1000)

struct script_line {
	const char *text;
	size_t len, at;
	size_t word; /* start of the word that was parsed last */
	uint32_t number;
	struct tally_script_error *error;
};

/* Begin the next line; lines are numbered from 1. */
void script_line_begin(struct script_line *line, const char *text, size_t len);

/* Return true if there is another word. */
bool script_has_word(struct script_line *line);

/* Consume the next word and return true if it is `word`. A character that cannot be part of a name
 * is a separate word. */
bool script_accept(struct script_line *line, const char *word);

/* Return true if the next word starts with a digit. */
bool script_is_number(struct script_line *line);

/* Parse a name of letters, digits, '-', '_', '.', ':' and '@' that does not start with a digit. */
int script_name(struct script_line *line, char to[TALLY_SCRIPT_NAME]);

/* Parse a decimal or 0x hexadecimal integer from `least` to `most`. `wanted` is the error
 * message. */
int script_number(struct script_line *line, uint64_t least, uint64_t most, const char *wanted,
		  uint64_t *ret_value);

/* Parse a number, optionally with a fraction and a suffix k, M or G. The result is in
 * billionths. */
int script_decimal(struct script_line *line, unsigned __int128 *ret_nano);

/* Parse a number followed by ns, us, ms or s. */
int script_time(struct script_line *line, uint64_t *ret_ns);

/* Report an error at the word that was parsed last. Returns -EINVAL. */
int script_fail(struct script_line *line, const char *text);

#endif
