/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON reader's string parser. Internal to jevents. */
#ifndef TALLY_JEVENTS_JSON_STRING_H
#define TALLY_JEVENTS_JSON_STRING_H

#include "base/arena.h"
#include "jevents/diagnostic.h"

/* Warnings that are emitted only once per file. */
enum tally_json_quirk {
	TALLY_QUIRK_COMMA = 1,
	TALLY_QUIRK_MISSING_COMMA = 2,
	TALLY_QUIRK_CONTROL = 4,
	TALLY_QUIRK_ESCAPE = 8,
	TALLY_QUIRK_UTF8 = 16,
	TALLY_QUIRK_SURROGATE = 32,
	TALLY_QUIRK_MARK = 64,
};

struct tally_json_reader {
	const struct tally_source *source;
	struct tally_arena *arena;
	size_t at;
	unsigned quirks; /* quirks already reported */
};

/* Warn about a quirk at byte `offset`, unless this quirk has already been reported. */
void tally_json_quirk(struct tally_json_reader *reader, enum tally_json_quirk quirk, size_t offset);

/* Read the string that begins with the quote at reader->at, and advance past the closing quote.
 * Returns 0, -EINVAL (reported) or -ENOMEM. */
int tally_json_string(struct tally_json_reader *reader, const char **ret_text);

#endif
