/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for PLT slots, and access to their relocations and dynamic symbols. */
#ifndef TALLY_SYMBOLS_ELF_ELF_PLT_H
#define TALLY_SYMBOLS_ELF_ELF_PLT_H

#include "symbols/elf/elf.h"

/* Add "name@plt" for the slots of .plt, which are in the order of the relocations. Returns 0,
 * -ENOMEM or -E2BIG. */
int tally_elf_add_plt(const struct tally_elf *elf, struct tally_symtab *table);

/* Add "name@plt" for stubs with a target that is visible in their code: .plt, .plt.sec and .plt.got
 * on x86-64, .plt on AArch64. They need a separate table, which is searched first. If they shared
 * the main table, a symbol without a size could cover them (for a stub, perf reports _init+0x30,
 * because _init in .init has no size), and overlapping symbols elsewhere would no longer get the
 * same names as in perf. Returns 0, -ENOMEM or -E2BIG. */
int tally_elf_add_stubs(const struct tally_elf *elf, struct tally_symtab *table);

/* An image's dynamic symbols. Borrows the image's bytes. */
struct tally_plt_names {
	const struct tally_elf *elf;
	const uint8_t *symbols;
	const char *strings;
	size_t nr_symbols, symbol_size, strings_len;
	uint32_t index; /* section index of .dynsym */
};

/* Relocations in one section. Borrows the image's bytes. */
struct tally_plt_relocs {
	const uint8_t *data;
	size_t nr, size; /* number of relocations, and size of each in bytes */
};

struct tally_plt_reloc {
	uint64_t offset;
	uint64_t symbol; /* index into .dynsym, not validated */
	uint32_t type;
};

/* Find an image's dynamic symbols. Returns false if there are none. */
bool tally_plt_names_open(const struct tally_elf *elf, struct tally_plt_names *ret_names);

/* Find the section named ".rela" or ".rel" followed by `name`. Returns false if it is not found, or
 * if it does not refer to the dynamic symbols. */
bool tally_plt_relocs_open(const struct tally_plt_names *names, const char *name,
			   struct tally_plt_relocs *ret_relocs);

/* Return relocation `i` (< nr). */
struct tally_plt_reloc tally_plt_reloc_at(const struct tally_plt_names *names,
					  const struct tally_plt_relocs *relocs, size_t i);

/* Add "name@plt" for the dynamic symbol with index `symbol`: `size` bytes at file offset `at`. A
 * missing symbol is skipped. Returns 0; -ENOMEM; -E2BIG; or -EFBIG if the names take too much
 * memory relative to the file's size. */
int tally_plt_add(struct tally_symtab *table, const struct tally_plt_names *names, uint64_t symbol,
		  uint64_t at, uint64_t size);

#endif
