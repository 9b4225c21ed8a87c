/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse a mapfile, and match each pattern with the text of every other pattern. */
#include <stdint.h>
#include <stdlib.h>

#include "jevents/mapfile.h"
#include "jevents/models.h"

enum { MATCHED = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_diagnostics messages = {0};
	const struct tally_source source = {"mapfile.csv", (const char *)data, size, &messages};
	struct tally_mapfile mapfile = {0};
	struct tally_arena arena = {0};
	const char *why;

	if (!tally_mapfile_read(&source, &arena, &mapfile) == !!messages.errors)
		abort();
	for (size_t i = 0; i < mapfile.rows.len && i < MATCHED; i++) {
		if (tally_cpuid_check(mapfile.rows.data[i].cpuid, &why))
			abort();
		for (size_t j = 0; j < mapfile.rows.len && j < MATCHED; j++)
			tally_cpuid_match(mapfile.rows.data[i].cpuid, mapfile.rows.data[j].cpuid);
	}
	tally_vec_free(&mapfile.rows);
	tally_arena_free(&arena);
	return 0;
}
