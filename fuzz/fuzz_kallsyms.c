/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "symbols/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const modules[] = {NULL, "ext4"};
	uint64_t address;

	for (size_t i = 0; i < 2; i++) {
		struct tally_symtab table = {0};

		if (!tally_kallsyms_parse((const char *)data, size, modules[i], &table, NULL))
			tally_symtab_find(&table, 0xffffffff81000010ull);
		tally_symtab_free(&table);
	}
	tally_kallsyms_address((const char *)data, size, "_text", &address);
	return 0;
}
