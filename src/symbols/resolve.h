/* SPDX-License-Identifier: BSD-2-Clause */
/* From entries as a file lists them to those that stay: the steps of tally_symtab_finish. */
#ifndef TALLY_SYMBOLS_RESOLVE_H
#define TALLY_SYMBOLS_RESOLVE_H

#include "symbols/table.h"

/* Sort the entries by start, in order of addition where equal. 0 or -ENOMEM. */
int tally_symtab_sort(struct tally_symtab *table);

/* Give entries without a size the start of the next one as end; the last, and with `kallsyms`
 * the last of a module, ends with the page after. Speaks of the entries up to `pass` that were
 * not dropped, as the next one does. */
void tally_symtab_fix_ends(struct tally_symtab *table, int pass, bool kallsyms);

/* Of the entries with the same start mark all but the best as dropped in `pass`. */
void tally_symtab_drop_aliases(struct tally_symtab *table, int pass,
			       const struct tally_symtab_options *options);

#endif
