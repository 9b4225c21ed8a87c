/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind rules in a DSO's index. They depend only on the mapped file, so only that file must be
 * unchanged.
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_RULES_H
#define TALLY_SYMBOLS_CACHE_INDEX_RULES_H

#include "symbols/cache/index_sources.h"

/* Section TALLY_INDEX_RULES_FACTS. */
struct tally_rules_facts {
	struct tally_source_file own; /* the object's own file */
	uint32_t has_frame_pointers;  /* see tally_dso_has_frame_pointers() */
	uint32_t zero;
};

/* Load the DSO's rules from its index. Returns 0, or -ENOENT if there are no usable rules; in this
 * case `*ret_facts` describes the file from which to read them. */
int tally_dso_index_load_rules(struct tally_dso *dso, struct tally_rules_facts *ret_facts);

/* Do the same for the DSO's table of functions, into dso->bounds. */
int tally_dso_index_load_functions(struct tally_dso *dso, struct tally_rules_facts *ret_facts);
int tally_dso_index_load_functions_by_id(struct tally_dso *dso, int error);

/* Do the same as tally_dso_index_load_rules() if `error` means that no file with the recorded
 * build-id was found. See tally_dso_index_load_by_id(). */
int tally_dso_index_load_rules_by_id(struct tally_dso *dso, int error);

/* Write the DSO's rules to its index, if they are worth writing. The rules are a block of `len`
 * bytes, compiled from the DSO's own file `own`. Failures are ignored. */
void tally_dso_index_save_rules(struct tally_dso *dso, const struct tally_rules_facts *facts,
				const struct tally_image *own, size_t len);

/* Do the same for the functions in dso->bounds. */
void tally_dso_index_save_functions(struct tally_dso *dso, const struct tally_rules_facts *facts,
				    const struct tally_image *own, size_t len);

#endif
