/* SPDX-License-Identifier: BSD-2-Clause */
/* Lexer for event strings. */
#ifndef TALLY_EVENTS_CURSOR_H
#define TALLY_EVENTS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/parse.h"

char tally_parser_peek(const struct tally_event_parser *p);
void tally_parser_blanks(struct tally_event_parser *p);

/* Consume a word, up to one of `stops`, white space or the end. */
struct tally_word tally_parser_word(struct tally_event_parser *p, const char *stops);

/* Return the offset of the end of a word of the event string. */
size_t tally_parser_end(const struct tally_event_parser *p, struct tally_word word);

bool tally_word_is(struct tally_word word, const char *text);

/* Copy the word into the list's arena. Returns NULL if out of memory. */
const char *tally_word_dup(struct tally_event_parser *p, struct tally_word word);

/* Parse the whole word as decimal or 0x hexadecimal. Returns 0, -EINVAL, or -ERANGE if the value
 * does not fit in 64 bits. */
int tally_word_u64(struct tally_word word, uint64_t *ret_value);
int tally_word_hex(struct tally_word word, uint64_t *ret_value); /* hexadecimal; 0x is optional */

#endif
