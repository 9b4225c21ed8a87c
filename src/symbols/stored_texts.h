/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of a section of embedded symbols that is being written: each is stored once. */
#ifndef TALLY_SYMBOLS_STORED_TEXTS_H
#define TALLY_SYMBOLS_STORED_TEXTS_H

#include "base/intern.h"
#include "base/str.h"

/* All zero is empty. If memory was out, tally_str_error() of `bytes` returns an error. */
struct tally_stored_texts {
	struct tally_intern known;
	TALLY_VEC(uint64_t) offsets; /* offsets in `bytes`, by number */
	struct tally_str bytes;
};

/* Return the offset of a text, which is added if it is new. */
uint64_t tally_stored_text(struct tally_stored_texts *texts, const char *text);

void tally_stored_texts_free(struct tally_stored_texts *texts);

#endif
