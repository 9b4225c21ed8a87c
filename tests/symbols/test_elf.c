/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "elf_image.h"
#include "test_names.h"
#include "symbols/elf/elf.h"

static const struct image_symbol symbols[] = {
	{"file.c", 0, 0, STB_LOCAL, STT_FILE},
	{"first", IMAGE_TEXT + 0x10, 0x20, STB_GLOBAL, STT_FUNC},
	{"unsized", IMAGE_TEXT + 0x40, 0, STB_LOCAL, STT_FUNC},
	{"label", IMAGE_TEXT + 0x60, 0, STB_LOCAL, STT_NOTYPE},
	{"object", IMAGE_TEXT + 0x80, 8, STB_GLOBAL, STT_OBJECT},
	{"tls", IMAGE_TEXT + 0x84, 8, STB_GLOBAL, STT_TLS},
	{"alias_weak", IMAGE_TEXT + 0x100, 4, STB_WEAK, STT_FUNC},
	{"alias", IMAGE_TEXT + 0x100, 4, STB_GLOBAL, STT_FUNC},
	{"last", IMAGE_TEXT + 0x200, 0, STB_GLOBAL, STT_GNU_IFUNC},
};

static const struct {
	uint64_t offset;
	const char *name; /* NULL if there is no symbol */
	uint64_t start;
} answers[] = {
	{0x1000, NULL, 0},           {0x100f, NULL, 0},         {0x1010, "first", 0x1010},
	{0x102f, "first", 0x1010},   {0x1030, NULL, 0},         {0x1040, "unsized", 0x1040},
	{0x105f, "unsized", 0x1040}, {0x1060, "label", 0x1060}, {0x1087, "object", 0x1080},
	{0x1088, NULL, 0},           {0x1103, "alias", 0x1100}, {0x1104, NULL, 0},
	{0x1200, "last", 0x1200},    {0x2fff, "last", 0x1200},  {0x3000, NULL, 0},
};

static void reads_each_class_and_byte_order(void **state)
{
	struct image image;

	for (int i = 0; i < 4; i++) {
		struct tally_symtab table = {0};

		image_build(&image, i & 1, i & 2, symbols, 9);
		assert_int_equal(tally_elf_parse(image.data, image.len, &table, NULL), 0);
		assert_int_equal(table.len, 6);
		for (size_t j = 0; j < sizeof(answers) / sizeof(answers[0]); j++) {
			const struct tally_symbol *symbol =
				tally_symtab_find(&table, answers[j].offset);

			if (!answers[j].name) {
				assert_null(symbol);
				continue;
			}
			assert_non_null(symbol);
			assert_string_equal(tally_symtab_name(&table, symbol), answers[j].name);
			assert_int_equal(symbol->start, answers[j].start);
		}
		tally_symtab_free(&table);
	}
}

static void build_id_and_debuglink(void **state)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	struct image image;
	struct tally_elf elf;
	const char *name;
	uint32_t crc;
	size_t size;

	for (int i = 0; i < 4; i++) {
		image_build(&image, i & 1, i & 2, symbols, 9);
		assert_int_equal(tally_elf_image_build_id(image.data, image.len, id, &size), 0);
		assert_int_equal(size, 20);
		assert_int_equal(id[0], 0xa0);
		assert_int_equal(id[19], 0xa0 + 19);
		assert_int_equal(tally_elf_open(image.data, image.len, &elf, NULL), 0);
		assert_int_equal(tally_elf_debuglink(&elf, &name, &crc), 0);
		assert_string_equal(name, "x.debug");
		assert_int_equal(crc, 0x12345678);
	}
	assert_int_equal(tally_elf_debuglink_crc((const uint8_t *)"123456789", 9), 0xcbf43926);
}

static void kernel_space_and_section(void **state)
{
	struct tally_elf_load load = {.kernel = true, .bias = 0x1000000, .section = ".text"};
	struct tally_symtab table = {0};
	struct image image;
	struct tally_elf elf;

	image_build(&image, true, false, symbols, 9);
	assert_int_equal(tally_elf_open(image.data, image.len, &elf, NULL), 0);
	assert_int_equal(tally_elf_add_symbols(&elf, &load, &table), 0);
	assert_int_equal(tally_symtab_finish(&table, NULL), 0);
	assert_string_equal(name_at(&table, 0x1000000 + IMAGE_TEXT + 0x11), "first");
	tally_symtab_free(&table);
	load.section = ".init.text";
	assert_int_equal(tally_elf_add_symbols(&elf, &load, &table), 0);
	assert_int_equal(table.entries.len, 0);
	tally_symtab_free(&table);
}

/* Truncate an image at every length. Parsing it must succeed, or fail with an error message. Each
 * copy has exactly the right size, so that ASan reports reads beyond its end. */
static void reads_images_truncated_anywhere(void **state)
{
	struct image image;

	for (int i = 0; i < 4; i++) {
		image_build(&image, i & 1, i & 2, symbols, 9);
		for (size_t len = 0; len < image.len; len++) {
			struct tally_symtab table = {0};
			struct tally_error err = {0};
			uint8_t id[TALLY_BUILD_ID_MAX], *copy = malloc(len + !len);
			size_t size;
			int ret;

			memcpy(copy, image.data, len);
			ret = tally_elf_parse(copy, len, &table, &err);
			assert_true(ret == 0 || ret == -EINVAL || ret == -ENOEXEC);
			assert_int_equal(err.code, ret);
			assert_true(!ret || err.text);
			tally_elf_image_build_id(copy, len, id, &size);
			tally_symtab_free(&table);
			free(copy);
		}
	}
}

/* Change each byte of an image. The image must not have more symbols than fit into the file, and a
 * symbol that is found must cover the requested address. */
static void reads_images_with_any_byte_changed(void **state)
{
	struct image image, bad;

	image_build(&image, true, false, symbols, 9);
	for (size_t at = 0; at < image.len * 2; at++) {
		struct tally_symtab table = {0};
		const struct tally_symbol *found;
		uint8_t id[TALLY_BUILD_ID_MAX];
		size_t size;

		bad = image;
		bad.data[at / 2] ^= at & 1 ? 0xff : 0x01;
		(void)tally_elf_parse(bad.data, bad.len, &table, NULL);
		assert_true(table.len <= bad.len / sizeof(Elf32_Sym));
		found = tally_symtab_find(&table, 0x1010);
		if (found) {
			assert_in_range(0x1010, found->start, found->end - 1);
			assert_true(strlen(tally_symtab_name(&table, found)) < bad.len);
		}
		if (!tally_elf_image_build_id(bad.data, bad.len, id, &size))
			assert_in_range(size, 1, TALLY_BUILD_ID_MAX);
		tally_symtab_free(&table);
	}
}

/* Make an image with so many headers that their number must be stored in section 0. All headers are
 * in the file, except section headers beyond 2^21. */
static uint8_t *many_headers(bool is64, uint64_t phnum, uint64_t shnum, size_t *ret_len)
{
	size_t ehdr = is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	size_t phdr = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t shdr = is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct image head = {.is64 = is64, .big = TALLY_HOST_BIG_ENDIAN};
	uint64_t shoff = ehdr + phnum * phdr;
	uint8_t *data;

	*ret_len = shoff + TALLY_MIN(shnum, 1u << 21) * shdr;
	data = calloc(*ret_len, 1);
	assert_non_null(data);
	image_header(&head, shoff, 0);
	memcpy(data, head.data, ehdr);
	/* e_phnum, then e_shentsize, e_shnum, e_shstrndx */
	memcpy(data + ehdr - 8, (uint16_t[]){PN_XNUM, (uint16_t)shdr, 0, 0}, 8);
	head.len = 0;
	image_section(&head, 0, SHT_NULL, 0, 0, 0, shnum, 0);
	memcpy(data + shoff, head.data, shdr);
	memcpy(data + shoff + (is64 ? 44 : 28), (uint32_t[]){(uint32_t)phnum}, 4);
	return data;
}

/* All headers are searched on each request, so their number is limited. */
static void limits_the_number_of_headers(void **state)
{
	static const struct {
		uint64_t phnum, shnum;
		const char *why;
	} rows[] = {{1, 1, NULL},
		    {65535, 1, NULL},
		    {65536, 1, "too many program headers"},
		    {1, 1 << 20, NULL},
		    {1, (1 << 20) + 1, "too many section headers"},
		    {1, UINT64_C(1) << 32, "too many section headers"}};

	for (size_t i = 0; i < 2 * TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_error err = {0};
		struct tally_elf elf = {0};
		size_t row = i / 2, len;
		uint8_t *data;

		if (i % 2 == 0 && rows[row].shnum > UINT32_MAX)
			continue; /* does not fit into ELF32 */
		data = many_headers(i % 2, rows[row].phnum, rows[row].shnum, &len);
		assert_int_equal(tally_elf_open(data, len, &elf, &err),
				 rows[row].why ? -EINVAL : 0);
		if (rows[row].why)
			assert_string_equal(err.text, rows[row].why);
		assert_int_equal(elf.phnum, rows[row].why ? 0 : rows[row].phnum);
		assert_int_equal(elf.shnum, rows[row].why ? 0 : rows[row].shnum);
		free(data);
	}
}

/* Search for a build ID after `nr` note segments that all refer to the same 1 MB of zeros. */
static int find_id_after_notes(uint16_t nr)
{
	enum { ID = 0x8000, ZEROS = 0x10000, LEN = 1 << 20 };
	struct image head = {.is64 = true, .big = TALLY_HOST_BIG_ENDIAN};
	Elf64_Phdr notes = {.p_type = PT_NOTE, .p_offset = ZEROS, .p_filesz = LEN, .p_align = 4};
	uint8_t *data = calloc(ZEROS + LEN, 1), id[TALLY_BUILD_ID_MAX];
	size_t size;
	int ret;

	assert_non_null(data);
	image_header(&head, 0, 0);
	memcpy(data, head.data, sizeof(Elf64_Ehdr));
	memcpy(data + offsetof(Elf64_Ehdr, e_phnum), (uint16_t[]){(uint16_t)(nr + 1)}, 2);
	for (size_t i = 0; i < nr; i++)
		memcpy(data + sizeof(Elf64_Ehdr) + i * sizeof(notes), &notes, sizeof(notes));
	head.len = 0;
	image_build_id(&head);
	memcpy(data + ID, head.data, head.len);
	notes.p_offset = ID;
	notes.p_filesz = head.len;
	memcpy(data + sizeof(Elf64_Ehdr) + nr * sizeof(notes), &notes, sizeof(notes));
	ret = tally_elf_image_build_id(data, ZEROS + LEN, id, &size);
	if (!ret)
		assert_int_equal(id[0], 0xa0);
	free(data);
	return ret;
}

static void limits_the_number_of_note_segments(void **state)
{
	assert_int_equal(find_id_after_notes(0), 0);
	assert_int_equal(find_id_after_notes(15), 0);
	assert_int_equal(find_id_after_notes(16), -ENOENT);
	assert_int_equal(find_id_after_notes(500), -ENOENT);
}

static void rejects_other_files(void **state)
{
	static const uint8_t text[] = "#!/bin/sh\necho this is no image at all\n";
	struct tally_symtab table = {0};
	struct tally_error err;

	assert_int_equal(tally_elf_parse(text, sizeof(text), &table, &err), -ENOEXEC);
	assert_string_equal(err.text, "not an ELF image");
	assert_int_equal(tally_elf_parse(NULL, 0, &table, NULL), -ENOEXEC);
	assert_int_equal(tally_elf_build_id("/nonexistent", (uint8_t[20]){0}, &(size_t){0}),
			 -ENOENT);
}

static void kernel_notes(void **state)
{
	static const uint8_t notes[] = {4, 0, 0,   0,   1,   0, 0, 0, 9, 0, 0, 0, 'X', 0, 0,
					0, 7, 0,   0,   0,   4, 0, 0, 0, 8, 0, 0, 0,   3, 0,
					0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 6, 7,   8};
	uint8_t id[TALLY_BUILD_ID_MAX];
	size_t size = 0;

	assert_int_equal(tally_notes_build_id(notes, sizeof(notes), id, &size), 0);
	assert_int_equal(size, 8);
	assert_int_equal(id[7], 8);
	assert_int_equal(id[8], 0);
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(tally_notes_build_id(notes, len, id, &size), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_class_and_byte_order),
		cmocka_unit_test(build_id_and_debuglink),
		cmocka_unit_test(kernel_space_and_section),
		cmocka_unit_test(reads_images_truncated_anywhere),
		cmocka_unit_test(reads_images_with_any_byte_changed),
		cmocka_unit_test(limits_the_number_of_headers),
		cmocka_unit_test(limits_the_number_of_note_segments),
		cmocka_unit_test(rejects_other_files),
		cmocka_unit_test(kernel_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
