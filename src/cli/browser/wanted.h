/* SPDX-License-Identifier: BSD-2-Clause */
/* Which samples of a recording have a function on their callchain, of those looked at. */
#ifndef TALLY_CLI_BROWSER_WANTED_H
#define TALLY_CLI_BROWSER_WANTED_H

#include <stdint.h>

struct browser;
struct tally_frame;

/* Bits by number, as for tally_session_again(); NULL: all must come. Free them. 0 or -ENOMEM. */
int browser_wanted(struct browser *browser, const struct tally_frame *frame, uint64_t **ret_bits,
		   uint64_t *ret_nr);

#endif
