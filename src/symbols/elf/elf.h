/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF images in memory, 32-bit and 64-bit, in both byte orders: sections, segments, build-id, debug
 * link and symbols. All functions accept untrusted bytes.
 *
 * Not supported: section decompression, symbol versions, relocations and DWARF.
 */
#ifndef TALLY_SYMBOLS_ELF_ELF_H
#define TALLY_SYMBOLS_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "symbols/symbols_table.h"

#define TALLY_BUILD_ID_MAX 20

/* Image with a validated header. Borrows the bytes. */
struct tally_elf {
	const uint8_t *data;
	size_t len;
	struct tally_file_map file; /* borrowed; all zero if the bytes are not a mapped file */
	bool is64, swap;
	uint16_t type, machine; /* e_type, e_machine */
	uint64_t entry;         /* e_entry */
	uint64_t phoff, shoff;
	uint32_t phnum, shnum, shstrndx;
	uint32_t phentsize, shentsize;
};

/* Section or program header in host byte order, widened to 64 bits. */
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

/* Check the ELF header and the bounds of the header tables. Returns 0; -ENOEXEC if the bytes are
 * not an ELF image; -EINVAL if the image is malformed, or has more than 65,535 segments or 2^20
 * sections. `err` may be NULL. */
int tally_elf_open(const uint8_t *data, size_t len, struct tally_elf *ret_elf,
		   struct tally_error *err);

/* Decode section header `index` (< shnum) or segment header `index` (< phnum). Return false if
 * `index` is too large. */
bool tally_elf_section(const struct tally_elf *elf, uint32_t index, struct tally_elf_section *ret);
bool tally_elf_segment(const struct tally_elf *elf, uint32_t index, struct tally_elf_segment *ret);

/* Return the section's name, or "" if it has none or the name is invalid. */
const char *tally_elf_section_name(const struct tally_elf *elf,
				   const struct tally_elf_section *section);

/* Find the first section called `name`. Returns false if it is not found. */
bool tally_elf_section_by_name(const struct tally_elf *elf, const char *name,
			       struct tally_elf_section *ret);

/* Find the first section of the given type (SHT_...) and its index. Returns false if it is not
 * found. */
bool tally_elf_section_by_type(const struct tally_elf *elf, uint32_t type,
			       struct tally_elf_section *ret, uint32_t *ret_index);

/* Decode the symbol at `at`, which must point to a complete Elf32_Sym or Elf64_Sym. Returns true if
 * the symbol has a name and is defined in this image. */
bool tally_elf_symbol(const struct tally_elf *elf, const uint8_t *at, struct tally_elf_sym *ret);

/* Return true if the section is hollow (base/file.h), so its size cannot be trusted. */
bool tally_elf_section_is_hollow(const struct tally_elf *elf,
				 const struct tally_elf_section *section);

/* Return the section's bytes in the file. Returns NULL with length 0 for NOBITS, for ranges outside
 * the file, and for hollow sections. */
const uint8_t *tally_elf_section_data(const struct tally_elf *elf,
				      const struct tally_elf_section *section, size_t *ret_len);

/* Convert the virtual address `vaddr` to a file offset, using the PT_LOAD segment that contains it
 * in memory. For bss the offset is beyond the segment's data in the file. Returns false if no
 * segment contains the address. */
bool tally_elf_vaddr_to_offset(const struct tally_elf *elf, uint64_t vaddr, uint64_t *ret_offset);

/* Get the build-id from an image's notes (sections first, then PT_NOTE). `ret_id` is
 * zero-padded. Returns 0; -ENOENT if it is not in the first 16 MB of notes; or an error from
 * tally_elf_open(). */
int tally_elf_image_build_id(const uint8_t *data, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			     size_t *ret_size);

/* Do the same as tally_elf_image_build_id() for the file at `path`, but read only its headers and
 * notes. Also returns errors from tally_file_map(), and -EIO if the file was truncated in the
 * meantime. */
int tally_elf_build_id(const char *path, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);

/* Get the GNU build-id from notes in host byte order, the format of /sys/kernel/notes and
 * /sys/module/NAME/notes/.note.gnu.build-id. Returns 0 or -ENOENT. */
int tally_notes_build_id(const void *notes, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			 size_t *ret_size);

/* Get the build-id of the running kernel from /sys/kernel/notes, or of the loaded module with the
 * given bare name ("ext4"). Return 0, -ENOENT, or the error from open(2). */
int tally_kernel_build_id(uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);
int tally_module_build_id(const char *module, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size);

/* Get the file name in .gnu_debuglink (borrowed from the image) and its CRC. Returns 0; -ENOENT if
 * there is no such section; -EINVAL if it is malformed. */
int tally_elf_debuglink(const struct tally_elf *elf, const char **ret_name, uint32_t *ret_crc);

/* Return the CRC32 of a whole file, as stored in .gnu_debuglink. */
uint32_t tally_elf_debuglink_crc(const uint8_t *data, size_t len);

/* Return true if the image has a .symtab with entries. */
bool tally_elf_has_symtab(const struct tally_elf *elf);

/* Options for loading symbols. If all are zero, addresses are offsets in the image's own file. */
struct tally_elf_load {
	/* Mapped image, if the image to load is its separate debug file. Segments and section names
	 * are taken from the mapped image. NULL if the image itself is the mapped one. */
	const struct tally_elf *runtime;
	bool kernel;         /* addresses are st_value + bias, not file offsets */
	uint64_t bias;       /* used only with `kernel` */
	const char *section; /* load only symbols in the section with this name; NULL for all */
};

/* Add the function, object and label symbols from .symtab and .dynsym in file order. `load` may be
 * NULL. Invalid symbols are skipped. Names are copied, so the table may outlive the image. Returns
 * 0, even if there are no symbols; -ENOMEM; -E2BIG as for tally_symtab_add(); or -EFBIG if a table
 * is hollow or larger than 512 MB. */
int tally_elf_add_symbols(const struct tally_elf *elf, const struct tally_elf_load *load,
			  struct tally_symtab *table);

/* Open the image, add its symbols and PLT, and finish `table`, which must be empty. Returns 0; an
 * error from tally_elf_open() with `err` (may be NULL) filled in; or an error from
 * tally_elf_add_symbols(). */
int tally_elf_parse(const uint8_t *data, size_t len, struct tally_symtab *table,
		    struct tally_error *err);

#endif
