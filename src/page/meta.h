/* SPDX-License-Identifier: BSD-2-Clause */
/* The metadata of a page, which precedes its data. */
#ifndef TALLY_PAGE_META_H
#define TALLY_PAGE_META_H

#include "page/page_private.h"

/* Append the page's title, which consists of the names of its recordings. */
void page_title_add(const struct tally_html *page, struct tally_str *out);

/* Append the metadata as JSON, without characters that are special in HTML. */
void page_meta_add(const struct tally_html *page, struct tally_str *out);

#endif
