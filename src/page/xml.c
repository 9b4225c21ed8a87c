/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/xml.h"

#include "base/arith.h"
#include "base/escape.h"

/* U+FFFE and U+FFFF are valid in UTF-8 and invisible on terminals, but not allowed in XML. */
static const struct {
	const char *bytes, *written;
} references[] = {
	{"&", "&amp;"},
	{"<", "&lt;"},
	{">", "&gt;"},
	{"\"", "&quot;"},
	{"'", "&#39;"},
	{"\xef\xbf\xbe", "\\ufffe"},
	{"\xef\xbf\xbf", "\\uffff"},
};

static const char *reference_of(const char *at, size_t *ret_len)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(references); i++) {
		size_t len = strlen(references[i].bytes);

		if (!strncmp(at, references[i].bytes, len)) {
			*ret_len = len;
			return references[i].written;
		}
	}
	*ret_len = 1;
	return NULL;
}

void tally_xml_escape_shown(struct tally_str *str, size_t start)
{
	const char *rest = tally_str_text(str) + TALLY_MIN(start, str->len), *written;
	struct tally_str text = {0};
	size_t len;

	if (!strpbrk(rest, "&<>\"'\xef"))
		return;
	tally_str_add(&text, rest);
	str->len = start;
	for (const char *at = tally_str_text(&text); *at; at += len) {
		written = reference_of(at, &len);
		if (written)
			tally_str_add(str, written);
		else
			tally_str_add_bytes(str, at, 1);
	}
	str->failed |= text.failed;
	tally_str_free(&text);
}

void tally_xml_add(struct tally_str *str, const char *text)
{
	size_t start = str->len;

	tally_str_add(str, text);
	tally_str_escape(str, start);
	tally_xml_escape_shown(str, start);
}
