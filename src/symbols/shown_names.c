/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of symbols in the form in which they are shown: demangled, unless disabled. */
#include "symbols/dso.h"

#include <stdlib.h>

#include "symbols/demangle.h"

const char *tally_dso_shown_name(void *arg, const char *raw)
{
	struct tally_dso *dso = arg;
	uint64_t known;
	char *text;

	if (dso->names.raw || dso->owner->options.no_demangle)
		return raw;
	known = tally_map_get(&dso->names.shown, (uintptr_t)raw);
	if (known != TALLY_MAP_NONE)
		return (const char *)(uintptr_t)known;
	text = tally_demangle(raw, dso->owner->options.demangle_params, &dso->owner->names_left);
	if (tally_map_set(&dso->names.shown, (uintptr_t)raw, (uintptr_t)(text ? text : raw))) {
		free(text); /* on memory allocation failure, use the raw name */
		text = NULL;
	}
	return text ? text : raw;
}

void tally_dso_free_shown(struct tally_dso *dso)
{
	const struct tally_map_slot *slot;
	size_t pos = 0;

	while ((slot = tally_map_next(&dso->names.shown, &pos))) {
		if (slot->key != slot->value)
			free((void *)(uintptr_t)slot->value);
	}
	tally_map_free(&dso->names.shown);
}
