/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in stripped files. Unwind rules contain the start of each function, which also serves
 * as its name: "fn@START". */
#include <stdio.h>
#include <stdlib.h>

#include "symbols/bounds.h"

static struct tally_symbol *bound_new(struct tally_dso *dso, uint64_t start)
{
	struct tally_symbol *symbol = tally_arena_alloc(&dso->bounds.arena, sizeof(*symbol));
	char name[24];
	int len = snprintf(name, sizeof(name), "fn@%llx", (unsigned long long)start);

	if (!symbol)
		return NULL;
	*symbol = (struct tally_symbol){start, start};
	symbol->name_text = tally_arena_strndup(&dso->bounds.arena, name, (size_t)len);
	return symbol->name_text ? symbol : NULL;
}

const struct tally_symbol *tally_dso_find_bound(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_unwind_table *functions = tally_dso_functions(dso);
	struct tally_symbol *symbol;
	uint64_t start, known;

	if (!functions || !tally_unwind_table_function(functions, addr, &start))
		return NULL;
	known = tally_map_get(&dso->bounds.by_start, start);
	if (known != TALLY_MAP_NONE)
		return (const struct tally_symbol *)(uintptr_t)known;
	symbol = bound_new(dso, start);
	if (!symbol || tally_map_set(&dso->bounds.by_start, start, (uintptr_t)symbol))
		return NULL;
	return symbol;
}

void tally_dso_free_bounds(struct tally_dso *dso)
{
	tally_map_free(&dso->bounds.by_start);
	tally_arena_free(&dso->bounds.arena);
	free(dso->bounds.block);
	tally_index_free(&dso->bounds.index);
}
