/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/name_text.h"

#include <string.h>

#include "base/arith.h"

size_t tally_name_operator(const char *text, size_t len, size_t at)
{
	/* Longer symbols come before their prefixes. */
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<",
					      ">>",  "<=",  ">=",  "->",  "<",  ">"};
	static const char word[] = "operator";
	size_t left = len - at, nr = sizeof(word) - 1;

	if (text[at] != word[0] || left <= nr || memcmp(text + at, word, nr) != 0 ||
	    (at && tally_name_is_word(text[at - 1])))
		return 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(symbols); i++) {
		size_t size = strlen(symbols[i]);

		if (size <= left - nr && !memcmp(text + at + nr, symbols[i], size))
			return nr + size;
	}
	return 0;
}
