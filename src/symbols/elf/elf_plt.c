/* SPDX-License-Identifier: BSD-2-Clause */
/* Name the slots of procedure linkage tables, because slots have no symbols. */
#include "symbols/elf/elf_plt.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

/* Layout of .plt by machine: a header, followed by slots in the order of the relocations. For other
 * machines the section's entry size is used. */
struct plt_layout {
	uint16_t machine;
	uint8_t header, slot;
};

static const struct plt_layout layouts[] = {
	{EM_ARM, 20, 12}, {EM_AARCH64, 32, 16}, {EM_RISCV, 32, 16},
	{EM_386, 16, 16}, {EM_X86_64, 16, 16},
};

/* Longer names are skipped. Many relocations could share one long name, so the memory for its
 * copies would be unbounded. */
enum { PLT_NAME_MAX = 65536 };

/* ---- relocations and their symbols ------------------------------------------ */

bool tally_plt_names_open(const struct tally_elf *elf, struct tally_plt_names *ret_names)
{
	struct tally_plt_names names = {.elf = elf};
	struct tally_elf_section symbols, strings;
	size_t len;

	if (!tally_elf_section_by_type(elf, SHT_DYNSYM, &symbols, &names.index) ||
	    !tally_elf_section(elf, symbols.link, &strings))
		return false;
	names.symbol_size = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	names.symbols = tally_elf_section_data(elf, &symbols, &len);
	names.nr_symbols = len / names.symbol_size;
	names.strings = (const char *)tally_elf_section_data(elf, &strings, &names.strings_len);
	*ret_names = names;
	return names.symbols && names.strings;
}

static bool relocs_section(const struct tally_elf *elf, const char *name,
			   struct tally_elf_section *ret_section)
{
	static const char *const prefixes[] = {".rela", ".rel"};
	char full[32];

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(prefixes); i++) {
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		if (tally_elf_section_by_name(elf, full, ret_section))
			return true;
	}
	return false;
}

bool tally_plt_relocs_open(const struct tally_plt_names *names, const char *name,
			   struct tally_plt_relocs *ret_relocs)
{
	struct tally_elf_section section;
	struct tally_plt_relocs relocs;
	bool is64 = names->elf->is64;
	size_t len;

	if (!relocs_section(names->elf, name, &section) || section.link != names->index)
		return false;
	if (section.type == SHT_RELA)
		relocs.size = is64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	else
		relocs.size = is64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
	relocs.data = tally_elf_section_data(names->elf, &section, &len);
	relocs.nr = len / relocs.size;
	*ret_relocs = relocs;
	return relocs.data != NULL;
}

struct tally_plt_reloc tally_plt_reloc_at(const struct tally_plt_names *names,
					  const struct tally_plt_relocs *relocs, size_t i)
{
	const uint8_t *at = relocs->data + i * relocs->size;
	struct tally_plt_reloc reloc;
	bool swap = names->elf->swap;
	uint64_t info;

	if (names->elf->is64) {
		info = tally_load_u64(at + 8, swap);
		reloc.offset = tally_load_u64(at, swap);
		reloc.symbol = info >> 32;
		reloc.type = (uint32_t)info;
	} else {
		info = tally_load_u32(at + 4, swap);
		reloc.offset = tally_load_u32(at, swap);
		reloc.symbol = info >> 8;
		reloc.type = info & 0xff;
	}
	return reloc;
}

/* Return the name of a dynamic symbol and its length, or NULL. The length is determined only once,
 * since the file may be modified at any time. */
static const char *plt_name(const struct tally_plt_names *names, uint64_t symbol, size_t *ret_len)
{
	struct tally_elf_sym sym;
	size_t room;

	if (symbol >= names->nr_symbols)
		return NULL;
	tally_elf_symbol(names->elf, names->symbols + symbol * names->symbol_size, &sym);
	if (sym.name >= names->strings_len)
		return NULL;
	room = TALLY_MIN(names->strings_len - sym.name, PLT_NAME_MAX);
	*ret_len = strnlen(names->strings + sym.name, room);
	return *ret_len < room ? names->strings + sym.name : NULL;
}

int tally_plt_add(struct tally_symtab *table, const struct tally_plt_names *names, uint64_t symbol,
		  uint64_t at, uint64_t size)
{
	static const char suffix[] = "@plt";
	size_t len;
	const char *name = plt_name(names, symbol, &len);
	char *text;

	if (!name)
		return 0;
	if (table->arena.total / 8 > names->elf->len + PLT_NAME_MAX)
		return -EFBIG;
	text = tally_arena_bytes(&table->arena, len + sizeof(suffix));
	if (!text)
		return -ENOMEM;
	memcpy(text, name, len);
	memcpy(text + len, suffix, sizeof(suffix));
	return tally_symtab_add(table, &(struct tally_symtab_entry){
					       .start = at,
					       .end = at + size,
					       .name = text,
					       .binding = TALLY_SYMBOL_GLOBAL,
					       .pass = TALLY_SYMBOL_SYNTHETIC,
				       });
}

/* ---- slots in the order of relocations ---------------------------------------- */

struct plt_slots {
	uint64_t at, size; /* file offset of the first slot; bytes per slot */
	uint64_t end;      /* file offset after the last slot */
};

static bool slots_find(const struct tally_elf *elf, struct plt_slots *ret_slots)
{
	struct tally_elf_section section;
	uint64_t header;

	if (!tally_elf_section_by_name(elf, ".plt", &section) ||
	    !tally_range_ok(section.offset, section.size, elf->len))
		return false;
	header = ret_slots->size = section.entsize;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(layouts); i++) {
		if (layouts[i].machine == elf->machine) {
			header = layouts[i].header;
			ret_slots->size = layouts[i].slot;
		}
	}
	ret_slots->at = section.offset + header;
	ret_slots->end = section.offset + section.size;
	return ret_slots->size != 0;
}

static int add_in_order(struct tally_symtab *table, const struct tally_plt_names *names)
{
	struct tally_plt_relocs relocs;
	struct plt_slots slots;
	int ret = 0;

	if (!tally_plt_relocs_open(names, ".plt", &relocs) || !slots_find(names->elf, &slots))
		return 0;
	for (size_t i = 0; i < relocs.nr && !ret; i++) {
		struct tally_plt_reloc reloc = tally_plt_reloc_at(names, &relocs, i);

		if (!tally_range_ok(slots.at, slots.size, slots.end))
			break;
		ret = tally_plt_add(table, names, reloc.symbol, slots.at, slots.size);
		slots.at += slots.size;
	}
	return ret;
}

int tally_elf_add_plt(const struct tally_elf *elf, struct tally_symtab *table)
{
	struct tally_plt_names names;
	int ret = tally_plt_names_open(elf, &names) ? add_in_order(table, &names) : 0;

	return ret == -EFBIG ? 0 : ret;
}
