/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts of a page, which stand before its data. */
#ifndef TALLY_PAGE_META_H
#define TALLY_PAGE_META_H

#include "page/private.h"

/* Append what the page is called: its recordings. */
void page_title_add(const struct tally_html *page, struct tally_str *out);

/* Append the facts as JSON without any character that HTML has a meaning for. */
void page_meta_add(const struct tally_html *page, struct tally_str *out);

#endif
