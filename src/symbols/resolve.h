/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of tally_symtab_finish(), which decides which of a file's entries to keep. */
#ifndef TALLY_SYMBOLS_RESOLVE_H
#define TALLY_SYMBOLS_RESOLVE_H

#include "symbols/symbols_table.h"

/* Sort the entries by start. Entries with equal starts keep their insertion order. Returns 0 or
 * -ENOMEM. */
int tally_symtab_sort(struct tally_symtab *table);

/* Let each entry without a size end where the next one starts. The last entry and, with `kallsyms`,
 * the last entry of each module, end with the following page. Here and in
 * tally_symtab_drop_aliases(), only entries up to `pass` that were not dropped are considered. */
void tally_symtab_fix_ends(struct tally_symtab *table, int pass, bool kallsyms);

/* Among entries with the same start, mark all except the best one as dropped in `pass`. */
void tally_symtab_drop_aliases(struct tally_symtab *table, int pass,
			       const struct tally_symtab_options *options);

#endif
