/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

/* Maximum length of a section name. Longer names are considered invalid, which bounds the search
 * for their terminating NUL. */
enum { SECTION_NAME_MAX = 256 };

/* Limits on the number of headers, because each query scans all of them. No real program has more
 * headers, but a sparse file can claim any number of them for free. */
enum { MAX_SEGMENTS = UINT16_MAX, MAX_SECTIONS = 1 << 20 };

/* Offset and width of a field in the ELF32 ([0]) and ELF64 ([1]) versions of a structure. */
struct header_field {
	uint16_t offset[2];
	uint8_t width[2];
};

#define FIELD(type, name)                                                                    \
	{                                                                                    \
		{offsetof(Elf32_##type, name), offsetof(Elf64_##type, name)},                \
		{                                                                            \
			sizeof(((Elf32_##type *)0)->name), sizeof(((Elf64_##type *)0)->name) \
		}                                                                            \
	}

static uint64_t field_get(const struct tally_elf *elf, const uint8_t *at, struct header_field field)
{
	at += field.offset[elf->is64];
	switch (field.width[elf->is64]) {
	case 1: return *at;
	case 2: return tally_load_u16(at, elf->swap);
	case 4: return tally_load_u32(at, elf->swap);
	default: return tally_load_u64(at, elf->swap);
	}
}

#define GET(elf, at, type, name) field_get(elf, at, (struct header_field)FIELD(type, name))

static bool table_ok(const struct tally_elf *elf, uint64_t offset, uint32_t nr, uint32_t entsize,
		     size_t least)
{
	return !nr ||
	       (entsize >= least && tally_range_ok(offset, (uint64_t)nr * entsize, elf->len));
}

/* Get the counts that do not fit in the header's 16-bit fields from section header 0. */
static void elf_large_counts(struct tally_elf *elf)
{
	struct tally_elf_section zero;
	bool many_sections = !elf->shnum && elf->shoff;

	if (!many_sections && elf->phnum != PN_XNUM && elf->shstrndx != SHN_XINDEX)
		return;
	if (many_sections)
		elf->shnum = 1; /* temporarily, to read section 0 */
	if (!table_ok(elf, elf->shoff, 1, elf->shentsize,
		      elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)) ||
	    !tally_elf_section(elf, 0, &zero)) {
		elf->shnum = 0;
		return;
	}
	if (many_sections)
		elf->shnum = (uint32_t)TALLY_MIN(zero.size, UINT32_MAX);
	if (elf->phnum == PN_XNUM)
		elf->phnum = zero.info;
	if (elf->shstrndx == SHN_XINDEX)
		elf->shstrndx = zero.link;
}

int tally_elf_open(const uint8_t *data, size_t len, struct tally_elf *ret_elf,
		   struct tally_error *err)
{
	struct tally_elf elf = {.data = data, .len = len};

	if (len < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG))
		return tally_error_at(err, -ENOEXEC, "not an ELF image", 0);
	elf.is64 = data[EI_CLASS] == ELFCLASS64;
	elf.swap = (data[EI_DATA] == ELFDATA2MSB) != TALLY_HOST_BIG_ENDIAN;
	if (!elf.is64 && data[EI_CLASS] != ELFCLASS32)
		return tally_error_at(err, -EINVAL, "unknown ELF class", EI_CLASS);
	if (data[EI_DATA] != ELFDATA2LSB && data[EI_DATA] != ELFDATA2MSB)
		return tally_error_at(err, -EINVAL, "unknown ELF byte order", EI_DATA);
	if (len < (elf.is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return tally_error_at(err, -EINVAL, "truncated ELF header", len);
	elf.type = (uint16_t)GET(&elf, data, Ehdr, e_type);
	elf.machine = (uint16_t)GET(&elf, data, Ehdr, e_machine);
	elf.entry = GET(&elf, data, Ehdr, e_entry);
	elf.phoff = GET(&elf, data, Ehdr, e_phoff);
	elf.shoff = GET(&elf, data, Ehdr, e_shoff);
	elf.phnum = (uint32_t)GET(&elf, data, Ehdr, e_phnum);
	elf.shnum = (uint32_t)GET(&elf, data, Ehdr, e_shnum);
	elf.phentsize = (uint32_t)GET(&elf, data, Ehdr, e_phentsize);
	elf.shentsize = (uint32_t)GET(&elf, data, Ehdr, e_shentsize);
	elf.shstrndx = (uint32_t)GET(&elf, data, Ehdr, e_shstrndx);
	elf_large_counts(&elf);
	if (elf.phnum > MAX_SEGMENTS)
		return tally_error_at(err, -EINVAL, "too many program headers", elf.phnum);
	if (elf.shnum > MAX_SECTIONS)
		return tally_error_at(err, -EINVAL, "too many section headers", elf.shnum);
	if (!table_ok(&elf, elf.phoff, elf.phnum, elf.phentsize,
		      elf.is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return tally_error_at(err, -EINVAL, "program headers beyond the end of the file",
				      elf.phoff);
	if (!table_ok(&elf, elf.shoff, elf.shnum, elf.shentsize,
		      elf.is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return tally_error_at(err, -EINVAL, "section headers beyond the end of the file",
				      elf.shoff);
	*ret_elf = elf;
	return 0;
}

bool tally_elf_section(const struct tally_elf *elf, uint32_t index, struct tally_elf_section *ret)
{
	const uint8_t *at;

	if (index >= elf->shnum)
		return false;
	at = elf->data + elf->shoff + (uint64_t)index * elf->shentsize;
	*ret = (struct tally_elf_section){
		.name = (uint32_t)GET(elf, at, Shdr, sh_name),
		.type = (uint32_t)GET(elf, at, Shdr, sh_type),
		.link = (uint32_t)GET(elf, at, Shdr, sh_link),
		.info = (uint32_t)GET(elf, at, Shdr, sh_info),
		.flags = GET(elf, at, Shdr, sh_flags),
		.addr = GET(elf, at, Shdr, sh_addr),
		.offset = GET(elf, at, Shdr, sh_offset),
		.size = GET(elf, at, Shdr, sh_size),
		.entsize = GET(elf, at, Shdr, sh_entsize),
	};
	return true;
}

bool tally_elf_segment(const struct tally_elf *elf, uint32_t index, struct tally_elf_segment *ret)
{
	const uint8_t *at;

	if (index >= elf->phnum)
		return false;
	at = elf->data + elf->phoff + (uint64_t)index * elf->phentsize;
	*ret = (struct tally_elf_segment){
		.type = (uint32_t)GET(elf, at, Phdr, p_type),
		.flags = (uint32_t)GET(elf, at, Phdr, p_flags),
		.offset = GET(elf, at, Phdr, p_offset),
		.vaddr = GET(elf, at, Phdr, p_vaddr),
		.filesz = GET(elf, at, Phdr, p_filesz),
		.memsz = GET(elf, at, Phdr, p_memsz),
		.align = GET(elf, at, Phdr, p_align),
	};
	return true;
}

bool tally_elf_symbol(const struct tally_elf *elf, const uint8_t *at, struct tally_elf_sym *ret)
{
	ret->name = (uint32_t)GET(elf, at, Sym, st_name);
	ret->info = (uint8_t)GET(elf, at, Sym, st_info);
	ret->other = (uint8_t)GET(elf, at, Sym, st_other);
	ret->shndx = (uint16_t)GET(elf, at, Sym, st_shndx);
	ret->value = GET(elf, at, Sym, st_value);
	ret->size = GET(elf, at, Sym, st_size);
	return ret->name && ret->shndx != SHN_UNDEF;
}

static bool has_bytes(const struct tally_elf *elf, const struct tally_elf_section *section)
{
	return section->type != SHT_NOBITS &&
	       tally_range_ok(section->offset, section->size, elf->len);
}

bool tally_elf_section_is_hollow(const struct tally_elf *elf,
				 const struct tally_elf_section *section)
{
	return has_bytes(elf, section) &&
	       tally_file_map_has_large_holes(&elf->file, section->offset, section->size);
}

const uint8_t *tally_elf_section_data(const struct tally_elf *elf,
				      const struct tally_elf_section *section, size_t *ret_len)
{
	*ret_len = 0;
	if (!has_bytes(elf, section) || tally_elf_section_is_hollow(elf, section))
		return NULL;
	*ret_len = section->size;
	return elf->data + section->offset;
}

const char *tally_elf_section_name(const struct tally_elf *elf,
				   const struct tally_elf_section *section)
{
	struct tally_elf_section names;
	const uint8_t *text;

	/* Check only the name's bytes, however large the string section is. */
	if (!tally_elf_section(elf, elf->shstrndx, &names) || !has_bytes(elf, &names) ||
	    section->name >= names.size)
		return "";
	text = elf->data + names.offset + section->name;
	return memchr(text, 0, TALLY_MIN(names.size - section->name, SECTION_NAME_MAX))
		       ? (const char *)text
		       : "";
}

bool tally_elf_section_by_name(const struct tally_elf *elf, const char *name,
			       struct tally_elf_section *ret)
{
	struct tally_elf_section section;

	for (uint32_t i = 1; tally_elf_section(elf, i, &section); i++) {
		if (!strcmp(tally_elf_section_name(elf, &section), name)) {
			*ret = section;
			return true;
		}
	}
	return false;
}

bool tally_elf_section_by_type(const struct tally_elf *elf, uint32_t type,
			       struct tally_elf_section *ret, uint32_t *ret_index)
{
	struct tally_elf_section section;

	for (uint32_t i = 1; tally_elf_section(elf, i, &section); i++) {
		if (section.type == type) {
			*ret = section;
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool tally_elf_has_symtab(const struct tally_elf *elf)
{
	struct tally_elf_section section;
	uint32_t index;

	return tally_elf_section_by_type(elf, SHT_SYMTAB, &section, &index) &&
	       section.size > (elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

bool tally_elf_vaddr_to_offset(const struct tally_elf *elf, uint64_t vaddr, uint64_t *ret_offset)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type == PT_LOAD && vaddr >= segment.vaddr &&
		    vaddr - segment.vaddr < segment.memsz) {
			*ret_offset = vaddr - segment.vaddr + segment.offset;
			return true;
		}
	}
	return false;
}
