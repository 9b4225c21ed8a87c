/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF images: read symbols, stubs, build ID, debug link and unwind rules, and look up addresses in
 * the results; then use the bytes as code. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbols/code.h"
#include "symbols/elf/elf.h"
#include "symbols/elf/elf_frames.h"
#include "symbols/elf/elf_limits.h"
#include "symbols/elf/elf_plt.h"
#include "unwind/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_code(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {EM_X86_64, EM_386, EM_AARCH64, EM_ARM};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (uint64_t at = 0; at < size + 2 && at < 4096; at++)
			tally_code_is_return_address(machines[i], data, size, at);
		tally_code_is_return_address(machines[i], data, size, size);
		for (size_t len = 0; len <= size && len < 4096; len++)
			tally_code_falls_through(machines[i], data, len);
	}
}

/* Also use the image as its own debug file. */
static void use_frames(const struct tally_elf *elf)
{
	struct tally_elf_frames frames;
	struct tally_unwind_table rules;
	struct tally_unwind_rule rule;
	void *block;
	size_t len;

	if (!tally_elf_frames_gather(elf, elf, &frames) &&
	    !tally_unwind_compile(&frames.source, &block, &len)) {
		if (tally_unwind_table_open(block, len, &rules))
			abort();
		for (uint64_t addr = 0; addr < 0x2000; addr += 0x33)
			(void)tally_unwind_table_find(&rules, addr, &rule);
		free(block);
	}
	tally_elf_frames_free(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_elf_load load = {.kernel = true, .bias = 0x1000, .section = ".text"};
	struct tally_symtab table = {0};
	uint8_t id[TALLY_BUILD_ID_MAX];
	struct tally_elf elf;
	const char *name;
	uint32_t crc;
	uint64_t offset;
	size_t id_size;

	use_code(data, size);
	if (!tally_elf_parse(data, size, &table, NULL)) {
		for (uint64_t addr = 0; addr < 0x2000; addr += 0x33)
			tally_symtab_find(&table, addr);
	}
	tally_symtab_free(&table);
	tally_elf_image_build_id(data, size, id, &id_size);
	if (tally_elf_open(data, size, &elf, NULL))
		return 0;
	tally_elf_debuglink(&elf, &name, &crc);
	tally_elf_vaddr_to_offset(&elf, 0x1000, &offset);
	tally_elf_has_symtab(&elf);
	use_frames(&elf);
	if (!tally_elf_add_stubs(&elf, &table) && !tally_symtab_finish(&table, NULL))
		tally_symtab_find(&table, 0x1000);
	tally_symtab_free(&table);
	if (!tally_elf_add_symbols(&elf, &load, &table) &&
	    !tally_elf_limit_symbols(&elf, &elf, &table))
		tally_symtab_finish(&table, NULL);
	tally_symtab_free(&table);
	return 0;
}
