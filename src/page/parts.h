/* SPDX-License-Identifier: BSD-2-Clause */
/* The page around what is in it: made of src/page/web by scripts/embed_page.py when tally is built.
 */
#ifndef TALLY_PAGE_PARTS_H
#define TALLY_PAGE_PARTS_H

#include <stddef.h>

/* Before the title, and behind the title, the facts and the data. */
enum { TALLY_HTML_PARTS = 4 };

struct tally_html_part {
	const unsigned char *bytes;
	size_t len;
};

extern const struct tally_html_part tally_html_parts[TALLY_HTML_PARTS];

#endif
