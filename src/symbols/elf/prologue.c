/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/prologue.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/vec.h"

enum {
	MIN_SIZE = 64,   /* shorter functions often make no calls and need no frame */
	WINDOW = 64,     /* a prologue ends within this many bytes */
	SAMPLE = 512,    /* maximum number of functions to inspect */
	TOO_FEW = 16,    /* with fewer symbols, also use the unwind table */
	X86_MOV_LEN = 3, /* mov %rsp,%rbp */
};

/* ---- prologues --------------------------------------------------------------- */

/* Find push %rbp, followed later by mov %rsp,%rbp, which has two encodings. */
static bool frame_x86_64(const uint8_t *code, size_t len)
{
	bool pushed = false;

	for (size_t i = 0; i + X86_MOV_LEN <= len; i++) {
		pushed |= code[i] == 0x55;
		if (pushed && code[i] == 0x48 &&
		    ((code[i + 1] == 0x89 && code[i + 2] == 0xe5) ||
		     (code[i + 1] == 0x8b && code[i + 2] == 0xec)))
			return true;
	}
	return false;
}

/* Do the same as frame_x86_64(), but expect no REX prefix. */
static bool frame_386(const uint8_t *code, size_t len)
{
	bool pushed = false;

	for (size_t i = 0; i + 2 <= len; i++) {
		if (pushed && ((code[i] == 0x89 && code[i + 1] == 0xe5) ||
			       (code[i] == 0x8b && code[i + 1] == 0xec)))
			return true;
		pushed |= code[i] == 0x55;
	}
	return false;
}

/* Find stp x29, x30, [sp, ...] followed later by mov x29, sp or add x29, sp, #n. */
static bool frame_aarch64(const uint8_t *code, size_t len)
{
	bool stored = false;

	for (size_t i = 0; i + 4 <= len; i += 4) {
		uint32_t word = tally_get_u32(code + i);

		stored |= (word & 0xff407fff) == 0xa9007bfd;
		if (stored && (word & 0xffc003ff) == 0x910003fd)
			return true;
	}
	return false;
}

/* Find addi s0, sp, n, in full or compressed form. */
static bool frame_riscv(const uint8_t *code, size_t len)
{
	size_t step;

	for (size_t i = 0; i + 4 <= len; i += step) {
		uint32_t word = tally_get_u32(code + i);

		step = (word & 3) == 3 ? 4 : 2;
		if ((word & 0xfffff) == 0x10413)
			return true;
		if (step == 2 && (word & 0xe01f) == 0 && (word & 0xffff))
			return true;
	}
	return false;
}

static const struct architecture {
	uint16_t machine;
	bool (*has_frame)(const uint8_t *code, size_t len);
} architectures[] = {
	{EM_X86_64, frame_x86_64},
	{EM_386, frame_386},
	{EM_AARCH64, frame_aarch64},
	{EM_RISCV, frame_riscv},
};

static const struct architecture *architecture_of(const struct tally_elf *elf)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(architectures); i++) {
		if (architectures[i].machine == elf->machine && !elf->swap)
			return &architectures[i];
	}
	return NULL;
}

/* ---- functions ------------------------------------------------------------------- */

typedef TALLY_VEC(uint64_t) address_vec;

static int symbols_add(const struct tally_elf *elf, uint32_t type, address_vec *functions)
{
	struct tally_elf_section section;
	const uint8_t *data;
	uint32_t index;
	size_t len, entry = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	int ret = 0;

	if (!tally_elf_section_by_type(elf, type, &section, &index))
		return 0;
	data = tally_elf_section_data(elf, &section, &len);
	for (size_t at = 0; !ret && at + entry <= len; at += entry) {
		struct tally_elf_sym sym;

		if (tally_elf_symbol(elf, data + at, &sym) && ELF64_ST_TYPE(sym.info) == STT_FUNC &&
		    sym.size >= MIN_SIZE)
			ret = tally_vec_push(functions, sym.value);
	}
	return ret;
}

/* Add functions from the unwinder's search table, .eh_frame_hdr, which is kept in stripped
 * programs. It contains pairs of offsets relative to the section: the offset of a function and the
 * offset of its FDE. Only the encoding that linkers write is supported. */
static int unwind_add(const struct tally_elf *elf, address_vec *functions)
{
	enum { HEAD = 12, PAIR = 8, VERSION = 1, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };
	struct tally_elf_section section;
	const uint8_t *data;
	size_t len, nr;
	int ret = 0;

	if (!tally_elf_section_by_name(elf, ".eh_frame_hdr", &section))
		return 0;
	data = tally_elf_section_data(elf, &section, &len);
	if (len < HEAD || data[0] != VERSION || data[2] != UDATA4 || data[3] != DATAREL_SDATA4)
		return 0;
	nr = TALLY_MIN((size_t)tally_get_u32(data + 8), (len - HEAD) / PAIR);
	for (size_t i = 0; !ret && i < nr; i++) {
		int32_t offset = (int32_t)tally_get_u32(data + HEAD + i * PAIR);
		int32_t next = i + 1 < nr ? (int32_t)tally_get_u32(data + HEAD + (i + 1) * PAIR)
					  : INT32_MAX;

		if ((int64_t)next - offset >= MIN_SIZE)
			ret = tally_vec_push(functions, section.addr + (uint64_t)(int64_t)offset);
	}
	return ret;
}

static int functions_find(const struct tally_elf *elf, address_vec *functions,
			  const char **ret_from)
{
	int ret;

	*ret_from = ".symtab";
	ret = symbols_add(elf, SHT_SYMTAB, functions);
	if (ret || functions->len >= TOO_FEW)
		return ret;
	functions->len = 0;
	*ret_from = ".eh_frame_hdr";
	ret = unwind_add(elf, functions);
	if (ret || functions->len)
		return ret;
	*ret_from = ".dynsym";
	return symbols_add(elf, SHT_DYNSYM, functions);
}

/* ---- sampling ---------------------------------------------------------------------- */

static const uint8_t *code_at(const struct tally_elf *elf, uint64_t address, size_t *ret_len)
{
	uint64_t offset;

	if (!tally_elf_vaddr_to_offset(elf, address, &offset) || offset >= elf->len)
		return NULL;
	*ret_len = TALLY_MIN((size_t)WINDOW, elf->len - (size_t)offset);
	return elf->data + offset;
}

int tally_elf_prologues_scan(const struct tally_elf *elf, struct tally_prologues *ret_prologues)
{
	const struct architecture *architecture = architecture_of(elf);
	struct tally_prologues prologues = {0};
	address_vec functions = {0};
	int ret = architecture ? functions_find(elf, &functions, &prologues.from) : -ENOTSUP;

	prologues.functions = functions.len;
	for (size_t i = 0; !ret && i < TALLY_MIN(functions.len, (size_t)SAMPLE); i++) {
		/* Spread the sample over the program, because adjacent functions were compiled with
		 * the same options. */
		size_t index = functions.len > SAMPLE ? i * (functions.len / SAMPLE) : i, len;
		const uint8_t *code = code_at(elf, functions.data[index], &len);

		if (!code)
			continue;
		prologues.looked++;
		prologues.frames += architecture->has_frame(code, len);
	}
	tally_vec_free(&functions);
	if (!ret && !prologues.looked)
		ret = -ENOENT;
	if (!ret)
		*ret_prologues = prologues;
	return ret;
}
