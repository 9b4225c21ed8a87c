/* SPDX-License-Identifier: BSD-2-Clause */
/* Shorten names. The first two bytes select the number of columns and the method. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/shorten.h"
#include "view/width.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A shortened name must fit and must not end in the middle of a character. A name that fits must be
 * unchanged. */
static void check(const struct tally_str *whole, const struct tally_str *str, size_t columns)
{
	struct tally_str escaped = {0};
	size_t width = tally_width(tally_str_text(str), str->len);

	if (width > columns || str->len > whole->len + TALLY_GLYPH_BYTES)
		abort();
	if (tally_width(tally_str_text(whole), whole->len) <= columns &&
	    strcmp(tally_str_text(whole), tally_str_text(str)) != 0)
		abort();
	tally_str_add_escaped(&escaped, tally_str_text(str));
	if (strcmp(tally_str_text(&escaped), tally_str_text(str)) != 0)
		abort();
	tally_str_free(&escaped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_str whole = {0}, str = {0};

	if (size < 2)
		return 0;
	tally_str_add_bytes(&whole, data + 2, size - 2);
	tally_str_escape(&whole, 0);
	tally_str_add(&str, tally_str_text(&whole));
	tally_shorten(&str, 0, (enum tally_shorten)(data[1] % 4), data[0],
		      data[1] & 0x80 ? "..." : "\xe2\x80\xa6");
	check(&whole, &str, data[0]);
	tally_str_free(&str);
	tally_str_free(&whole);
	return 0;
}
