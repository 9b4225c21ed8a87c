/* SPDX-License-Identifier: BSD-2-Clause */
/* What an error says beside where it is: near names, a fix. */
#ifndef TALLY_EVENTS_SUGGEST_H
#define TALLY_EVENTS_SUGGEST_H

#include "events/parse.h"

/* Copy the names that were found to err->near. */
void tally_error_near(struct tally_event_error *err, const struct tally_suggest *suggest);

/* Fill err->near from every event name there is. */
void tally_suggest_events(struct tally_event_parser *p, struct tally_word word);

/* Copy `text` to err->fix, cut to fit. */
void tally_error_fix(struct tally_event_error *err, const char *text);

#endif
