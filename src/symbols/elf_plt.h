/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of PLT slots, and what their makers share: relocations and the dynamic symbols of those. */
#ifndef TALLY_SYMBOLS_ELF_PLT_H
#define TALLY_SYMBOLS_ELF_PLT_H

#include "symbols/elf.h"

/* Add "name@plt" for the slots of .plt that are in the order of relocations. 0, -ENOMEM, -E2BIG. */
int tally_elf_add_plt(const struct tally_elf *elf, struct tally_symtab *table);

/* The same for stubs whose code tells what they jump to: .plt, .plt.sec and .plt.got on x86-64,
 * .plt on AArch64. They come into a table of their own, to be asked first: in one with others a
 * symbol without a size may cover them (_init of .init: perf then says _init+0x30 for a stub), and
 * what perf names by overlapping symbols elsewhere would change. */
int tally_elf_add_stubs(const struct tally_elf *elf, struct tally_symtab *table);

/* The dynamic symbols of an image. Borrows its bytes. */
struct tally_plt_names {
	const struct tally_elf *elf;
	const uint8_t *symbols;
	const char *strings;
	size_t nr_symbols, symbol_size, strings_len;
	uint32_t index; /* of .dynsym among the sections */
};

/* The relocations of one section. Borrows the image's bytes. */
struct tally_plt_relocs {
	const uint8_t *data;
	size_t nr, size; /* how many; bytes of each */
};

struct tally_plt_reloc {
	uint64_t offset;
	uint64_t symbol; /* an index into .dynsym, not checked */
	uint32_t type;
};

bool tally_plt_names_open(const struct tally_elf *elf, struct tally_plt_names *ret_names);

/* The section of that name with ".rela" or ".rel" in front. False if there is none, or if its
 * symbols are others. */
bool tally_plt_relocs_open(const struct tally_plt_names *names, const char *name,
			   struct tally_plt_relocs *ret_relocs);

/* Relocation `i` (< nr). */
struct tally_plt_reloc tally_plt_reloc_at(const struct tally_plt_names *names,
					  const struct tally_plt_relocs *relocs, size_t i);

/* Add "name@plt" of the dynamic symbol with that index for `size` bytes at file offset `at`. A
 * symbol that is not there is left out. 0, -ENOMEM, -E2BIG, or -EFBIG if all names together are
 * out of proportion to the file. */
int tally_plt_add(struct tally_symtab *table, const struct tally_plt_names *names, uint64_t symbol,
		  uint64_t at, uint64_t size);

#endif
