/* SPDX-License-Identifier: BSD-2-Clause */
/* The first line of the screen. */
#ifndef TALLY_CLI_TOP_HEADER_H
#define TALLY_CLI_TOP_HEADER_H

#include "cli/top/top.h"

/* Append the line to an empty builder: the rate, percentages and losses for the last complete
 * interval, and the events. Called with top->lock held. */
void top_header_text(const struct top *top, struct tally_str *out);

/* Append the name under which an event was opened, for use in headings. */
void top_event_name(const struct top *top, uint32_t event, struct tally_str *out);

/* Return the number of sampled events, which precede all other events. */
size_t top_nr_events(const struct top *top);

#endif
