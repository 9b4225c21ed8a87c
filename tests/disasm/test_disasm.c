/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode instructions of each architecture, encoded as in the architecture's manual. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arith.h"
#include "disasm/disasm.h"

enum { START = 0x1000, NONE = -1 };

#define OTHER   TALLY_INSTRUCTION_OTHER
#define JUMP    TALLY_INSTRUCTION_JUMP
#define JUMP_IF TALLY_INSTRUCTION_JUMP_IF
#define CALL    TALLY_INSTRUCTION_CALL
#define RETURN  TALLY_INSTRUCTION_RETURN
#define UNKNOWN TALLY_INSTRUCTION_UNKNOWN

struct expected {
	const char *bytes;
	size_t len;
	const char *mnemonic;
	enum tally_instruction_kind kind;
	int64_t target; /* NONE if there is no target */
};

#define ROW(bytes, mnemonic, kind, target)                       \
	{                                                        \
		bytes, sizeof(bytes) - 1, mnemonic, kind, target \
	}

static const struct expected x86_64[] = {
	ROW("\xf3\x0f\x1e\xfa", "endbr64", OTHER, NONE),
	ROW("\x74\x10", "je", JUMP_IF, START + 0x12),
	ROW("\x0f\x85\xfa\xff\xff\xff", "jne", JUMP_IF, START),
	ROW("\xe9\x10\0\0\0", "jmp", JUMP, START + 0x15),
	ROW("\xff\xe0", "jmpq", JUMP, NONE),
	ROW("\x3e\xff\xe0", "jmpq", JUMP, NONE),
	ROW("\xe2\xfe", "loop", JUMP_IF, START),
	ROW("\xe8\0\0\0\0", "callq", CALL, START + 5),
	ROW("\xff\xd0", "callq", CALL, NONE),
	ROW("\xc3", "retq", RETURN, NONE),
	ROW("\xf3\xc3", "retq", RETURN, NONE),
	ROW("\x48\x89\xe5", "movq", OTHER, NONE),
	ROW("\x0f\x0b", "ud2", OTHER, NONE),
};

static const struct expected x86_32[] = {
	ROW("\xe8\xfb\xff\xff\xff", "calll", CALL, START),
	ROW("\xc3", "retl", RETURN, NONE),
	ROW("\x55", "pushl", OTHER, NONE),
	ROW("\xeb\xfe", "jmp", JUMP, START),
};

static const struct expected arm64[] = {
	ROW("\x04\0\0\x94", "bl", CALL, START + 16),
	ROW("\x04\0\0\x14", "b", JUMP, START + 16),
	ROW("\x40\0\0\x54", "b.eq", JUMP_IF, START + 8),
	ROW("\x40\0\0\xb4", "cbz", JUMP_IF, START + 8),
	ROW("\x40\0\x18\x36", "tbz", JUMP_IF, START + 8),
	ROW("\x20\0\x3f\xd6", "blr", CALL, NONE),
	ROW("\x20\0\x1f\xd6", "br", JUMP, NONE),
	ROW("\xc0\x03\x5f\xd6", "ret", RETURN, NONE),
	ROW("\x20\0\0\x90", "adrp", OTHER, NONE),
	ROW("\xff\xff\xff\xff", ".byte", UNKNOWN, NONE),
};

static const struct expected arm[] = {
	ROW("\x02\0\0\xeb", "bl", CALL, START + 16),
	ROW("\x02\0\0\xea", "b", JUMP, START + 16),
	ROW("\x02\0\0\x1a", "bne", JUMP_IF, START + 16),
	ROW("\x02\0\0\xda", "ble", JUMP_IF, START + 16),
	ROW("\x02\0\0\x0b", "bleq", CALL, START + 16),
	ROW("\x1e\xff\x2f\xe1", "bx", RETURN, NONE),
	ROW("\x33\xff\x2f\xe1", "blx", CALL, NONE),
	ROW("\x10\x80\xbd\xe8", "pop", RETURN, NONE),
	ROW("\x10\0\xbd\xe8", "ldm", OTHER, NONE),
	ROW("\x0e\xf0\xa0\xe1", "mov", RETURN, NONE),
};

static const struct expected ppc64[] = {
	ROW("\x48\0\0\x11", "bl", CALL, START + 16),
	ROW("\x48\0\0\x10", "b", JUMP, START + 16),
	ROW("\x41\x82\0\x10", "beq", JUMP_IF, START + 16),
	ROW("\x4e\x80\0\x20", "blr", RETURN, NONE),
	ROW("\x4e\x80\x04\x20", "bctr", JUMP, NONE),
	ROW("\x4e\x80\x04\x21", "bctrl", CALL, NONE),
	ROW("\x42\0\xff\xf0", "bdnz", JUMP_IF, START - 16),
	ROW("\x7c\x08\x02\xa6", "mflr", OTHER, NONE),
};

/* The ppc64 instructions in little-endian byte order. */
static const struct expected ppc64le[] = {
	ROW("\x11\0\0\x48", "bl", CALL, START + 16),
	ROW("\x20\0\x80\x4e", "blr", RETURN, NONE),
};

static const struct expected s390[] = {
	ROW("\xc0\xe5\0\0\0\x10", "brasl", CALL, START + 0x20),
	ROW("\xa7\xf4\0\x10", "j", JUMP, START + 0x20),
	ROW("\xa7\x84\0\x10", "je", JUMP_IF, START + 0x20),
	ROW("\x07\xfe", "br", RETURN, NONE),
	ROW("\x07\xf1", "br", JUMP, NONE),
	ROW("\x0d\xe1", "basr", CALL, NONE),
	ROW("\xec\x12\0\x10\x80\x64", "cgrje", JUMP_IF, START + 0x20),
	ROW("\xa7\x26\xff\xf0", "brct", JUMP_IF, START - 0x20),
};

static const struct expected mips[] = {
	ROW("\x0c\0\x04\0", "jal", CALL, START),
	ROW("\x08\0\x04\0", "j", JUMP, START),
	ROW("\x14\x40\0\x04", "bnez", JUMP_IF, START + 20),
	ROW("\x03\xe0\0\x08", "jr", RETURN, NONE),
	ROW("\x03\x20\0\x08", "jr", JUMP, NONE),
	ROW("\x03\x20\xf8\x09", "jalr", CALL, NONE),
	ROW("\x04\x11\0\x10", "bal", CALL, START + 0x44),
};

static void check_row(const struct tally_disasm_options *options, const struct expected *row)
{
	struct tally_disasm_code code = {(const uint8_t *)row->bytes, row->len, START};
	struct tally_disasm *disasm;
	struct tally_instruction insn;

	assert_int_equal(tally_disasm_new(options, &disasm), 0);
	assert_true(tally_disasm_next(disasm, &code, &insn));
	assert_string_equal(insn.mnemonic, row->mnemonic);
	assert_int_equal(insn.kind, row->kind);
	assert_int_equal(insn.len, row->len);
	assert_int_equal(insn.address, START);
	assert_int_equal(insn.has_target, row->target != NONE);
	if (row->target != NONE)
		assert_int_equal(insn.target, row->target);
	assert_int_equal(code.len, 0);
	assert_int_equal(code.address, START + row->len);
	assert_false(tally_disasm_next(disasm, &code, &insn));
	tally_disasm_free(disasm);
}

#define CHECK(rows, ...)                                                    \
	do {                                                                \
		const struct tally_disasm_options options_ = {__VA_ARGS__}; \
		for (size_t i_ = 0; i_ < TALLY_ARRAY_SIZE(rows); i_++)      \
			check_row(&options_, &(rows)[i_]);                  \
	} while (0)

static void test_machines(void **state)
{
	(void)state;
	CHECK(x86_64, EM_X86_64, true);
	CHECK(x86_32, EM_386);
	CHECK(arm64, EM_AARCH64, true);
	CHECK(arm, EM_ARM);
	CHECK(ppc64, EM_PPC64, true, true);
	CHECK(ppc64le, EM_PPC64, true, false);
	CHECK(s390, EM_S390, true, true);
	CHECK(mips, EM_MIPS, false, true);
}

static void test_other_machines(void **state)
{
	struct tally_disasm_options options = {.machine = EM_RISCV, .is64 = true};
	struct tally_disasm *disasm = NULL;

	(void)state;
	assert_int_equal(tally_disasm_new(&options, &disasm), -ENOTSUP);
	options.machine = 0xffff;
	assert_int_equal(tally_disasm_new(&options, &disasm), -ENOTSUP);
	assert_null(disasm);
	tally_disasm_free(NULL);
}

/* Check the targets of memory references in both syntaxes. */
static void memory_references_have_targets(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint64_t target;
	} rows[] = {
		{"\x48\x8b\x05\x10\0\0\0", 7, START + 0x17},
		{"\x48\x8b\x05\xf0\xff\xff\xff", 7, START - 9},
		{"\xff\x25\x34\x12\0\0", 6, START + 0x123a},
		{"\x8b\x05\x05\0\0\0", 6, START + 11},
	};

	(void)state;
	for (size_t i = 0; i < 2 * TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_disasm_options options = {EM_X86_64, true, false, i % 2};
		struct tally_disasm_code code = {(const uint8_t *)rows[i / 2].bytes,
						 rows[i / 2].len, START};
		struct tally_instruction insn;
		struct tally_disasm *disasm;

		assert_int_equal(tally_disasm_new(&options, &disasm), 0);
		assert_true(tally_disasm_next(disasm, &code, &insn));
		assert_true(insn.has_reference);
		assert_false(insn.has_target);
		assert_int_equal(insn.target, rows[i / 2].target);
		tally_disasm_free(disasm);
	}
}

static void test_syntax(void **state)
{
	struct tally_disasm_options options = {EM_X86_64, true, false, true};
	struct tally_disasm_code code = {(const uint8_t *)"\x48\x89\xe5", 3, START};
	struct tally_instruction insn;
	struct tally_disasm *disasm;

	(void)state;
	assert_int_equal(tally_disasm_new(&options, &disasm), 0);
	assert_true(tally_disasm_next(disasm, &code, &insn));
	assert_string_equal(insn.mnemonic, "mov");
	assert_string_equal(insn.operands, "rbp, rsp");
	tally_disasm_free(disasm);
}

/* Check instructions that are newer than the decoder. The length of such an instruction must be
 * derived from its prefixes, so that the next instruction is decoded correctly. Truncated
 * instructions are checked as well. */
static void unknown_instructions_are_skipped_by_their_length(void **state)
{
	static const struct {
		const char *bytes;
		size_t len, first;
	} rows[] = {
		/* vaddph %zmm2,%zmm1,%zmm0, without and with a displacement; then ret */
		{"\x62\xf5\x74\x48\x58\xc2\xc3", 7, 6},
		{"\x62\xf5\x74\x48\x58\x84\x24\1\2\3\4\xc3", 12, 11},
		/* vreduceph $1,%zmm1,%zmm0: an immediate byte after the operands */
		{"\x62\xf3\x7c\x48\x56\xc1\x01\xc3", 8, 7},
		/* invalid: skipped byte by byte */
		{"\x06\xc3", 2, 1},
		{"\x62\xf5\x74", 3, 1},
	};
	struct tally_disasm_options options = {EM_X86_64, true};

	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct tally_disasm_code code = {(const uint8_t *)rows[i].bytes, rows[i].len,
						 START};
		struct tally_instruction insn;
		struct tally_disasm *disasm;

		assert_int_equal(tally_disasm_new(&options, &disasm), 0);
		assert_true(tally_disasm_next(disasm, &code, &insn));
		assert_int_equal(insn.kind, UNKNOWN);
		assert_int_equal(insn.len, rows[i].first);
		assert_string_equal(insn.mnemonic, ".byte");
		assert_memory_equal(insn.operands, "0x", 2);
		while (tally_disasm_next(disasm, &code, &insn))
			;
		assert_int_equal(code.len, 0);
		tally_disasm_free(disasm);
	}
}

enum { RAX = 0, RDX = 1, RBX = 3, RSP = 7 };
static const struct {
	const char *bytes;
	size_t len;
	uint16_t machine;
	struct tally_memory_operand want;
} memory_rows[] = {
	/* mov 0x10(%rbx),%rax */
	{"\x48\x8b\x43\x10", 4, EM_X86_64, {TALLY_OPERAND_MEMORY, RBX, 0x10, 1 << RAX, RAX, NONE}},
	/* mov %eax,-8(%rbx,%rdx,4): the index is ignored */
	{"\x89\x44\x93\xf8", 4, EM_X86_64, {TALLY_OPERAND_MEMORY, RBX, -8, 0, NONE, NONE}},
	/* addl $1,0x20(%rip) */
	{"\x83\x05\x20\0\0\0\x01",
	 7,
	 EM_X86_64,
	 {TALLY_OPERAND_MEMORY, NONE, START + 7 + 0x20, 0, NONE, NONE}},
	/* mov 0x400000,%eax; movzbl (%rbx),%eax: not a pointer */
	{"\x8b\x04\x25\0\0\x40\0",
	 7,
	 EM_X86_64,
	 {TALLY_OPERAND_MEMORY, NONE, 0x400000, 1 << RAX, NONE, NONE}},
	{"\x0f\xb6\x03", 3, EM_X86_64, {TALLY_OPERAND_MEMORY, RBX, 0, 1 << RAX, NONE, NONE}},
	/* mov %fs:0x28,%rax */
	{"\x64\x48\x8b\x04\x25\x28\0\0\0",
	 9,
	 EM_X86_64,
	 {TALLY_OPERAND_SEGMENT, NONE, 0x28, 1 << RAX, NONE, NONE}},
	/* lea 8(%rbx),%rdx; lea 8(%rbx,%rdx),%rdx; mov %rbx,%rdx; nopl 0(%rax) */
	{"\x48\x8d\x53\x08", 4, EM_X86_64, {TALLY_OPERAND_ADDRESS, RBX, 8, 1 << RDX, RDX, NONE}},
	{"\x48\x8d\x54\x13\x08",
	 5,
	 EM_X86_64,
	 {TALLY_OPERAND_ADDRESS, RBX, 8, 1 << RDX, NONE, NONE}},
	{"\x48\x89\xda", 3, EM_X86_64, {TALLY_OPERAND_NONE, NONE, 0, 1 << RDX, RDX, RBX}},
	{"\x0f\x1f\x40\0", 4, EM_X86_64, {TALLY_OPERAND_NONE, RAX, 0, 0, NONE, NONE}},
	/* lock cmpxchg %rcx,(%rbx) */
	{"\xf0\x48\x0f\xb1\x0b",
	 5,
	 EM_X86_64,
	 {TALLY_OPERAND_MEMORY, RBX, 0, 1 << RAX, NONE, NONE}},
	/* push %rbx; ret */
	{"\x53", 1, EM_X86_64, {TALLY_OPERAND_STACK, NONE, 0, 1 << RSP, NONE, NONE}},
	{"\xc3", 1, EM_X86_64, {TALLY_OPERAND_STACK, NONE, 0, 1 << RSP, NONE, NONE}},
	/* adrp x8, 0x12000; add x0, x8, #0x10; add x0, x8, #1, lsl #12; add w0, w8, #1 */
	{"\x88\0\0\xb0", 4, EM_AARCH64, {TALLY_OPERAND_ADDRESS, NONE, 0x12000, 1 << 8, 8, NONE}},
	{"\0\x41\0\x91", 4, EM_AARCH64, {TALLY_OPERAND_ADDRESS, 8, 0x10, 1, 0, NONE}},
	{"\0\x05\x40\x91", 4, EM_AARCH64, {TALLY_OPERAND_ADDRESS, 8, 0x1000, 1, 0, NONE}},
	{"\0\x05\0\x11", 4, EM_AARCH64, {TALLY_OPERAND_NONE, NONE, 0, 1, NONE, NONE}},
	/* ldr x0, [x3, #16]; str x1, [sp, #-16]!; mov x2, x19 */
	{"\x60\x08\x40\xf9", 4, EM_AARCH64, {TALLY_OPERAND_MEMORY, 3, 16, 1, 0, NONE}},
	{"\xe1\x0f\x1f\xf8", 4, EM_AARCH64, {TALLY_OPERAND_MEMORY, 31, -16, 1u << 31, NONE, NONE}},
	{"\xe2\x03\x13\xaa", 4, EM_AARCH64, {TALLY_OPERAND_NONE, NONE, 0, 4, 2, 19}},
};

static void memory_operands_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(memory_rows); i++) {
		struct tally_disasm_options options = {
			.machine = memory_rows[i].machine, .is64 = true, .has_memory = true};
		struct tally_disasm_code code = {(const uint8_t *)memory_rows[i].bytes,
						 memory_rows[i].len, START};
		struct tally_instruction insn;
		struct tally_disasm *disasm;

		assert_int_equal(tally_disasm_new(&options, &disasm), 0);
		assert_true(tally_disasm_next(disasm, &code, &insn));
		assert_int_equal(insn.memory.kind, memory_rows[i].want.kind);
		assert_int_equal(insn.memory.base, memory_rows[i].want.base);
		assert_int_equal(insn.memory.offset, memory_rows[i].want.offset);
		assert_int_equal(insn.memory.changed, memory_rows[i].want.changed);
		assert_int_equal(insn.memory.target, memory_rows[i].want.target);
		assert_int_equal(insn.memory.source, memory_rows[i].want.source);
		tally_disasm_free(disasm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(memory_references_have_targets),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(memory_operands_are_found),
		cmocka_unit_test(unknown_instructions_are_skipped_by_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
