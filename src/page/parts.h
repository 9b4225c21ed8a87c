/* SPDX-License-Identifier: BSD-2-Clause */
/* The static parts of a page, generated from src/page/web by scripts/embed_page.py during the
 * build. */
#ifndef TALLY_PAGE_PARTS_H
#define TALLY_PAGE_PARTS_H

#include <stddef.h>

/* The part before the title, and the parts that follow the title, the metadata and the data. */
enum { TALLY_HTML_PARTS = 4 };

struct tally_html_part {
	const unsigned char *bytes;
	size_t len;
};

extern const struct tally_html_part tally_html_parts[TALLY_HTML_PARTS];

#endif
