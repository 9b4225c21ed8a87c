/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a script's line. Where one is not what is wanted the error says where it stands. */
#ifndef TALLY_EMULATE_SCRIPT_WORDS_H
#define TALLY_EMULATE_SCRIPT_WORDS_H

#include "emulate/script.h"

#define TALLY_SCRIPT_RATE_MAX ((uint64_t)4000000000 * 1000)

struct script_line {
	const char *text;
	size_t len, at;
	size_t word; /* where the word began that was looked at last */
	uint32_t number;
	struct tally_script_error *error;
};

/* The next line; numbered from 1. */
void script_line_begin(struct script_line *line, const char *text, size_t len);

/* Whether there is another word. */
bool script_more(struct script_line *line);

/* Take the next word if it is this one; what is no letter or digit is a word by itself. */
bool script_word_is(struct script_line *line, const char *word);

/* Whether the next word begins with a digit. */
bool script_is_number(struct script_line *line);

/* A name of letters, digits, '-', '_', '.', ':' and '@' that begins with none of the digits. */
int script_name(struct script_line *line, char to[TALLY_SCRIPT_NAME]);

/* A whole number, decimal or 0x, from `least` to `most`; `wanted` is the error. */
int script_number(struct script_line *line, uint64_t least, uint64_t most, const char *wanted,
		  uint64_t *ret_value);

/* A number with a fraction and k, M or G, in billionths. */
int script_decimal(struct script_line *line, unsigned __int128 *ret_nano);

/* A number and ns, us, ms or s. */
int script_time(struct script_line *line, uint64_t *ret_ns);

/* The error of the word that was looked at last. -EINVAL. */
int script_fail(struct script_line *line, const char *text);

#endif
