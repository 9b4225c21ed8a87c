/* SPDX-License-Identifier: BSD-2-Clause */
/* String table for an embedded symbols section that is being written. Each string is stored
 * once. */
#ifndef TALLY_SYMBOLS_EMBEDDED_STORED_TEXTS_H
#define TALLY_SYMBOLS_EMBEDDED_STORED_TEXTS_H

#include "base/intern.h"
#include "base/str.h"

/* An all-zero struct is empty. After a memory allocation failure, tally_str_error() returns an
 * error for `bytes`. */
struct tally_stored_texts {
	struct tally_intern known;
	TALLY_VEC(uint64_t) offsets; /* offsets in `bytes`, indexed by ID in `known` */
	struct tally_str bytes;
};

/* Return the offset of a string, adding the string if it is new. */
uint64_t tally_stored_text(struct tally_stored_texts *texts, const char *text);

void tally_stored_texts_free(struct tally_stored_texts *texts);

#endif
