/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/script_select.h"

int script_selection_init(struct script_selection *selection, const char *symbols, const char *dsos,
			  uint64_t range)
{
	int ret = tally_word_list_split(symbols, &selection->symbols);

	if (!ret)
		ret = tally_word_list_split(dsos, &selection->dsos);
	for (size_t i = 0; i < selection->symbols.nr && !ret; i++) {
		const char *word = selection->symbols.items[i];
		char *end;
		uint64_t address;

		errno = 0;
		address = strtoull(word, &end, 16);
		if (!errno && end != word && !*end && *word != '-')
			ret = tally_vec_push(&selection->addresses, address);
	}
	selection->range = range;
	return ret;
}

/* Return true if a location is in the range from `address`. Without a range, the start of a
 * function selects the function. */
static bool is_at(const struct tally_location *at, uint64_t address, uint64_t range)
{
	uint64_t offset = at->symbol ? at->addr - at->symbol->start : 0;

	if (range)
		return at->ip >= address && at->ip - address < range;
	return at->ip == address || at->ip - offset == address;
}

static bool has_symbol(const struct script_selection *selection, const struct tally_location *at)
{
	if (at->symbol &&
	    tally_word_list_has(&selection->symbols, tally_symbol_name(at->dso, at->symbol)))
		return true;
	for (size_t i = 0; i < selection->addresses.len; i++) {
		if (is_at(at, selection->addresses.data[i], selection->range))
			return true;
	}
	return false;
}

static bool has_dso(const struct script_selection *selection, const struct tally_location *at)
{
	const char *dso = at->dso ? tally_dso_name(at->dso) : NULL, *base;

	if (!dso)
		return false;
	base = strrchr(dso, '/');
	return tally_word_list_has(&selection->dsos, dso) ||
	       (base && tally_word_list_has(&selection->dsos, base + 1));
}

bool script_selection_has(const struct script_selection *selection, struct tally_machine *machine,
			  const struct tally_feed_sample *sample)
{
	const struct tally_location *at;

	if (!selection->symbols.nr && !selection->dsos.nr)
		return true;
	at = tally_machine_locate(machine, sample->thread, sample->cpumode, sample->sample.ip);
	return (!selection->symbols.nr || has_symbol(selection, at)) &&
	       (!selection->dsos.nr || has_dso(selection, at));
}

void script_selection_free(struct script_selection *selection)
{
	tally_word_list_free(&selection->symbols);
	tally_word_list_free(&selection->dsos);
	tally_vec_free(&selection->addresses);
}
