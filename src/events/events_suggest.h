/* SPDX-License-Identifier: BSD-2-Clause */
/* Additional information for errors: similar names, and a fix. */
#ifndef TALLY_EVENTS_SUGGEST_H
#define TALLY_EVENTS_SUGGEST_H

#include "events/parse.h"

/* Copy the suggested names to err->near. */
void tally_error_near(struct tally_event_error *err, const struct tally_suggest *suggest);

/* Fill err->near with similar names from all available events. */
void tally_suggest_events(struct tally_event_parser *p, struct tally_word word);

/* Copy `text` to err->fix, truncated if necessary. */
void tally_error_fix(struct tally_event_error *err, const char *text);

#endif
