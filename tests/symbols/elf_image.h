/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated ELF images of either class and byte order, with the symbols that a test specifies. */
#ifndef TESTS_SYMBOLS_ELF_IMAGE_H
#define TESTS_SYMBOLS_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/endian.h"

struct image_symbol {
	const char *name;
	uint64_t value, size;
	int bind, type;
};

struct image {
	uint8_t data[32768];
	size_t len;
	bool is64, big;
};

/* The file's .text is at offset IMAGE_TEXT_OFFSET and is mapped at IMAGE_TEXT. */
enum { IMAGE_TEXT = 0x401000, IMAGE_TEXT_OFFSET = 0x1000, IMAGE_TEXT_SIZE = 0x800 };

static inline void image_put(struct image *image, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		image->data[image->len++] =
			(uint8_t)(value >> 8 * (image->big ? width - 1 - i : i));
}

/* Append an address-sized field. */
static inline void image_word(struct image *image, uint64_t value)
{
	image_put(image, value, image->is64 ? 8 : 4);
}

static inline size_t image_bytes(struct image *image, const void *bytes, size_t len)
{
	size_t at = image->len;

	memcpy(image->data + at, bytes, len);
	image->len += len;
	while (image->len & 7)
		image->len++;
	return at;
}

static inline void image_section(struct image *image, uint32_t name, uint32_t type, uint64_t flags,
				 uint64_t addr, uint64_t offset, uint64_t size, uint32_t link)
{
	image_put(image, name, 4);
	image_put(image, type, 4);
	image_word(image, flags);
	image_word(image, addr);
	image_word(image, offset);
	image_word(image, size);
	image_put(image, link, 4);
	image_put(image, 0, 4);
	image_word(image, 1);
	image_word(image, 0);
}

static inline void image_symbol(struct image *image, const struct image_symbol *symbol,
				uint32_t name)
{
	image_put(image, name, 4);
	if (image->is64) {
		image_put(image, (uint64_t)(symbol->bind << 4 | symbol->type), 1);
		image_put(image, 0, 1);
		image_put(image, 1, 2);
		image_put(image, symbol->value, 8);
		image_put(image, symbol->size, 8);
		return;
	}
	image_put(image, symbol->value, 4);
	image_put(image, symbol->size, 4);
	image_put(image, (uint64_t)(symbol->bind << 4 | symbol->type), 1);
	image_put(image, 0, 1);
	image_put(image, 1, 2);
}

static inline void image_header(struct image *image, uint64_t shoff, uint32_t shnum)
{
	static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};

	image->len = 0;
	memcpy(image->data, magic, 4);
	image->data[EI_CLASS] = image->is64 ? ELFCLASS64 : ELFCLASS32;
	image->data[EI_DATA] = image->big ? ELFDATA2MSB : ELFDATA2LSB;
	image->data[EI_VERSION] = 1;
	image->len = EI_NIDENT;
	image_put(image, ET_EXEC, 2);
	image_put(image, EM_X86_64, 2);
	image_put(image, 1, 4);
	image_word(image, 0);
	image_word(image, image->is64 ? 64 : 52);
	image_word(image, shoff);
	image_put(image, 0, 4);
	image_put(image, image->is64 ? 64 : 52, 2);
	image_put(image, image->is64 ? 56 : 32, 2);
	image_put(image, 1, 2);
	image_put(image, image->is64 ? 64 : 40, 2);
	image_put(image, shnum, 2);
	image_put(image, shnum - 1, 2);
	/* The only loadable segment. */
	image_put(image, PT_LOAD, 4);
	if (image->is64)
		image_put(image, PF_R | PF_X, 4);
	image_word(image, IMAGE_TEXT_OFFSET);
	image_word(image, IMAGE_TEXT);
	image_word(image, IMAGE_TEXT);
	image_word(image, IMAGE_TEXT_SIZE);
	image_word(image, IMAGE_TEXT_SIZE);
	if (!image->is64)
		image_put(image, PF_R | PF_X, 4);
	image_word(image, 0x1000);
}

/* Append a note with the build ID a0 a1 ... b3. Returns its offset. */
static inline size_t image_build_id(struct image *image)
{
	size_t at = image->len;

	image_put(image, 4, 4);
	image_put(image, 20, 4);
	image_put(image, NT_GNU_BUILD_ID, 4);
	image_put(image, image->big ? 0x474e5500 : 0x00554e47, 4);
	for (int i = 0; i < 20; i++)
		image_put(image, (uint64_t)(0xa0 + i), 1);
	return at;
}

/* Build the image: .text, .symtab with `nr` symbols, .strtab, a build ID note, .gnu_debuglink
 * "x.debug" with CRC 0x12345678, .shstrtab. */
static inline void image_build(struct image *image, bool is64, bool big,
			       const struct image_symbol *symbols, size_t nr)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0.gnu_debuglink"
				    "\0.shstrtab";
	static const uint32_t name_at[] = {1, 7, 15, 23, 42, 57};
	char strings[8192] = "";
	uint32_t string_at[512];
	size_t strings_len = 1, symtab, strtab, shstr, note, note_len, link, link_len, shoff;

	memset(image, 0, sizeof(*image));
	image->is64 = is64;
	image->big = big;
	image->len = 128;
	for (size_t i = 0; i < nr; i++) {
		string_at[i] = (uint32_t)strings_len;
		strcpy(strings + strings_len, symbols[i].name);
		strings_len += strlen(symbols[i].name) + 1;
	}
	symtab = image->len;
	image_symbol(image, &(struct image_symbol){"", 0, 0, 0, 0}, 0);
	for (size_t i = 0; i < nr; i++)
		image_symbol(image, &symbols[i], string_at[i]);
	strtab = image_bytes(image, strings, strings_len);
	note = image_build_id(image);
	note_len = image->len - note;
	image->len = (image->len + 7) & ~(size_t)7;
	link = image_bytes(image, "x.debug", 8);
	image_put(image, 0x12345678, 4);
	link_len = image->len - link;
	shstr = image_bytes(image, names, sizeof(names));
	while (image->len & 7)
		image->len++;
	shoff = image->len;
	image_section(image, 0, SHT_NULL, 0, 0, 0, 0, 0);
	image_section(image, name_at[0], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, IMAGE_TEXT,
		      IMAGE_TEXT_OFFSET, 0, 0);
	image_section(image, name_at[1], SHT_SYMTAB, 0, 0, symtab,
		      (nr + 1) * (is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)), 3);
	image_section(image, name_at[2], SHT_STRTAB, 0, 0, strtab, strings_len, 0);
	image_section(image, name_at[3], SHT_NOTE, 0, 0, note, note_len, 0);
	image_section(image, name_at[4], SHT_PROGBITS, 0, 0, link, link_len, 0);
	image_section(image, name_at[5], SHT_STRTAB, 0, 0, shstr, sizeof(names), 0);
	note_len = image->len;
	image_header(image, shoff, 7);
	image->len = note_len;
}

#endif
