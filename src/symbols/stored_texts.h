/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of a section of stored names that is being written: each once. */
#ifndef TALLY_SYMBOLS_STORED_TEXTS_H
#define TALLY_SYMBOLS_STORED_TEXTS_H

#include "base/intern.h"
#include "base/str.h"

/* All zero: none yet. Where memory was out, `bytes` says so (tally_str_error()). */
struct tally_stored_texts {
	struct tally_intern known;
	TALLY_VEC(uint64_t) offsets; /* by number, in `bytes` */
	struct tally_str bytes;
};

/* The place of a text, which is added when it is new. */
uint64_t tally_stored_text(struct tally_stored_texts *texts, const char *text);

void tally_stored_texts_free(struct tally_stored_texts *texts);

#endif
