/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inject/inject_elf.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

enum { NONE, TEXT, NAMES, SYMBOLS, STRINGS, NOTE, NR_SECTIONS };

static const char names[] = "\0.text\0.shstrtab\0.symtab\0.strtab\0.note.gnu.build-id";

/* Offset of a section's name in `names`. */
static uint32_t name_at(const char *name)
{
	const char *end = names + sizeof(names);

	for (const char *at = names + 1; at < end; at += strlen(at) + 1)
		if (!strcmp(at, name))
			return (uint32_t)(at - names);
	return 0;
}

static void add_aligned(struct tally_str *out, const void *bytes, size_t len, Elf64_Shdr *section)
{
	while (out->len % 8)
		tally_str_add_char(out, '\0');
	section->sh_offset = out->len;
	section->sh_size = len;
	tally_str_add_bytes(out, bytes, len);
}

static void add_symbols(struct tally_str *out, const struct inject_elf *elf, Elf64_Shdr *sections)
{
	const Elf64_Sym symbols[2] = {[1] = {
					      .st_name = 1,
					      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					      .st_shndx = TEXT,
					      .st_value = INJECT_ELF_CODE,
					      .st_size = elf->size,
				      }};

	sections[SYMBOLS] = (Elf64_Shdr){.sh_name = name_at(".symtab"),
					 .sh_type = SHT_SYMTAB,
					 .sh_link = STRINGS,
					 .sh_info = 1, /* index of the first global symbol */
					 .sh_addralign = 8,
					 .sh_entsize = sizeof(symbols[0])};
	add_aligned(out, symbols, sizeof(symbols), &sections[SYMBOLS]);
}

static void add_strings(struct tally_str *out, const struct inject_elf *elf, Elf64_Shdr *sections)
{
	sections[STRINGS] = (Elf64_Shdr){
		.sh_name = name_at(".strtab"), .sh_type = SHT_STRTAB, .sh_addralign = 1};
	add_aligned(out, "", 1, &sections[STRINGS]);
	sections[STRINGS].sh_size += strlen(elf->name) + 1;
	tally_str_add_bytes(out, elf->name, strlen(elf->name) + 1);
	sections[NAMES] = (Elf64_Shdr){
		.sh_name = name_at(".shstrtab"), .sh_type = SHT_STRTAB, .sh_addralign = 1};
	add_aligned(out, names, sizeof(names), &sections[NAMES]);
}

static void add_note(struct tally_str *out, const struct inject_elf *elf, Elf64_Shdr *sections)
{
	struct {
		Elf64_Nhdr head;
		char owner[4];
		uint8_t id[INJECT_ELF_ID];
	} note = {{4, INJECT_ELF_ID, NT_GNU_BUILD_ID}, "GNU", {0}};

	memcpy(note.id, elf->id, sizeof(note.id));
	sections[NOTE] = (Elf64_Shdr){.sh_name = name_at(".note.gnu.build-id"),
				      .sh_type = SHT_NOTE,
				      .sh_flags = SHF_ALLOC,
				      .sh_addralign = 4};
	add_aligned(out, &note, sizeof(note), &sections[NOTE]);
}

/* Fill in the headers at the start of the file. */
static void fill_headers(uint8_t *start, const struct inject_elf *elf, uint64_t sections)
{
	const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					     TALLY_HOST_BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB,
					     EV_CURRENT},
				 .e_type = ET_DYN,
				 .e_machine = elf->machine,
				 .e_version = EV_CURRENT,
				 .e_entry = INJECT_ELF_CODE,
				 .e_phoff = sizeof(Elf64_Ehdr),
				 .e_shoff = sections,
				 .e_ehsize = sizeof(Elf64_Ehdr),
				 .e_phentsize = sizeof(Elf64_Phdr),
				 .e_phnum = 1,
				 .e_shentsize = sizeof(Elf64_Shdr),
				 .e_shnum = NR_SECTIONS,
				 .e_shstrndx = NAMES};
	const Elf64_Phdr segment = {.p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_offset = INJECT_ELF_CODE,
				    .p_vaddr = INJECT_ELF_CODE,
				    .p_paddr = INJECT_ELF_CODE,
				    .p_filesz = elf->size,
				    .p_memsz = elf->size,
				    .p_align = 8};

	memcpy(start, &head, sizeof(head));
	memcpy(start + sizeof(head), &segment, sizeof(segment));
}

int inject_elf_add(const struct inject_elf *elf, struct tally_str *out)
{
	static const uint8_t zeros[INJECT_ELF_CODE];
	Elf64_Shdr sections[NR_SECTIONS] = {0}, table = {0};
	struct tally_str file = {0};
	int ret;

	tally_str_add_bytes(&file, zeros, sizeof(zeros));
	sections[TEXT] = (Elf64_Shdr){.sh_name = name_at(".text"),
				      .sh_type = SHT_PROGBITS,
				      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				      .sh_addr = INJECT_ELF_CODE,
				      .sh_addralign = 16};
	add_aligned(&file, elf->code, elf->size, &sections[TEXT]);
	add_symbols(&file, elf, sections);
	add_strings(&file, elf, sections);
	add_note(&file, elf, sections);
	add_aligned(&file, sections, sizeof(sections), &table);
	ret = tally_str_error(&file);
	if (!ret) {
		fill_headers((uint8_t *)file.data, elf, table.sh_offset);
		tally_str_add_bytes(out, file.data, file.len);
		ret = tally_str_error(out);
	}
	tally_str_free(&file);
	return ret;
}
