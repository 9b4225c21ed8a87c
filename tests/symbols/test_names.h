/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up raw symbol names by address, for tests. */
#ifndef TALLY_TESTS_SYMBOLS_NAMES_H
#define TALLY_TESTS_SYMBOLS_NAMES_H

#include "symbols/dso.h"

static inline const char *name_at(const struct tally_symtab *table, uint64_t addr)
{
	const struct tally_symbol *symbol = tally_symtab_find(table, addr);

	return symbol ? tally_symtab_name(table, symbol) : NULL;
}

static inline const char *dso_name_at(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_symbol *symbol = tally_dso_find(dso, addr);

	return symbol ? tally_symtab_name(&dso->files.table, symbol) : NULL;
}

#endif
