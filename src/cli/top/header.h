/* SPDX-License-Identifier: BSD-2-Clause */
/* The first line of a screen. */
#ifndef TALLY_CLI_TOP_HEADER_H
#define TALLY_CLI_TOP_HEADER_H

#include "cli/top/top.h"

/* Append the first line to an empty builder: rate, shares and losses of the last whole interval,
 * and the events. The caller holds the lock. */
void top_header_text(const struct top *top, struct tally_str *out);

/* Append the name of an event as it was opened, for headings. */
void top_event_name(const struct top *top, uint32_t event, struct tally_str *out);

/* The number of events that are sampled. They come before those that are not. */
size_t top_nr_events(const struct top *top);

#endif
