/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An object's index file: data derived from the object, in sections that are mapped and used in
 * place. The file is named after the object's build-id and is in a per-user directory
 * (index_dir.h). It is written completely or not at all (index_write.h).
 * docs/internals/index-format.md describes the layout.
 *
 * An index is a cache, so a faulty index is treated as missing. Checksums detect incomplete files
 * and accidental changes. Wrong data with a correct checksum must not cause out-of-bounds accesses,
 * so all code that uses a section checks its contents against its size.
 *
 * Other users, hosts with another byte order, and other builds of the program cannot use the index.
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_H
#define TALLY_SYMBOLS_CACHE_INDEX_H

#include <stdbool.h>

#include "symbols/elf/image.h"

/* Section IDs. IDs are never reused, and a file contains each ID at most once. */
enum tally_index_id {
	TALLY_INDEX_FACTS = 1, /* facts that the symbols depend on; see index_sources.h */
	TALLY_INDEX_PLACES,    /* files at the candidate paths that were tried */
	TALLY_INDEX_TEXT,
	TALLY_INDEX_SHAPE, /* first section of a table; see index_table.h */
	TALLY_INDEX_SYMBOLS,
	TALLY_INDEX_NAMES,
	TALLY_INDEX_STEPS,
	TALLY_INDEX_LEFT,
	TALLY_INDEX_RIGHT,
	TALLY_INDEX_RULES_FACTS, /* facts that the unwind rules depend on; see index_rules.h */
	TALLY_INDEX_RULES,       /* table as in unwind/unwind_table.h */
	TALLY_INDEX_STUBS,       /* first section of the stub table */
	TALLY_INDEX_LINES = TALLY_INDEX_STUBS + TALLY_INDEX_RIGHT - TALLY_INDEX_SHAPE + 1,
	TALLY_INDEX_LINE_TEXTS,
	TALLY_INDEX_INLINED, /* lines that have only names of inlined functions, and their texts */
	TALLY_INDEX_INLINED_TEXTS,
	TALLY_INDEX_FUNCTIONS_FACTS, /* same as for rules */
	TALLY_INDEX_FUNCTIONS,       /* table that has only functions, see tally_dso_functions() */
	TALLY_INDEX_END,
};

/* Index with a validated header. An all-zero struct is empty. */
struct tally_index {
	const uint8_t *data;
	size_t len;
	bool is_mapped;             /* tally_index_free() unmaps it */
	uint32_t intact, is_broken; /* bitmasks of sections with correct and with wrong checksums */
};

/* Check the header of the `len` bytes at `data`, which must be aligned to 8 bytes and should be the
 * index of `object`. The bytes are borrowed. Returns 0, or -EBADMSG if they are not an index, are
 * incomplete or damaged, or belong to another object or another build of this program. */
int tally_index_parse(const void *data, size_t len, const struct tally_build_id *object,
		      struct tally_index *ret_index);

/* Return a section's bytes, aligned to 8 bytes, or NULL with length 0 if there is no such section
 * or its checksum is wrong. The bytes are valid until tally_index_free(). */
const void *tally_index_section(struct tally_index *index, enum tally_index_id id, size_t *ret_len);

/* Unmap the index if it is mapped. An all-zero index is allowed. */
void tally_index_free(struct tally_index *index);

#endif
