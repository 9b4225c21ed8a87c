/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that comes from elsewhere made fit for XML and HTML: what is markup there becomes a
 * reference, what drives terminals, turns directions or is in no XML document is escaped as for
 * people (base/escape.h).
 */
#ifndef TALLY_PAGE_XML_H
#define TALLY_PAGE_XML_H

#include "base/str.h"

/* Escape what was appended to `str` from byte `start` on, for text between tags or in an attribute
 * with double quotes. It went through tally_str_escape() already, and was perhaps shortened. */
void tally_xml_escape_shown(struct tally_str *str, size_t start);

/* Append a text, escaped for people and for XML. */
void tally_xml_add(struct tally_str *str, const char *text);

#endif
