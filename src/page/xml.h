/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Escapes untrusted text for XML and HTML. Characters used for markup become character references.
 * Characters that control terminals, change the text direction or are not allowed in XML are
 * escaped for display (base/escape.h).
 */
#ifndef TALLY_PAGE_XML_H
#define TALLY_PAGE_XML_H

#include "base/str.h"

/* Escape `str` from byte `start`, for use between tags or in a double-quoted attribute. The text
 * must already have been escaped by tally_str_escape(), but may have been shortened since. */
void tally_xml_escape_shown(struct tally_str *str, size_t start);

/* Append text, escaped for display and for XML. */
void tally_xml_add(struct tally_str *str, const char *text);

#endif
