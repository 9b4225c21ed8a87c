/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parse JSON to a tree in an arena. Each value has its offset, for messages about its content. Some
 * errors that occur in real trees of event descriptions are tolerated with a warning: additional or
 * missing commas between objects, control characters in strings, invalid escapes, bytes that are
 * not UTF-8, and a byte order mark.
 */
#ifndef TALLY_JEVENTS_JSON_READ_H
#define TALLY_JEVENTS_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "jevents/diagnostic.h"

enum {
	TALLY_JSON_DEPTH = 32,      /* nested containers */
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
	struct tally_json_value *next;  /* next value in the same container */
	struct tally_json_value *first; /* first value in this container */
	const char *key;                /* for members of an object, else NULL */
	/* String: decoded; number: as written. NUL-terminated, does not contain NUL. */
	const char *text;
	uint32_t offset; /* of the first byte of the value */
	enum tally_json_kind kind;
};

/* Read all of `source`. The tree lives in `arena`. Returns 0; -EINVAL (reported) if it is not JSON,
 * even with the exceptions above; -E2BIG (reported) beyond the limits above; -ENOMEM. */
int tally_json_read(const struct tally_source *source, struct tally_arena *arena,
		    const struct tally_json_value **ret_root);

#endif
