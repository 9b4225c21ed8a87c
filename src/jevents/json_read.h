/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON to a tree in an arena. Every value knows its byte, for messages about what it means. Reads
 * what trees of event descriptions hold in practice as well, each with a warning: commas too many
 * or missing between objects, control characters in strings, escapes that are none, bytes that are
 * not UTF-8, a byte order mark.
 */
#ifndef TALLY_JEVENTS_JSON_READ_H
#define TALLY_JEVENTS_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "jevents/diagnostic.h"

enum {
	TALLY_JSON_DEPTH = 32,      /* containers within containers */
	TALLY_JSON_SIZE = 64 << 20, /* bytes */
};

enum tally_json_kind {
	TALLY_JSON_NULL,
	TALLY_JSON_FALSE,
	TALLY_JSON_TRUE,
	TALLY_JSON_NUMBER,
	TALLY_JSON_STRING,
	TALLY_JSON_ARRAY,
	TALLY_JSON_OBJECT,
};

struct tally_json_value {
	struct tally_json_value *next;  /* in the same container */
	struct tally_json_value *first; /* of a container */
	const char *key;                /* of an object's member, else NULL */
	const char *text; /* string: decoded; number: as written; NUL-terminated, no NUL inside */
	uint32_t offset;  /* of the value's first byte */
	enum tally_json_kind kind;
};

/* Read the whole of `source`. The tree lives in `arena`. 0; -EINVAL if it is no JSON even so, told
 * to the source's messages; -E2BIG beyond the limits above, told as well; -ENOMEM. */
int tally_json_read(const struct tally_source *source, struct tally_arena *arena,
		    const struct tally_json_value **ret_root);

#endif
