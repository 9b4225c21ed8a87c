/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a page is written to: a file made anew, or stdout. */
#ifndef TALLY_CLI_RECORDING_PAGE_OUTPUT_H
#define TALLY_CLI_RECORDING_PAGE_OUTPUT_H

#include "page/page.h"

/* Whether `path` can be written, which is found out before a long recording is read; says why not.
 * 0 or -errno. */
int tally_html_output_check(const char *path);

/* Whether `path` is the file of the recording at `input`, which would be gone; says so. */
bool tally_html_output_is(const char *path, const char *input);

/* Write the page, with rights to read it for those who have them of a file with this mode. In
 * `command`'s name, if it is not NULL, it is said that it is there. 0 or -errno, which was told.
 */
int tally_html_output(struct tally_html *page, const char *path, unsigned mode,
		      const char *command);

#endif
