/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON parser that builds a tree in an arena. Each value records its offset, for messages about its
 * content. Some errors that occur in real trees of event descriptions are tolerated with a warning:
 * extra or missing commas between objects, control characters in strings, invalid escapes, bytes
 * that are not UTF-8, and a byte order mark.
 */
#ifndef TALLY_JEVENTS_JSON_READ_H
#define TALLY_JEVENTS_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "jevents/diagnostic.h"

enum {
	TALLY_JSON_DEPTH = 32,      /* maximum nesting of containers */
	TALLY_JSON_SIZE = 64 << 20, /* maximum size in bytes */
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
	struct tally_json_value *next;  /* next value in the same container */
	struct tally_json_value *first; /* first value in this container */
	const char *key;                /* name, if this is a member of an object; otherwise NULL */
	/* Decoded string, or number as written. NUL-terminated, without embedded NULs. */
	const char *text;
	uint32_t offset; /* offset of the value's first byte */
	enum tally_json_kind kind;
};

/* Parse all of `source`. The tree is allocated in `arena`. Returns 0; -EINVAL (reported) if the
 * source is not JSON, even with the errors listed above tolerated; -E2BIG (reported) if it exceeds
 * the limits above; -ENOMEM. */
int tally_json_read(const struct tally_source *source, struct tally_arena *arena,
		    const struct tally_json_value **ret_root);

#endif
