/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of tally_symtab_finish(), from the entries of a file to those that are kept. */
#ifndef TALLY_SYMBOLS_RESOLVE_H
#define TALLY_SYMBOLS_RESOLVE_H

#include "symbols/symbols_table.h"

/* Sort the entries by start; equal ones stay in order of addition. Returns 0 or -ENOMEM. */
int tally_symtab_sort(struct tally_symtab *table);

/* Let each entry without a size end where the next one starts. The last entry and, with `kallsyms`,
 * the last one of each module, end with the following page. Only entries up to `pass` that were not
 * dropped are considered, also in tally_symtab_drop_aliases(). */
void tally_symtab_fix_ends(struct tally_symtab *table, int pass, bool kallsyms);

/* Of the entries with the same start, mark all but the best one as dropped in `pass`. */
void tally_symtab_drop_aliases(struct tally_symtab *table, int pass,
			       const struct tally_symtab_options *options);

#endif
