/* SPDX-License-Identifier: BSD-2-Clause */
/* PLT stubs in .plt.sec, .plt.got and AArch64's .plt. A stub's code contains the address of the
 * slot it jumps through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/elf/elf_plt.h"

/* Stubs are at file offset CODE_OFFSET and are mapped at CODE. GOT is the address of the first
 * slot. */
enum { CODE = 0x401000, CODE_OFFSET = 0x800, GOT = 0x404000, IMAGE_SIZE = 0x1000 };

static const char strings[] = "\0abs\0puts\0getpid";
static const char section_names[] = "\0.dynsym\0.dynstr\0.rela.dyn\0.rela.plt\0.code\0.plt.sec\0"
				    ".plt.got\0.plt";
enum { DYNSYM = 1, DYNSTR, RELA_DYN, RELA_PLT, STUBS, SECTIONS };
enum { NAME_PLT_SEC = 43, NAME_PLT_GOT = 52, NAME_PLT = 61 };

struct plt_image {
	_Alignas(8) uint8_t data[IMAGE_SIZE];
	Elf64_Shdr *sections;
	Elf64_Rela *dyn, *plt;
	uint8_t *code;
};

static void set_section(struct plt_image *image, int index, uint32_t name, uint32_t type,
			uint64_t offset, uint64_t size)
{
	image->sections[index] = (Elf64_Shdr){.sh_name = name,
					      .sh_type = type,
					      .sh_offset = offset,
					      .sh_size = size,
					      .sh_link = index == DYNSYM ? DYNSTR : DYNSYM};
}

/* Make an image. .rela.plt assigns slots 0 and 1 to puts and abs, in this order; .rela.dyn assigns
 * slot 2 to getpid and has a relocation without a symbol. */
static void image_make(struct plt_image *image, uint16_t machine, uint32_t name)
{
	uint32_t jump = machine == EM_AARCH64 ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT;
	uint32_t data = machine == EM_AARCH64 ? R_AARCH64_GLOB_DAT : R_X86_64_GLOB_DAT;
	Elf64_Ehdr *header = (Elf64_Ehdr *)image->data;
	Elf64_Sym *symbols = (Elf64_Sym *)(image->data + 0x400);

	memset(image->data, 0, sizeof(image->data));
	*header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
			       .e_type = ET_DYN,
			       .e_machine = machine,
			       .e_version = 1,
			       .e_ehsize = sizeof(*header),
			       .e_shoff = 0x100,
			       .e_shentsize = sizeof(Elf64_Shdr),
			       .e_shnum = SECTIONS + 1,
			       .e_shstrndx = SECTIONS};
	image->sections = (Elf64_Shdr *)(image->data + header->e_shoff);
	image->dyn = (Elf64_Rela *)(image->data + 0x500);
	image->plt = (Elf64_Rela *)(image->data + 0x580);
	image->code = image->data + CODE_OFFSET;
	symbols[1].st_name = 1;
	symbols[2].st_name = 5;
	symbols[3].st_name = 10;
	image->plt[0] = (Elf64_Rela){GOT, ELF64_R_INFO(2, jump), 0};
	image->plt[1] = (Elf64_Rela){GOT + 8, ELF64_R_INFO(1, jump), 0};
	image->dyn[0] = (Elf64_Rela){GOT + 24, ELF64_R_INFO(0, data), 0};
	image->dyn[1] = (Elf64_Rela){GOT + 16, ELF64_R_INFO(3, data), 0};
	memcpy(image->data + 0x600, strings, sizeof(strings));
	memcpy(image->data + 0x680, section_names, sizeof(section_names));
	set_section(image, DYNSYM, 1, SHT_DYNSYM, 0x400, 4 * sizeof(Elf64_Sym));
	set_section(image, DYNSTR, 9, SHT_STRTAB, 0x600, sizeof(strings));
	set_section(image, RELA_DYN, 17, SHT_RELA, 0x500, 2 * sizeof(Elf64_Rela));
	set_section(image, RELA_PLT, 27, SHT_RELA, 0x580, 2 * sizeof(Elf64_Rela));
	set_section(image, STUBS, name, SHT_PROGBITS, CODE_OFFSET, 0x60);
	set_section(image, SECTIONS, 0, SHT_STRTAB, 0x680, sizeof(section_names));
	image->sections[STUBS].sh_addr = CODE;
}

static void put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* [endbr64] [bnd] jmp *got(%rip) */
static void put_x86(struct plt_image *image, size_t at, bool endbr, bool bnd, uint64_t got)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (endbr)
		memcpy(image->code + at, endbr64, sizeof(endbr64));
	at += endbr ? sizeof(endbr64) : 0;
	if (bnd)
		image->code[at++] = 0xf2;
	image->code[at] = 0xff;
	image->code[at + 1] = 0x25;
	put_u32(image->code + at + 2, (uint32_t)(got - (CODE + at + 6)));
}

/* [bti c]; adrp; ldr; add; [autia1716]; br; padded to a multiple of 8 */
static void put_a64(struct plt_image *image, size_t at, bool bti, bool pac, uint64_t got)
{
	uint32_t pages = (uint32_t)((got >> 12) - ((CODE + at) >> 12)), low = got & 0xfff;
	uint32_t code[] = {bti ? 0xd503245f : 0,
			   0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5,
			   0xf9400211 | low / 8 << 10,
			   0x91000210 | low << 10,
			   pac ? 0xd503219f : 0,
			   0xd61f0220,
			   bti != pac ? 0xd503201f : 0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(code); i++) {
		if (code[i])
			put_u32(image->code + at, code[i]);
		at += code[i] ? 4 : 0;
	}
}

static void table_make(const struct plt_image *image, struct tally_symtab *ret_table)
{
	struct tally_elf elf;

	assert_int_equal(tally_elf_open(image->data, sizeof(image->data), &elf, NULL), 0);
	assert_int_equal(tally_elf_add_stubs(&elf, ret_table), 0);
	assert_int_equal(tally_symtab_finish(ret_table, NULL), 0);
}

struct wanted {
	size_t at, size;
	const char *name;
};

static void assert_stubs(const struct plt_image *image, const struct wanted *wanted, size_t nr)
{
	struct tally_symtab table = {0};

	table_make(image, &table);
	assert_int_equal(table.len, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(table.symbols[i].start, CODE_OFFSET + wanted[i].at);
		assert_int_equal(table.symbols[i].end, CODE_OFFSET + wanted[i].at + wanted[i].size);
		assert_string_equal(tally_symtab_name(&table, &table.symbols[i]), wanted[i].name);
	}
	tally_symtab_free(&table);
}

static void x86_stubs(void **state)
{
	static const uint32_t names[] = {NAME_PLT_SEC, NAME_PLT_GOT};
	static const struct wanted wanted[] = {
		{0, 16, "abs@plt"}, {16, 8, "puts@plt"}, {24, 8, "abs@plt"}, {56, 8, "getpid@plt"}};
	struct plt_image image;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		image_make(&image, EM_X86_64, names[i]);
		put_x86(&image, 0, true, false, GOT + 8);
		put_x86(&image, 16, false, false, GOT);
		put_x86(&image, 24, false, true, GOT + 8);
		put_x86(&image, 32, true, false, GOT + 24); /* no symbol */
		put_x86(&image, 48, false, false, GOT + 4); /* not at a slot boundary */
		put_x86(&image, 56, false, false, GOT + 16);
		assert_stubs(&image, wanted, TALLY_ARRAY_SIZE(wanted));
	}
}

/* The header is not a stub, and BTI and PAC do not shift later stubs. */
static void a64_stubs(void **state)
{
	static const struct wanted short_ones[] = {
		{32, 16, "puts@plt"}, {48, 16, "abs@plt"}, {64, 16, "getpid@plt"}};
	static const struct wanted long_ones[] = {{32, 24, "abs@plt"}, {56, 24, "puts@plt"}};
	struct plt_image image;

	image_make(&image, EM_AARCH64, NAME_PLT);
	put_a64(&image, 4, false, false, GOT - 8);
	for (size_t i = 0; i < 3; i++)
		put_a64(&image, 32 + 16 * i, false, false, GOT + 8 * i);
	assert_stubs(&image, short_ones, TALLY_ARRAY_SIZE(short_ones));
	for (int kind = 1; kind < 4; kind++) {
		image_make(&image, EM_AARCH64, NAME_PLT);
		put_a64(&image, 4, false, false, GOT - 8);
		put_a64(&image, 32, kind & 1, kind & 2, GOT + 8);
		put_a64(&image, 56, kind & 1, kind & 2, GOT);
		assert_stubs(&image, long_ones, TALLY_ARRAY_SIZE(long_ones));
	}
}

/* The table is before the code, so adrp has a negative offset. */
static void a64_table_before_code(void **state)
{
	static const struct wanted wanted[] = {{32, 16, "puts@plt"}};
	struct plt_image image;

	image_make(&image, EM_AARCH64, NAME_PLT);
	image.plt[0].r_offset = 0x10ff8;
	put_a64(&image, 32, false, false, 0x10ff8);
	assert_stubs(&image, wanted, 1);
}

/* Check code that ends within a stub, sections beyond the end of the file, and indexes beyond the
 * symbols. */
static void ignores_damaged_stubs(void **state)
{
	static const uint16_t machines[] = {EM_X86_64, EM_AARCH64};
	struct tally_symtab table = {0};
	struct plt_image image;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		image_make(&image, machines[i], i ? NAME_PLT : NAME_PLT_SEC);
		if (i)
			put_a64(&image, 0, true, true, GOT);
		else
			put_x86(&image, 0, true, true, GOT);
		for (size_t size = 0; size < 24; size++) {
			image.sections[STUBS].sh_offset = IMAGE_SIZE - size;
			image.sections[STUBS].sh_size = size;
			memmove(image.data + IMAGE_SIZE - size, image.code, size);
			table_make(&image, &table);
			tally_symtab_free(&table);
		}
		image.sections[STUBS].sh_size = 25;
		assert_stubs(&image, NULL, 0);
		image.sections[STUBS].sh_offset = CODE_OFFSET;
		image.plt[0].r_info = ~0ull << 32 | (uint32_t)image.plt[0].r_info;
		assert_stubs(&image, NULL, 0);
		image.plt[0].r_info = 4ull << 32 | (uint32_t)image.plt[0].r_info;
		assert_stubs(&image, NULL, 0);
		image.sections[RELA_PLT].sh_link = DYNSTR;
		assert_stubs(&image, NULL, 0);
	}
}

/* If every stub had a name as long as the file, the names would take quadratic memory. */
static void long_names_are_bounded(void **state)
{
	enum { STUBS_NR = 20000, NAME = 60000, LEN = IMAGE_SIZE + 8 * STUBS_NR + NAME + 1 };
	struct plt_image image;
	struct tally_symtab table = {0};
	struct tally_elf elf;
	uint8_t *data = calloc(1, LEN);

	assert_non_null(data);
	image_make(&image, EM_X86_64, NAME_PLT_GOT);
	image.sections[STUBS].sh_offset = IMAGE_SIZE;
	image.sections[STUBS].sh_size = 8 * STUBS_NR;
	image.sections[DYNSTR].sh_offset = LEN - NAME - 1;
	image.sections[DYNSTR].sh_size = NAME + 1;
	memcpy(data, image.data, IMAGE_SIZE);
	memset(data + LEN - NAME - 1, 'x', NAME);
	for (size_t i = 0; i < STUBS_NR; i++) {
		put_x86(&image, 0, false, false, GOT - 8 * i);
		memcpy(data + IMAGE_SIZE + 8 * i, image.code, 6);
	}
	assert_int_equal(tally_elf_open(data, LEN, &elf, NULL), 0);
	assert_int_equal(tally_elf_add_stubs(&elf, &table), 0);
	assert_true(table.entries.len > 10 && table.entries.len < 100);
	tally_symtab_free(&table);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_stubs),
		cmocka_unit_test(a64_stubs),
		cmocka_unit_test(a64_table_before_code),
		cmocka_unit_test(ignores_damaged_stubs),
		cmocka_unit_test(long_names_are_bounded),
	};

	return cmocka_run_group_tests_name("symbols/plt", tests, NULL, NULL);
}
