/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions and source lines of the heaviest functions, for a page (--html). */
#ifndef TALLY_PAGE_PAGE_CODE_H
#define TALLY_PAGE_PAGE_CODE_H

#include "session/session.h"
#include "page/page.h"

struct tally_html_code_options {
	const uint8_t *passes; /* per bucket, nonzero to count its samples; NULL to count all */
	const char *symfs;     /* root directory for source files, or NULL for original paths */
	bool public_only;      /* include source text only of files that all users may read */
};

/* Read the recording again to collect the samples at each address in the heaviest functions, and
 * add the functions' code to the page. `profile` must be finished, with keeps_samples set. The page
 * contains notes about functions without code. Returns 0 or -errno; errors other than -ENOMEM have
 * been emitted as messages. */
int tally_html_code_add(struct tally_session *session, const struct tally_profile *profile,
			const struct tally_html_code_options *options, struct tally_html *page);

#endif
