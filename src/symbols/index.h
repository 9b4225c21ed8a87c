/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index file of an object: what was once made of the object, in sections that are mapped and
 * used as they are. It is named by the object's build-id, lies in a directory of the user
 * (index_dir.h) and is written whole or not at all (index_write.h). docs/index-format.md has the
 * layout.
 *
 * An index is a cache: whatever is wrong with one, it is as if it were not there. One that was torn
 * or changed by accident is found out by its sums. One that says nonsense with the right sums must
 * not lead a reader out of its bounds: whoever uses a section holds what it says against its size.
 *
 * It does not: serve other users, other byte orders, or other builds of the program than the one
 * that wrote it.
 */
#ifndef TALLY_SYMBOLS_INDEX_H
#define TALLY_SYMBOLS_INDEX_H

#include <stdbool.h>

#include "symbols/image.h"

/* What a section is of. Numbers are not used again; a file has each at most once. */
enum tally_index_id {
	TALLY_INDEX_FACTS = 1, /* what the symbols below depend on; see index_sources.h */
	TALLY_INDEX_PLACES,    /* the files that were looked at for them */
	TALLY_INDEX_WORD,
	TALLY_INDEX_SHAPE, /* the first of the sections of a table: see index_table.h */
	TALLY_INDEX_SYMBOLS,
	TALLY_INDEX_NAMES,
	TALLY_INDEX_STEPS,
	TALLY_INDEX_LEFT,
	TALLY_INDEX_RIGHT,
	TALLY_INDEX_RULES_FACTS, /* what the unwind rules below depend on; see index_rules.h */
	TALLY_INDEX_RULES,       /* a table of unwind/table.h */
	TALLY_INDEX_STUBS,       /* the first of those of a table of stubs */
	TALLY_INDEX_LINES = TALLY_INDEX_STUBS + TALLY_INDEX_RIGHT - TALLY_INDEX_SHAPE + 1,
	TALLY_INDEX_LINE_TEXTS,
	TALLY_INDEX_END,
};

/* An index whose header was checked. All zero is none. */
struct tally_index {
	const uint8_t *data;
	size_t len;
	bool is_mapped;             /* tally_index_free() unmaps it */
	uint32_t intact, is_broken; /* bits of sections whose sums were looked at */
};

/* Check the header of `len` bytes at `data`, aligned to 8, that are said to be the index of
 * `object`. The bytes are borrowed. 0 or -EBADMSG: then it is no index, of another object, of
 * another build of this program, torn, or damaged. */
int tally_index_parse(const void *data, size_t len, const struct tally_build_id *object,
		      struct tally_index *ret_index);

/* The bytes of a section, aligned to 8; NULL and 0 if there is none, or its sum is wrong. They stay
 * until tally_index_free(). */
const void *tally_index_section(struct tally_index *index, enum tally_index_id id, size_t *ret_len);

/* All zero is allowed. */
void tally_index_free(struct tally_index *index);

#endif
