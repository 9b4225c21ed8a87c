/* SPDX-License-Identifier: BSD-2-Clause */
/* Moving through an event string, and the words of it. */
#ifndef TALLY_EVENTS_CURSOR_H
#define TALLY_EVENTS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/parse.h"

char tally_parser_peek(const struct tally_event_parser *p);
void tally_parser_blanks(struct tally_event_parser *p);

/* Take bytes up to one of `stops`, white space or the end. */
struct tally_word tally_parser_word(struct tally_event_parser *p, const char *stops);

/* Fill the error and return `code`. `word` may lie outside of p->text (an alias's terms); its
 * offset is then that of p->at. */
int tally_parser_fail(struct tally_event_parser *p, int code, const char *text,
		      struct tally_word word);

bool tally_word_is(struct tally_word word, const char *text);

/* Copy into the list's arena; NULL when out of memory. */
const char *tally_word_dup(struct tally_event_parser *p, struct tally_word word);

/* Decimal or 0x hexadecimal, all of the word. 0, -EINVAL, or -ERANGE over 64 bits. */
int tally_word_u64(struct tally_word word, uint64_t *ret_value);
int tally_word_hex(struct tally_word word, uint64_t *ret_value); /* without 0x as well */

#endif
