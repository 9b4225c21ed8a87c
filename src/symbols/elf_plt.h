/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of PLT slots, and access to their relocations and dynamic symbols. */
#ifndef TALLY_SYMBOLS_ELF_PLT_H
#define TALLY_SYMBOLS_ELF_PLT_H

#include "symbols/elf.h"

/* Add "name@plt" for the slots of .plt, which are in the order of the relocations. Returns 0,
 * -ENOMEM or -E2BIG. */
int tally_elf_add_plt(const struct tally_elf *elf, struct tally_symtab *table);

/* Add "name@plt" for stubs that show their target in their code: .plt, .plt.sec and .plt.got on
 * x86-64, .plt on AArch64. They need a table of their own, which is searched first. In a common
 * table, a symbol without a size may cover them (_init of .init: perf reports _init+0x30 for a
 * stub), and overlapping symbols elsewhere would no longer have the same names as in perf. Returns
 * 0, -ENOMEM or -E2BIG. */
int tally_elf_add_stubs(const struct tally_elf *elf, struct tally_symtab *table);

/* The dynamic symbols of an image. Borrows its bytes. */
struct tally_plt_names {
	const struct tally_elf *elf;
	const uint8_t *symbols;
	const char *strings;
	size_t nr_symbols, symbol_size, strings_len;
	uint32_t index; /* section index of .dynsym */
};

/* The relocations of one section. Borrows the image's bytes. */
struct tally_plt_relocs {
	const uint8_t *data;
	size_t nr, size; /* count, and bytes of each */
};

struct tally_plt_reloc {
	uint64_t offset;
	uint64_t symbol; /* index into .dynsym, not checked */
	uint32_t type;
};

/* Find the dynamic symbols of an image. Returns false if it has no dynamic symbols. */
bool tally_plt_names_open(const struct tally_elf *elf, struct tally_plt_names *ret_names);

/* Find the section that is called ".rela" or ".rel" followed by `name`. Returns false if it is not
 * found, or if it refers to other symbols. */
bool tally_plt_relocs_open(const struct tally_plt_names *names, const char *name,
			   struct tally_plt_relocs *ret_relocs);

/* Return relocation `i` (< nr). */
struct tally_plt_reloc tally_plt_reloc_at(const struct tally_plt_names *names,
					  const struct tally_plt_relocs *relocs, size_t i);

/* Add "name@plt" for the dynamic symbol with index `symbol`: `size` bytes at file offset `at`. A
 * missing symbol is skipped. Returns 0; -ENOMEM; -E2BIG; or -EFBIG if all names together are out of
 * proportion to the file. */
int tally_plt_add(struct tally_symtab *table, const struct tally_plt_names *names, uint64_t symbol,
		  uint64_t at, uint64_t size);

#endif
