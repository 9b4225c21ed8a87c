/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug information is passed to libdw in a synthetic ELF file that contains only the debug
 * sections. So libdw is not exposed to oddities in other parts of the original file.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "dwarf/sections.h"
#include "dwarf/dwarf_private.h"

/* libelf takes a non-const pointer, but does not write to the bytes. */
static int add_section(Elf *elf, int number, const void *data, size_t len, size_t *ret_index)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *bytes = section ? elf_newdata(section) : NULL;
	GElf_Shdr header;

	if (!bytes || !gelf_getshdr(section, &header))
		return -ENOMEM;
	bytes->d_buf = (void *)(uintptr_t)data;
	bytes->d_size = len;
	bytes->d_type = ELF_T_BYTE;
	bytes->d_align = 1;
	bytes->d_version = EV_CURRENT;
	header.sh_name = (GElf_Word)dwarf_name_offset(number);
	header.sh_type = number == TALLY_DWARF_SECTIONS ? SHT_STRTAB : SHT_PROGBITS;
	header.sh_size = len;
	*ret_index = elf_ndxscn(section);
	return gelf_update_shdr(section, &header) ? 0 : -ENOMEM;
}

static int add_sections(Elf *elf, const struct tally_dwarf_file *file, size_t *ret_names)
{
	int ret = 0;

	for (int i = 0; i < TALLY_DWARF_SECTIONS && !ret; i++) {
		if (file->sections[i].data)
			ret = add_section(elf, i, file->sections[i].data, file->sections[i].len,
					  ret_names);
	}
	return ret ? ret
		   : add_section(elf, TALLY_DWARF_SECTIONS, dwarf_names, dwarf_names_size,
				 ret_names);
}

static int elf_make(int nowhere, const struct tally_dwarf_file *file, Elf **ret_elf)
{
	Elf *elf = elf_begin(nowhere, ELF_C_WRITE, NULL);
	GElf_Ehdr header;
	size_t index = 0;
	int ret = elf && gelf_newehdr(elf, file->is64 ? ELFCLASS64 : ELFCLASS32) ? 0 : -ENOMEM;

	if (!ret)
		ret = add_sections(elf, file, &index);
	if (!ret && !gelf_getehdr(elf, &header))
		ret = -ENOMEM;
	if (!ret) {
		header.e_ident[EI_DATA] = file->is_big ? ELFDATA2MSB : ELFDATA2LSB;
		header.e_machine = file->machine;
		header.e_type = ET_EXEC;
		header.e_version = EV_CURRENT;
		header.e_shstrndx = (GElf_Half)index;
		ret = gelf_update_ehdr(elf, &header) ? 0 : -ENOMEM;
	}
	if (ret)
		elf_end(elf);
	else
		*ret_elf = elf;
	return ret;
}

static int debug_open(int nowhere, const struct tally_dwarf_file *file, Elf **ret_elf,
		      Dwarf **ret_debug)
{
	Elf *elf;
	int ret = elf_make(nowhere, file, &elf);

	if (ret)
		return ret;
	*ret_debug = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	*ret_elf = elf;
	return *ret_debug ? 0 : -EBADMSG;
}

bool tally_dwarf_available(void)
{
	return true;
}

int tally_dwarf_open(const struct tally_dwarf_file *file, const struct tally_dwarf_file *alt,
		     struct tally_dwarf **ret_dwarf)
{
	struct tally_dwarf *dwarf;
	int ret;

	if (!file->sections[TALLY_DWARF_INFO].len || elf_version(EV_CURRENT) == EV_NONE)
		return -ENODATA;
	dwarf = calloc(1, sizeof(*dwarf));
	if (!dwarf)
		return -ENOMEM;
	dwarf->info = file->sections[TALLY_DWARF_INFO].data;
	dwarf->info_len = file->sections[TALLY_DWARF_INFO].len;
	dwarf->nowhere = tally_memory_file("tally");
	ret = dwarf->nowhere < 0 ? dwarf->nowhere : 0;
	if (!ret)
		ret = debug_open(dwarf->nowhere, file, &dwarf->elf, &dwarf->debug);
	/* If the file created by dwz cannot be opened, continue without it; some functions will
	 * have no names. */
	if (!ret && alt && !debug_open(dwarf->nowhere, alt, &dwarf->alt_elf, &dwarf->alt))
		dwarf_setalt(dwarf->debug, dwarf->alt);
	if (ret)
		tally_dwarf_close(dwarf);
	else
		*ret_dwarf = dwarf;
	return ret;
}

uint64_t tally_dwarf_missing(const struct tally_dwarf *dwarf)
{
	return dwarf->nr_missing;
}

void tally_dwarf_close(struct tally_dwarf *dwarf)
{
	tally_vec_for_each (unit, &dwarf->units) {
		tally_vec_free(&unit->functions);
		tally_vec_free(&unit->calls);
		dwarf_scopes_free(&unit->scopes);
		tally_map_free(&unit->paths);
	}
	tally_vec_free(&dwarf->units);
	tally_vec_free(&dwarf->ranges);
	tally_map_free(&dwarf->names);
	tally_map_free(&dwarf->alt_names);
	tally_map_free(&dwarf->scoped_names);
	tally_map_free(&dwarf->scope_facts);
	tally_vec_free(&dwarf->facts);
	tally_intern_free(&dwarf->scoped_texts);
	tally_map_free(&dwarf->others);
	tally_vec_for_each (scopes, &dwarf->other_scopes)
		dwarf_scopes_free(scopes);
	tally_vec_free(&dwarf->other_scopes);
	tally_arena_free(&dwarf->paths);
	tally_vec_free(&dwarf->globals);
	tally_map_free(&dwarf->types);
	tally_intern_free(&dwarf->type_names);
	tally_arena_free(&dwarf->type_memory);
	dwarf_end(dwarf->debug);
	dwarf_end(dwarf->alt);
	elf_end(dwarf->elf);
	elf_end(dwarf->alt_elf);
	if (dwarf->nowhere >= 0)
		close(dwarf->nowhere);
	free(dwarf);
}
