/* SPDX-License-Identifier: BSD-2-Clause */
/* Similar names for an unknown event. */
#ifndef TALLY_EVENTS_SUGGEST_H
#define TALLY_EVENTS_SUGGEST_H

#include "events/parse.h"

/* Fill err->near with similar names from all available events. */
void tally_suggest_events(struct tally_event_parser *p, struct tally_word word);

#endif
