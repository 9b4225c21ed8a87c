/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "symbols/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_symtab table = {0};
	struct tally_error err;
	size_t skipped;

	if (!tally_perfmap_parse((const char *)data, size, &table, &skipped, &err)) {
		for (uint64_t addr = 0; addr < 0x4000; addr += 0x111)
			tally_symtab_find(&table, addr);
	}
	tally_symtab_free(&table);
	return 0;
}
