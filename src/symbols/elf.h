/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF images, 32 and 64 bit, both byte orders, from bytes in memory: sections, segments,
 * build-id, debug link and symbols. Every function takes hostile bytes.
 *
 * It does not: decompress sections, read versions, relocate, or look at DWARF.
 */
#ifndef TALLY_SYMBOLS_ELF_H
#define TALLY_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "symbols/table.h"

#define TALLY_BUILD_ID_MAX 20

/* An image whose header was checked. Borrows the bytes. */
struct tally_elf {
	const uint8_t *data;
	size_t len;
	struct tally_file_map file; /* borrowed, where the bytes are a file's; or all zero */
	bool is64, swap;
	uint16_t type, machine; /* e_type, e_machine */
	uint64_t entry;         /* e_entry */
	uint64_t phoff, shoff;
	uint32_t phnum, shnum, shstrndx;
	uint32_t phentsize, shentsize;
};

/* A section or program header in host order, widened to 64 bit. */
struct tally_elf_section {
	uint32_t name, type, link, info;
	uint64_t flags, addr, offset, size, entsize;
};
struct tally_elf_segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz, align;
};

struct tally_elf_sym {
	uint32_t name;
	uint8_t info, other;
	uint16_t shndx;
	uint64_t value, size;
};

/* Check the ELF header and the bounds of the header tables. 0; -ENOEXEC when the bytes are no
 * ELF image; -EINVAL when they are a broken one, or have more than 65,535 segments or 2^20
 * sections. `err` may be NULL. */
int tally_elf_open(const uint8_t *data, size_t len, struct tally_elf *ret_elf,
		   struct tally_error *err);

/* Section header `index` (< shnum) or segment header `index` (< phnum). False beyond. */
bool tally_elf_section(const struct tally_elf *elf, uint32_t index, struct tally_elf_section *ret);
bool tally_elf_segment(const struct tally_elf *elf, uint32_t index, struct tally_elf_segment *ret);

/* The section's name, or "" when it has none or lies about it. */
const char *tally_elf_section_name(const struct tally_elf *elf,
				   const struct tally_elf_section *section);

/* The first section of that name. False when there is none. */
bool tally_elf_section_by_name(const struct tally_elf *elf, const char *name,
			       struct tally_elf_section *ret);

/* The first section of that type (SHT_...) and its index. False when there is none. */
bool tally_elf_section_by_type(const struct tally_elf *elf, uint32_t type,
			       struct tally_elf_section *ret, uint32_t *ret_index);

/* Decode the symbol at `at`, where a whole Elf32_Sym or Elf64_Sym has to lie. True if it has a
 * name and is defined here. */
bool tally_elf_symbol(const struct tally_elf *elf, const uint8_t *at, struct tally_elf_sym *ret);

/* Whether the section is hollow (base/file.h): then its size is nothing to go by. */
bool tally_elf_section_is_hollow(const struct tally_elf *elf,
				 const struct tally_elf_section *section);

/* The section's bytes in the file: NULL and 0 for NOBITS, for ranges outside of it, and for hollow
 * ones. */
const uint8_t *tally_elf_section_data(const struct tally_elf *elf,
				      const struct tally_elf_section *section, size_t *ret_len);

/* The file offset of virtual address `vaddr` by the PT_LOAD segment that holds it in memory
 * (bss included: an offset beyond the segment's file part). False when none does. */
bool tally_elf_vaddr_to_offset(const struct tally_elf *elf, uint64_t vaddr, uint64_t *ret_offset);

/* The build-id of the image's notes (sections first, then PT_NOTE). `ret_id` is zero-padded.
 * 0, -ENOENT when there is none in the first 16 MB of notes, or an error of tally_elf_open. */
int tally_elf_image_build_id(const uint8_t *data, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			     size_t *ret_size);

/* The same of the file at `path`, reading only headers and notes. Adds the errors of
 * tally_file_map(), and -EIO where the file became shorter meanwhile. */
int tally_elf_build_id(const char *path, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);

/* The GNU build-id among note bytes in host order, the format of /sys/kernel/notes and of
 * /sys/module/NAME/notes/.note.gnu.build-id. 0, or -ENOENT. */
int tally_notes_build_id(const void *notes, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			 size_t *ret_size);

/* The running kernel's build-id, from /sys/kernel/notes, or a loaded module's by its bare name
 * ("ext4"). 0, -ENOENT, or the error of open(2). */
int tally_kernel_build_id(uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);
int tally_module_build_id(const char *module, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);

/* .gnu_debuglink: the file name (borrowed from the image) and its CRC. 0, -ENOENT, -EINVAL. */
int tally_elf_debuglink(const struct tally_elf *elf, const char **ret_name, uint32_t *ret_crc);

/* The CRC32 that .gnu_debuglink stores, of a whole file's bytes. */
uint32_t tally_elf_debuglink_crc(const uint8_t *data, size_t len);

/* True when the image has a .symtab with entries. */
bool tally_elf_has_symtab(const struct tally_elf *elf);

/* What is wanted of an image's symbols; all zero: offsets of the image itself. */
struct tally_elf_load {
	/* The image that was mapped, where this one is its separate debug file: its segments, its
	 * section names and its PLT count. NULL: the image itself. */
	const struct tally_elf *runtime;
	bool kernel;         /* starts are st_value + bias, not file offsets */
	uint64_t bias;       /* with kernel */
	const char *section; /* NULL, or only the symbols of the section of that name */
};

/* Add the function, object and label symbols of .symtab and .dynsym in the order of the file.
 * `load` may be NULL. Symbols that make no sense are left out. 0 also when there are none; -ENOMEM;
 * -E2BIG; -EFBIG for tables beyond 512 MB, or hollow ones. Names are copied: the image may go. */
int tally_elf_add_symbols(const struct tally_elf *elf, const struct tally_elf_load *load,
			  struct tally_symtab *table);

/* All of it: open the bytes, add symbols and PLT, finish `table`, which must be empty. 0, an
 * error of tally_elf_open with `err` filled (may be NULL), -ENOMEM, -E2BIG. */
int tally_elf_parse(const uint8_t *data, size_t len, struct tally_symtab *table,
		    struct tally_error *err);

#endif
