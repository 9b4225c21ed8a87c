/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for the slots of a procedure linkage table, which has no symbols of its own. */
#include "symbols/elf.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

/* Slots in the order of the relocations behind a header; sizes by machine, where the section's
 * entry size does not tell them. */
struct plt_layout {
	uint16_t machine;
	uint8_t header, slot;
};

static const struct plt_layout layouts[] = {
	{EM_ARM, 20, 12}, {EM_AARCH64, 32, 16}, {EM_RISCV, 32, 16},
	{EM_386, 16, 16}, {EM_X86_64, 16, 16},
};

/* Longer names are left out: relocations could share one and make copies without bound. */
enum { PLT_NAME_MAX = 65536 };

struct plt {
	const uint8_t *relocs, *symbols;
	const char *strings;
	size_t relocs_len, symbols_len, strings_len;
	size_t reloc_size, symbol_size;
	uint64_t slot, slot_size; /* file offset of the first slot; bytes a slot */
	uint64_t end;             /* file offset behind the last slot */
};

static bool plt_set_layout(const struct tally_elf *elf, const struct tally_elf_section *section,
			   struct plt *plt)
{
	uint64_t header = section->entsize;

	plt->slot_size = section->entsize;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(layouts); i++) {
		if (layouts[i].machine == elf->machine) {
			header = layouts[i].header;
			plt->slot_size = layouts[i].slot;
		}
	}
	plt->slot = section->offset + header;
	plt->end = section->offset + section->size;
	return plt->slot_size && tally_range_ok(section->offset, section->size, elf->len);
}

/* Find the four sections. False when there is no PLT one could name. */
static bool plt_open(const struct tally_elf *elf, struct plt *plt)
{
	struct tally_elf_section relocs, slots, symbols, strings;
	uint32_t index;

	if (!tally_elf_section_by_type(elf, SHT_DYNSYM, &symbols, &index) ||
	    (!tally_elf_section_by_name(elf, ".rela.plt", &relocs) &&
	     !tally_elf_section_by_name(elf, ".rel.plt", &relocs)) ||
	    relocs.link != index || !tally_elf_section_by_name(elf, ".plt", &slots) ||
	    !tally_elf_section(elf, symbols.link, &strings) || !plt_set_layout(elf, &slots, plt))
		return false;
	if (relocs.type == SHT_RELA)
		plt->reloc_size = elf->is64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	else
		plt->reloc_size = elf->is64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
	plt->symbol_size = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	plt->relocs = tally_elf_section_data(elf, &relocs, &plt->relocs_len);
	plt->symbols = tally_elf_section_data(elf, &symbols, &plt->symbols_len);
	plt->strings = (const char *)tally_elf_section_data(elf, &strings, &plt->strings_len);
	return plt->relocs && plt->symbols && plt->strings;
}

/* The name of the dynamic symbol a relocation speaks of, or NULL. */
static const char *plt_name(const struct tally_elf *elf, const struct plt *plt,
			    const uint8_t *reloc)
{
	uint64_t index = elf->is64 ? tally_load_u64(reloc + 8, elf->swap) >> 32
				   : tally_load_u32(reloc + 4, elf->swap) >> 8;
	struct tally_elf_sym sym;

	if (index >= plt->symbols_len / plt->symbol_size)
		return NULL;
	tally_elf_symbol(elf, plt->symbols + index * plt->symbol_size, &sym);
	if (sym.name >= plt->strings_len)
		return NULL;
	if (!memchr(plt->strings + sym.name, 0,
		    TALLY_MIN(plt->strings_len - sym.name, PLT_NAME_MAX)))
		return NULL;
	return plt->strings + sym.name;
}

static int plt_add(struct tally_symtab *table, const struct plt *plt, uint64_t at, const char *name)
{
	static const char suffix[] = "@plt";
	/* Counted with its bound again: the file may be written to meanwhile. */
	size_t len = strnlen(name, (size_t)(plt->strings + plt->strings_len - name));
	char *text = tally_arena_bytes(&table->arena, len + sizeof(suffix));

	if (!text)
		return -ENOMEM;
	memcpy(text, name, len);
	memcpy(text + len, suffix, sizeof(suffix));
	return tally_symtab_add(table, &(struct tally_symtab_entry){
					       .start = at,
					       .end = at + plt->slot_size,
					       .name = text,
					       .binding = TALLY_SYMBOL_GLOBAL,
					       .pass = TALLY_SYMBOL_MADE,
				       });
}

int tally_elf_add_plt(const struct tally_elf *elf, struct tally_symtab *table)
{
	struct plt plt = {0};
	uint64_t at;
	int ret = 0;

	if (!plt_open(elf, &plt))
		return 0;
	at = plt.slot;
	for (size_t i = 0; i + plt.reloc_size <= plt.relocs_len; i += plt.reloc_size) {
		const char *name = plt_name(elf, &plt, plt.relocs + i);

		if (at + plt.slot_size > plt.end ||
		    table->arena.total / 8 > elf->len + PLT_NAME_MAX)
			break;
		if (name)
			ret = plt_add(table, &plt, at, name);
		if (ret)
			break;
		at += plt.slot_size;
	}
	return ret;
}
