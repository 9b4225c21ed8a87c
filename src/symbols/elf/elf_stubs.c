/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name stubs according to their code. A stub loads the function's address from a slot in the global
 * offset table and jumps there. The relocation that fills the slot identifies the function, so the
 * size and order of stubs do not matter. The sections are .plt, .plt.sec and .plt.got on x86-64,
 * and .plt on AArch64, where stubs are longer with BTI and PAC.
 *
 * Not supported: stubs in position-independent i386 code, which address the table with a register,
 * and slots filled by an ifunc resolver (IRELATIVE), which have no symbol. With IBT, the slots in
 * .plt are only used for lazy binding and do not jump through the table, so they are named by their
 * order.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/map.h"
#include "symbols/elf/elf_plt.h"

/* Stub and the slot in the global offset table that it jumps through. */
struct plt_stub {
	uint64_t got; /* virtual address of the slot */
	size_t size;  /* bytes of code, including the padding after it */
};

/* Decode the stub in the `left` bytes at `code`; its virtual address is `at`. */
typedef bool stub_decode(const uint8_t *code, size_t left, uint64_t at, struct plt_stub *ret_stub);

/* Instructions are little-endian on both machines, regardless of the byte order of data. */
static uint32_t code_u32(const uint8_t *code)
{
	return tally_load_u32(code, TALLY_HOST_BIG_ENDIAN);
}

/* [endbr64] [bnd] jmp *disp(%rip), padded to 8 bytes. */
static bool stub_decode_x86_64(const uint8_t *code, size_t left, uint64_t at,
			       struct plt_stub *ret_stub)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jmp[] = {0xff, 0x25};
	enum { BND = 0xf2, JMP_SIZE = 6 };
	size_t len = 0;

	if (left >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		len += sizeof(endbr64);
	if (left > len && code[len] == BND)
		len++;
	if (left - len < JMP_SIZE || memcmp(code + len, jmp, sizeof(jmp)))
		return false;
	ret_stub->got = at + len + JMP_SIZE + (uint64_t)(int32_t)code_u32(code + len + 2);
	ret_stub->size = TALLY_MIN((len + JMP_SIZE + 7) & ~(size_t)7, left);
	return true;
}

enum {
	A64_SIZE = 4,
	A64_STUB_MAX = 24,
	A64_NOP = 0xd503201f,
	A64_BTI_C = 0xd503245f,
	A64_BR_X17 = 0xd61f0220,
	A64_ADRP_X16 = 0x90000010,
	A64_ADRP_MASK = 0x9f00001f,
	A64_LDR_X17_X16 = 0xf9400211,
	A64_LDR_MASK = 0xffc003ff,
};

/* Return the address of the 4 KB page computed by the adrp at `at`. The offset is a signed 21-bit
 * number in two parts. */
static uint64_t a64_adrp_page(uint32_t code, uint64_t at)
{
	uint32_t pages = (code >> 5 & 0x7ffff) << 2 | (code >> 29 & 3);
	int64_t distance = (int64_t)((uint64_t)pages << 43) >> 31;

	return (at & ~(uint64_t)0xfff) + (uint64_t)distance;
}

/* Return the size of a stub up to and including its branch and the padding after it. */
static size_t a64_stub_size(const uint8_t *code, size_t left)
{
	size_t len = 0;

	left = TALLY_MIN(left, A64_STUB_MAX);
	while (len + A64_SIZE <= left && code_u32(code + len) != A64_BR_X17)
		len += A64_SIZE;
	if (len + A64_SIZE <= left)
		len += A64_SIZE;
	while (len + A64_SIZE <= left && code_u32(code + len) == A64_NOP)
		len += A64_SIZE;
	return len;
}

/* [bti c]; adrp x16, page; ldr x17, [x16, offset]; add x16, x16, offset; [autia1716]; br x17 */
static bool stub_decode_a64(const uint8_t *code, size_t left, uint64_t at,
			    struct plt_stub *ret_stub)
{
	size_t len = left >= A64_SIZE && code_u32(code) == A64_BTI_C ? A64_SIZE : 0;
	uint32_t adrp, ldr;

	if (left < len + 2 * (size_t)A64_SIZE)
		return false;
	adrp = code_u32(code + len);
	ldr = code_u32(code + len + A64_SIZE);
	if ((adrp & A64_ADRP_MASK) != A64_ADRP_X16 || (ldr & A64_LDR_MASK) != A64_LDR_X17_X16)
		return false;
	ret_stub->got = a64_adrp_page(adrp, at + len) + (ldr >> 10 & 0xfff) * 8;
	ret_stub->size = a64_stub_size(code, left);
	return true;
}

struct stub_section {
	uint16_t machine;
	const char *name;
	stub_decode *decode;
	size_t step; /* stubs start at multiples of step */
};

static const struct stub_section stub_sections[] = {
	{EM_X86_64, ".plt", stub_decode_x86_64, 8},
	{EM_X86_64, ".plt.sec", stub_decode_x86_64, 8},
	{EM_X86_64, ".plt.got", stub_decode_x86_64, 8},
	{EM_AARCH64, ".plt", stub_decode_a64, A64_SIZE},
};

/* Return true for relocations that write a function's address, and nothing else, to a slot. */
static bool fills_slot(uint16_t machine, uint32_t type)
{
	if (machine == EM_AARCH64)
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

/* Map the address of each slot to the index of its dynamic symbol. */
static int slots_gather(const struct tally_plt_names *names, const char *section,
			struct tally_map *slots)
{
	struct tally_plt_relocs relocs;
	int ret = 0;

	if (!tally_plt_relocs_open(names, section, &relocs))
		return 0;
	for (size_t i = 0; i < relocs.nr && !ret; i++) {
		struct tally_plt_reloc reloc = tally_plt_reloc_at(names, &relocs, i);

		if (reloc.symbol && fills_slot(names->elf->machine, reloc.type))
			ret = tally_map_set(slots, reloc.offset, reloc.symbol);
	}
	return ret;
}

/* Add the section's stubs. Everything else (the header of .plt, padding) is skipped. */
static int section_add(struct tally_symtab *table, const struct tally_plt_names *names,
		       const struct stub_section *kind, const struct tally_elf_section *section,
		       const struct tally_map *slots)
{
	struct plt_stub stub;
	size_t len, size;
	const uint8_t *code = tally_elf_section_data(names->elf, section, &len);
	int ret = 0;

	for (size_t at = 0; at < len && !ret; at += size) {
		uint64_t symbol = TALLY_MAP_NONE;

		size = kind->step;
		if (kind->decode(code + at, len - at, section->addr + at, &stub)) {
			symbol = tally_map_get(slots, stub.got);
			size = stub.size;
		}
		if (symbol != TALLY_MAP_NONE)
			ret = tally_plt_add(table, names, symbol, section->offset + at, size);
	}
	return ret;
}

static int sections_add(struct tally_symtab *table, const struct tally_plt_names *names,
			const struct tally_map *slots)
{
	struct tally_elf_section section;
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(stub_sections) && !ret; i++) {
		const struct stub_section *kind = &stub_sections[i];

		if (kind->machine == names->elf->machine &&
		    tally_elf_section_by_name(names->elf, kind->name, &section))
			ret = section_add(table, names, kind, &section, slots);
	}
	return ret;
}

static bool has_stubs(const struct tally_elf *elf)
{
	struct tally_elf_section section;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(stub_sections); i++) {
		if (stub_sections[i].machine == elf->machine &&
		    tally_elf_section_by_name(elf, stub_sections[i].name, &section))
			return true;
	}
	return false;
}

int tally_elf_add_stubs(const struct tally_elf *elf, struct tally_symtab *table)
{
	struct tally_plt_names names;
	struct tally_map slots = {0};
	int ret;

	if (!has_stubs(elf) || !tally_plt_names_open(elf, &names))
		return 0;
	ret = slots_gather(&names, ".dyn", &slots);
	if (!ret)
		ret = slots_gather(&names, ".plt", &slots);
	if (!ret)
		ret = sections_add(table, &names, &slots);
	tally_map_free(&slots);
	return ret == -EFBIG ? 0 : ret;
}
