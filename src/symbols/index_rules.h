/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind rules of a DSO in its index. They are of the file that was mapped, which has the
 * build-id, and of nothing else: one file has to be there as it was.
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

/* Take the DSO's rules from its index. 0, or -ENOENT if there are none of use: then `*ret_facts` is
 * for what is to be read instead. */
int tally_dso_index_load_rules(struct tally_dso *dso, struct tally_rules_facts *ret_facts);

/* The same where no file with the recorded build-id was found, as tally_dso_index_load_gone(). */
int tally_dso_index_load_gone_rules(struct tally_dso *dso, int error);

/* Write the DSO's block of rules, which were made of its own file `own`, into its index, if that is
 * worth it. What fails is not missed. */
void tally_dso_index_save_rules(struct tally_dso *dso, const struct tally_rules_facts *facts,
				const struct tally_image *own, size_t len);

#endif
