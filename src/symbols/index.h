/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index file of an object: data derived from the object, in sections that are mapped and used
 * in place. The file is named after the object's build-id, is in a directory of the user
 * (index_dir.h), and is written completely or not at all (index_write.h).
 * docs/internals/index-format.md describes the layout.
 *
 * An index is a cache: a faulty one is treated as missing. Checksums detect incomplete files and
 * accidental changes. Wrong data with a right checksum must not lead a reader out of bounds: every
 * user of a section checks its contents against its size.
 *
 * Not supported: use by other users, by hosts with another byte order, or by other builds of the
 * program.
 */
#ifndef TALLY_SYMBOLS_INDEX_H
#define TALLY_SYMBOLS_INDEX_H

#include <stdbool.h>

#include "symbols/image.h"

/* Contents of a section. Numbers are never reused; a file has each of them at most once. */
enum tally_index_id {
	TALLY_INDEX_FACTS = 1, /* what the symbols depend on; see index_sources.h */
	TALLY_INDEX_PLACES,    /* files at the candidate paths that were tried */
	TALLY_INDEX_TEXT,
	TALLY_INDEX_SHAPE, /* first section of a table: see index_table.h */
	TALLY_INDEX_SYMBOLS,
	TALLY_INDEX_NAMES,
	TALLY_INDEX_STEPS,
	TALLY_INDEX_LEFT,
	TALLY_INDEX_RIGHT,
	TALLY_INDEX_RULES_FACTS, /* what the unwind rules depend on; see index_rules.h */
	TALLY_INDEX_RULES,       /* table of unwind/unwind_table.h */
	TALLY_INDEX_STUBS,       /* first section of the table of stubs */
	TALLY_INDEX_LINES = TALLY_INDEX_STUBS + TALLY_INDEX_RIGHT - TALLY_INDEX_SHAPE + 1,
	TALLY_INDEX_LINE_TEXTS,
	TALLY_INDEX_END,
};

/* An index with a checked header. All zero is empty. */
struct tally_index {
	const uint8_t *data;
	size_t len;
	bool is_mapped;             /* tally_index_free() unmaps it */
	uint32_t intact, is_broken; /* bits of sections with a verified checksum */
};

/* Check the header of `len` bytes at `data`, aligned to 8, that should be the index of `object`.
 * The bytes are borrowed. Returns 0, or -EBADMSG if they are not an index, belong to another object
 * or another build of this program, or are incomplete or damaged. */
int tally_index_parse(const void *data, size_t len, const struct tally_build_id *object,
		      struct tally_index *ret_index);

/* Return the bytes of a section, aligned to 8. NULL and 0 if there is no such section or its
 * checksum is wrong. They are valid until tally_index_free(). */
const void *tally_index_section(struct tally_index *index, enum tally_index_id id, size_t *ret_len);

/* Unmap the index if it is mapped. All zero is allowed. */
void tally_index_free(struct tally_index *index);

#endif
