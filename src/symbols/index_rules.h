/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind rules of a DSO in its index. They only depend on the mapped file, which has the
 * build-id, so only that file must be unchanged.
 */
#ifndef TALLY_SYMBOLS_INDEX_RULES_H
#define TALLY_SYMBOLS_INDEX_RULES_H

#include "symbols/index_sources.h"

/* The section TALLY_INDEX_RULES_FACTS. */
struct tally_rules_facts {
	struct tally_source_file own; /* the object's own file */
	uint32_t has_frame_pointers;  /* see tally_dso_has_frame_pointers() */
	uint32_t zero;
};

/* Load the DSO's rules from its index. Returns 0, or -ENOENT if it has no usable ones: then
 * `*ret_facts` describes the file from which they are to be read. */
int tally_dso_index_load_rules(struct tally_dso *dso, struct tally_rules_facts *ret_facts);

/* Like tally_dso_index_load_rules() if no file with the recorded build-id was found, see
 * tally_dso_index_load_by_id(). */
int tally_dso_index_load_rules_by_id(struct tally_dso *dso, int error);

/* Write the DSO's rules, a block of `len` bytes compiled from its own file `own`, to its index if
 * it is worthwhile. Failures are ignored. */
void tally_dso_index_save_rules(struct tally_dso *dso, const struct tally_rules_facts *facts,
				const struct tally_image *own, size_t len);

#endif
