/* SPDX-License-Identifier: BSD-2-Clause */
#include "disasm/disasm.h"

#include <capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#ifndef TALLY_STATIC
#include <dlfcn.h>
#endif
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "disasm/kinds.h"
#include "disasm/operands.h"

#define WORDS(number)  #number
#define SONAME(number) "libcapstone.so." WORDS(number)

/* Library functions that are used. The library is loaded with dlopen() rather than linked: its
 * tables are full of addresses, and relocating them would add a millisecond to the start of each
 * command, although few commands disassemble. A static program cannot load libraries and needs no
 * relocation, so it contains the library. */
struct engine_calls {
	cs_err (*cs_open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*cs_close)(csh *handle);
	cs_err (*cs_option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*cs_malloc)(csh handle);
	void (*cs_free)(cs_insn *insn, size_t count);
	bool (*cs_disasm_iter)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
			       cs_insn *insn);
};

struct tally_disasm {
	void *library;
	struct engine_calls calls;
	struct tally_disasm_options options;
	csh engine;
	cs_insn *insn;
	struct tally_str unknown; /* operand text for unknown instructions */
};

static const struct machine {
	uint16_t machine;
	bool is64, any_size, any_endian;
	cs_arch arch;
	int mode;
} machines[] = {
	{EM_X86_64, true, false, false, CS_ARCH_X86, CS_MODE_64},
	/* x32: 64-bit code with 32-bit pointers. */
	{EM_X86_64, false, false, false, CS_ARCH_X86, CS_MODE_64},
	{EM_386, false, false, false, CS_ARCH_X86, CS_MODE_32},
	/* Code is always little-endian, even if data is big-endian. */
	{EM_AARCH64, true, true, false, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN},
	{EM_ARM, false, false, true, CS_ARCH_ARM, CS_MODE_ARM},
	{EM_PPC64, true, false, true, CS_ARCH_PPC, CS_MODE_64},
	{EM_PPC, false, false, true, CS_ARCH_PPC, CS_MODE_32},
	{EM_S390, true, true, true, CS_ARCH_SYSZ, 0},
	{EM_MIPS, true, false, true, CS_ARCH_MIPS, CS_MODE_MIPS64},
	{EM_MIPS, false, false, true, CS_ARCH_MIPS, CS_MODE_MIPS32},
};

#ifdef TALLY_STATIC
static int library_load(struct tally_disasm *disasm)
{
	disasm->calls = (struct engine_calls){
		.cs_open = cs_open,
		.cs_close = cs_close,
		.cs_option = cs_option,
		.cs_malloc = cs_malloc,
		.cs_free = cs_free,
		.cs_disasm_iter = cs_disasm_iter,
	};
	return 0;
}

static void library_unload(struct tally_disasm *disasm)
{
	(void)disasm;
}
#else
/* Load the library version that matches the structures in capstone.h. */
static int library_load(struct tally_disasm *disasm)
{
	static const struct {
		const char *name;
		size_t at;
	} calls[] = {
		{"cs_open", offsetof(struct engine_calls, cs_open)},
		{"cs_close", offsetof(struct engine_calls, cs_close)},
		{"cs_option", offsetof(struct engine_calls, cs_option)},
		{"cs_malloc", offsetof(struct engine_calls, cs_malloc)},
		{"cs_free", offsetof(struct engine_calls, cs_free)},
		{"cs_disasm_iter", offsetof(struct engine_calls, cs_disasm_iter)},
	};

	disasm->library = dlopen(SONAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(calls) && disasm->library; i++) {
		void *found = dlsym(disasm->library, calls[i].name);

		if (!found)
			return -ENOSYS;
		memcpy((char *)&disasm->calls + calls[i].at, &found, sizeof(found));
	}
	return disasm->library ? 0 : -ENOSYS;
}

static void library_unload(struct tally_disasm *disasm)
{
	if (disasm->library)
		dlclose(disasm->library);
}
#endif

bool tally_disasm_available(void)
{
	struct tally_disasm disasm = {0};
	bool ret = !library_load(&disasm);

	library_unload(&disasm);
	return ret;
}

const char *tally_disasm_library(void)
{
	return SONAME(CS_API_MAJOR);
}

static const struct machine *machine_find(const struct tally_disasm_options *options)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == options->machine &&
		    (machines[i].any_size || machines[i].is64 == options->is64))
			return &machines[i];
	}
	return NULL;
}

static int engine_open(struct tally_disasm *disasm, const struct machine *machine)
{
	int mode = machine->mode;

	if (machine->any_endian && disasm->options.is_big_endian)
		mode |= (int)CS_MODE_BIG_ENDIAN;
	switch (disasm->calls.cs_open(machine->arch, (cs_mode)mode, &disasm->engine)) {
	case CS_ERR_OK: break;
	case CS_ERR_MEM: return -ENOMEM;
	default: return -ENOTSUP;
	}
	if (machine->arch == CS_ARCH_X86 && !disasm->options.is_intel &&
	    !disasm->options.has_memory)
		disasm->calls.cs_option(disasm->engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	/* The operands are in the same order in all instructions in Intel's syntax. */
	if (disasm->options.has_memory)
		disasm->calls.cs_option(disasm->engine, CS_OPT_DETAIL, CS_OPT_ON);
	disasm->insn = disasm->calls.cs_malloc(disasm->engine);
	return disasm->insn ? 0 : -ENOMEM;
}

int tally_disasm_new(const struct tally_disasm_options *options, struct tally_disasm **ret_disasm)
{
	const struct machine *machine = machine_find(options);
	struct tally_disasm *disasm;
	int ret;

	if (!machine)
		return -ENOTSUP;
	disasm = calloc(1, sizeof(*disasm));
	if (!disasm)
		return -ENOMEM;
	disasm->options = *options;
	ret = library_load(disasm);
	if (!ret)
		ret = engine_open(disasm, machine);
	if (ret) {
		tally_disasm_free(disasm);
		return ret;
	}
	*ret_disasm = disasm;
	return 0;
}

void tally_disasm_free(struct tally_disasm *disasm)
{
	if (!disasm)
		return;
	if (disasm->insn)
		disasm->calls.cs_free(disasm->insn, 1);
	if (disasm->engine)
		disasm->calls.cs_close(&disasm->engine);
	library_unload(disasm);
	tally_str_free(&disasm->unknown);
	free(disasm);
}

static void decode_unknown(struct tally_disasm *disasm, struct tally_disasm_code *code,
			   struct tally_instruction *insn)
{
	size_t len = disasm_unknown_length(disasm->options.machine, code->bytes, code->len);

	tally_str_clear(&disasm->unknown);
	for (size_t i = 0; i < len; i++)
		tally_str_addf(&disasm->unknown, "%s0x%02x", i ? "," : "", code->bytes[i]);
	insn->len = (uint8_t)len;
	insn->kind = TALLY_INSTRUCTION_UNKNOWN;
	insn->mnemonic = ".byte";
	insn->operands = tally_str_text(&disasm->unknown);
	code->bytes += len;
	code->len -= len;
	code->address += len;
}

/* Find the target or the memory reference of an instruction. On x86-64, a reference is relative to
 * the next instruction. */
static void find_target(uint16_t machine, struct tally_instruction *insn)
{
	uint64_t distance;

	insn->has_target = insn->kind != TALLY_INSTRUCTION_OTHER &&
			   insn->kind != TALLY_INSTRUCTION_RETURN &&
			   disasm_target(insn->operands, &insn->target, &insn->target_at);
	if (!insn->has_target && machine == EM_X86_64 &&
	    disasm_distance(insn->operands, &distance)) {
		insn->has_reference = true;
		insn->target = insn->address + insn->len + distance;
	}
}

bool tally_disasm_next(struct tally_disasm *disasm, struct tally_disasm_code *code,
		       struct tally_instruction *ret_insn)
{
	struct tally_instruction insn = {.address = code->address, .bytes = code->bytes};

	if (!code->len)
		return false;
	if (!disasm->calls.cs_disasm_iter(disasm->engine, &code->bytes, &code->len, &code->address,
					  disasm->insn)) {
		decode_unknown(disasm, code, &insn);
	} else {
		insn.len = (uint8_t)disasm->insn->size;
		insn.mnemonic = disasm->insn->mnemonic;
		insn.operands = disasm->insn->op_str;
		insn.kind = disasm_kind(disasm->options.machine, insn.mnemonic, insn.operands);
		find_target(disasm->options.machine, &insn);
		if (disasm->options.has_memory)
			disasm_memory_operand(disasm->options.machine, disasm->insn, &insn);
	}
	*ret_insn = insn;
	return true;
}
