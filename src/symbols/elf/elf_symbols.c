/* SPDX-License-Identifier: BSD-2-Clause */
/* Read ELF symbols. Their selection, addresses and order are the same as in perf. */
#include "symbols/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/elf/elf_plt.h"

/* Limits for malformed files. Linkers create fewer PT_LOAD segments, and smaller symbol and string
 * tables. */
enum { MAX_LOADS = 64, SECTION_MAX = 512 << 20 };

/* Section properties that are checked for each of the section's symbols. */
enum {
	SECTION_ALLOC = 1,  /* occupies memory in the process */
	SECTION_LABELS = 2, /* its name shows that it is text or data; labels are accepted */
	SECTION_WANTED = 4, /* selected by the section name in the options */
};

struct loader {
	const struct tally_elf *elf, *runtime;
	const struct tally_elf_load *load;
	struct tally_symtab *table;
	uint8_t *sections; /* SECTION_* bits for each section in `elf` */
	struct tally_elf_segment loads[MAX_LOADS];
	uint32_t nr_loads;
	uint8_t pass;
};

static uint8_t section_bits(const struct loader *loader, uint32_t index)
{
	const struct tally_elf *from = loader->elf;
	struct tally_elf_section section;
	const char *name;
	uint8_t bits = 0;

	tally_elf_section(from, index, &section);
	if (section.flags & SHF_ALLOC)
		bits |= SECTION_ALLOC;
	/* Debug files keep the headers of all sections, even without the contents. Use the mapped
	 * file's headers. */
	if (section.type == SHT_NOBITS && tally_elf_section(loader->runtime, index, &section))
		from = loader->runtime;
	name = tally_elf_section_name(from, &section);
	if (strstr(name, "text") || strstr(name, "data"))
		bits |= SECTION_LABELS;
	if (!loader->load->section || !strcmp(name, loader->load->section))
		bits |= SECTION_WANTED;
	return bits;
}

static int loader_init(struct loader *loader)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(loader->runtime, i, &segment); i++) {
		if (segment.type == PT_LOAD && loader->nr_loads < MAX_LOADS)
			loader->loads[loader->nr_loads++] = segment;
	}
	loader->sections = calloc((size_t)loader->elf->shnum + 1, 1);
	if (!loader->sections)
		return -ENOMEM;
	for (uint32_t i = 0; i < loader->elf->shnum; i++)
		loader->sections[i] = section_bits(loader, i);
	return 0;
}

/* Return the symbol's address in the form used by lookups. */
static uint64_t loader_place(const struct loader *loader, const struct tally_elf_sym *sym)
{
	struct tally_elf_section section;

	if (loader->load->kernel)
		return sym->value + loader->load->bias;
	for (uint32_t i = 0; i < loader->nr_loads; i++) {
		const struct tally_elf_segment *load = &loader->loads[i];

		if (sym->value >= load->vaddr && sym->value - load->vaddr < load->memsz)
			return sym->value - load->vaddr + load->offset;
	}
	tally_elf_section(loader->elf, sym->shndx, &section);
	return sym->value - section.addr + section.offset;
}

/* Return true for symbols that mark code and data on ARM and RISC-V: "$a", "$d.realm" or "$x". */
static bool is_mapping_mark(const struct tally_elf *elf, const char *name)
{
	if (elf->machine != EM_ARM && elf->machine != EM_AARCH64 && elf->machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || elf->machine == EM_RISCV);
}

static bool loader_accepts(const struct loader *loader, const struct tally_elf_sym *sym,
			   const char *name)
{
	int type = ELF64_ST_TYPE(sym->info), visibility = ELF64_ST_VISIBILITY(sym->other);
	bool label = type == STT_NOTYPE && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	uint8_t bits = sym->shndx < loader->elf->shnum ? loader->sections[sym->shndx] : 0;

	if (!(bits & SECTION_ALLOC) || !(bits & SECTION_WANTED))
		return false;
	if (label && !(bits & SECTION_LABELS))
		return false;
	if (!label && type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT)
		return false;
	return !is_mapping_mark(loader->elf, name);
}

static uint8_t binding_of(const struct tally_elf_sym *sym)
{
	switch (ELF64_ST_BIND(sym->info)) {
	case STB_GLOBAL: return TALLY_SYMBOL_GLOBAL;
	case STB_WEAK: return TALLY_SYMBOL_WEAK;
	default: return TALLY_SYMBOL_LOCAL;
	}
}

/* Return the end of a symbol's section in the form used by lookups, or 0 if it is not in a
 * section. */
static uint64_t section_end(const struct loader *loader, const struct tally_elf_sym *sym,
			    uint64_t place)
{
	struct tally_elf_section section;
	uint64_t at;

	if (!tally_elf_section(loader->elf, sym->shndx, &section))
		return 0;
	at = sym->value - section.addr;
	return at < section.size ? place + (section.size - at) : 0;
}

static int loader_add(struct loader *loader, struct tally_elf_sym *sym, const char *name)
{
	struct tally_symtab_entry entry = {
		.name = name, .binding = binding_of(sym), .pass = loader->pass};

	if (!loader_accepts(loader, sym, name))
		return 0;
	/* In a Thumb function's address, bit 0 is a mode bit, so clear it. */
	if (loader->elf->machine == EM_ARM && ELF64_ST_TYPE(sym->info) == STT_FUNC)
		sym->value &= ~1ull;
	entry.start = loader_place(loader, sym);
	if (__builtin_add_overflow(entry.start, sym->size, &entry.end))
		return 0;
	if (!sym->size)
		entry.limit = section_end(loader, sym, entry.start);
	return tally_symtab_add(loader->table, &entry);
}

/* Copy a symbol table's string table up to its last NUL, so that a terminated string starts at
 * every offset. Names point to the copy, because the file may change or shrink later. Names may
 * share their tails, so copying each name separately could take much more memory than the table.
 * `*ret_text` stays NULL if there are no strings. */
static int copy_strings(const struct tally_elf *elf, const struct tally_elf_section *table,
			struct tally_arena *arena, const char **ret_text, size_t *ret_len)
{
	struct tally_elf_section section;
	const uint8_t *text = NULL;
	size_t len = 0;
	char *copy;

	if (!tally_elf_section(elf, table->link, &section))
		return 0;
	if (tally_elf_section_is_hollow(elf, &section))
		return -EFBIG;
	text = tally_elf_section_data(elf, &section, &len);
	if (!text || !len)
		return 0;
	if (len > SECTION_MAX)
		return -EFBIG;
	copy = tally_arena_bytes(arena, len);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	while (len && copy[len - 1])
		len--;
	*ret_text = len ? copy : NULL;
	*ret_len = len;
	return 0;
}

static int loader_add_table(struct loader *loader, uint32_t type)
{
	const struct tally_elf *elf = loader->elf;
	size_t size = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), len = 0, strings_len = 0;
	struct tally_elf_section section;
	const uint8_t *data;
	const char *strings = NULL;
	struct tally_elf_sym sym;
	uint32_t index;
	int ret;

	if (!tally_elf_section_by_type(elf, type, &section, &index))
		return 0;
	if (tally_elf_section_is_hollow(elf, &section))
		return -EFBIG;
	data = tally_elf_section_data(elf, &section, &len);
	if (!data || len <= size)
		return 0;
	ret = len > SECTION_MAX
		      ? -EFBIG
		      : copy_strings(elf, &section, &loader->table->arena, &strings, &strings_len);
	if (ret || !strings)
		return ret;
	for (size_t at = 0; at + size <= len && !ret; at += size) {
		if (tally_elf_symbol(elf, data + at, &sym) && sym.name < strings_len)
			ret = loader_add(loader, &sym, strings + sym.name);
	}
	return ret;
}

int tally_elf_add_symbols(const struct tally_elf *elf, const struct tally_elf_load *load,
			  struct tally_symtab *table)
{
	static const struct tally_elf_load defaults;
	struct loader loader = {.elf = elf, .load = load ? load : &defaults, .table = table};
	int ret;

	loader.runtime = loader.load->runtime ? loader.load->runtime : elf;
	ret = loader_init(&loader);
	if (!ret)
		ret = loader_add_table(&loader, SHT_SYMTAB);
	loader.pass = TALLY_SYMBOL_SECOND;
	if (!ret)
		ret = loader_add_table(&loader, SHT_DYNSYM);
	free(loader.sections);
	return ret;
}

int tally_elf_parse(const uint8_t *data, size_t len, struct tally_symtab *table,
		    struct tally_error *err)
{
	struct tally_elf elf;
	int ret = tally_elf_open(data, len, &elf, err);

	if (!ret)
		ret = tally_elf_add_symbols(&elf, NULL, table);
	if (!ret)
		ret = tally_elf_add_plt(&elf, table);
	if (!ret)
		ret = tally_symtab_finish(table, NULL);
	return ret;
}
