/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/embedded/stored_texts.h"

#include <string.h>

uint64_t tally_stored_text(struct tally_stored_texts *texts, const char *text)
{
	uint32_t number;

	/* After a failure, `known` and `offsets` may differ. */
	if (texts->bytes.failed)
		return 0;
	if (tally_intern(&texts->known, text, strlen(text), &number)) {
		texts->bytes.failed = true;
		return 0;
	}
	if (number == texts->offsets.len) {
		if (tally_vec_push(&texts->offsets, texts->bytes.len)) {
			texts->bytes.failed = true;
			return 0;
		}
		tally_str_add_bytes(&texts->bytes, text, strlen(text) + 1);
	}
	return texts->offsets.data[number];
}

void tally_stored_texts_free(struct tally_stored_texts *texts)
{
	tally_vec_free(&texts->offsets);
	tally_intern_free(&texts->known);
	tally_str_free(&texts->bytes);
}
