/* SPDX-License-Identifier: BSD-2-Clause */
/* The strings of the JSON reader. Internal. */
#ifndef TALLY_JEVENTS_JSON_STRING_H
#define TALLY_JEVENTS_JSON_STRING_H

#include "base/arena.h"
#include "jevents/diagnostic.h"

/* Warnings that a file gets once, however often it earns them. */
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
	unsigned quirks; /* those told already */
};

/* Warn of a quirk at byte `offset`, the first time. */
void tally_json_quirk(struct tally_json_reader *reader, enum tally_json_quirk quirk, size_t offset);

/* Read the string whose opening quote is at reader->at; moves behind the closing one. 0, -EINVAL
 * (told) or -ENOMEM. */
int tally_json_string(struct tally_json_reader *reader, const char **ret_text);

#endif
