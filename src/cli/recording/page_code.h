/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions and lines of source of the functions that have most, for a page (--html-source). */
#ifndef TALLY_CLI_RECORDING_PAGE_CODE_H
#define TALLY_CLI_RECORDING_PAGE_CODE_H

#include "cli/recording/session.h"
#include "page/page.h"

struct tally_html_code_options {
	const uint8_t *passes; /* by bucket: whether its samples count; NULL: all do */
	const char *symfs;     /* where files of source are looked for; NULL: where they were */
};

/* Read the recording again, for what fell on the addresses of its heaviest functions, and add their
 * code to the page. `profile` is finished, and keeps its samples. What has no code is told in the
 * page. 0 or -errno, which was told but for -ENOMEM. */
int tally_html_code_add(struct tally_session *session, const struct tally_profile *profile,
			const struct tally_html_code_options *options, struct tally_html *page);

#endif
