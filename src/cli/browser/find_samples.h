/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the selected samples that have a function in their callchain. */
#ifndef TALLY_CLI_BROWSER_FIND_SAMPLES_H
#define TALLY_CLI_BROWSER_FIND_SAMPLES_H

#include <stdint.h>

struct browser;
struct tally_frame;

/* Store a bitmap of sample numbers, as for tally_session_rerun(), in `*ret_bits`. The caller frees
 * it. Return 0 or -ENOMEM. */
int browser_find_samples(struct browser *browser, const struct tally_frame *frame,
			 uint64_t **ret_bits, uint64_t *ret_nr);

#endif
