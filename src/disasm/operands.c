/* SPDX-License-Identifier: BSD-2-Clause */
#include "disasm/operands.h"

#include <elf.h>

#include "base/arith.h"

/* ---- x86-64 -------------------------------------------------------------------- */

/* The names of a register's parts: 64, 32, 16, 8 bits, and the second 8 bits. */
static const uint16_t x86_registers[][5] = {
	{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
	{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
	{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
	{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
	{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
	{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
	{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
	{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
	{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
	{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
	{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
	{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
	{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
	{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
	{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
	{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
};

/* Registers that a called function may change. */
static const uint32_t x86_call_changes = 0xf37; /* rax, rdx, rcx, rsi, rdi, r8 to r11 */

/* Return the number of the register that `name` is a part of, or TALLY_REGISTER_NONE. */
static int8_t x86_register(unsigned name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(x86_registers) && name; i++) {
		for (size_t part = 0; part < TALLY_ARRAY_SIZE(x86_registers[i]); part++) {
			if (x86_registers[i][part] == name)
				return (int8_t)i;
		}
	}
	return TALLY_REGISTER_NONE;
}

static bool x86_is_stack(unsigned id)
{
	switch (id) {
	case X86_INS_PUSH:
	case X86_INS_POP:
	case X86_INS_PUSHFQ:
	case X86_INS_POPFQ:
	case X86_INS_CALL:
	case X86_INS_RET:
	case X86_INS_LEAVE:
	case X86_INS_ENTER: return true;
	default: return false;
	}
}

static void x86_memory(const cs_insn *decoded, const x86_op_mem *memory,
		       const struct tally_instruction *insn, struct tally_memory_operand *access)
{
	bool is_segment = memory->segment == X86_REG_FS || memory->segment == X86_REG_GS;

	access->offset = memory->disp;
	access->base = x86_register(memory->base);
	if (decoded->id == X86_INS_NOP)
		return;
	access->kind = TALLY_OPERAND_MEMORY;
	if (decoded->id == X86_INS_LEA)
		access->kind = TALLY_OPERAND_ADDRESS;
	else if (is_segment)
		access->kind = TALLY_OPERAND_SEGMENT;
	if (memory->base == X86_REG_RIP)
		access->offset += (int64_t)(insn->address + insn->len);
}

/* Find out whether the instruction copies, loads or computes an address into a register. Only 64
 * bits can be a pointer. An address with an index is not that of the base. */
static void x86_move(const cs_insn *decoded, struct tally_memory_operand *access)
{
	const cs_x86_op *to = &decoded->detail->x86.operands[0];
	const cs_x86_op *from = &decoded->detail->x86.operands[1];

	if (decoded->detail->x86.op_count != 2 || to->type != X86_OP_REG || to->size != 8)
		return;
	if (decoded->id != X86_INS_MOV && decoded->id != X86_INS_LEA)
		return;
	if (from->type == X86_OP_REG)
		access->source = x86_register(from->reg);
	else if (from->type != X86_OP_MEM || access->kind == TALLY_OPERAND_SEGMENT ||
		 (access->kind == TALLY_OPERAND_ADDRESS && from->mem.index != X86_REG_INVALID))
		return;
	if (from->type == X86_OP_MEM || access->source != TALLY_REGISTER_NONE)
		access->target = x86_register(to->reg);
}

static void add_changed(struct tally_memory_operand *access, int8_t number)
{
	if (number >= 0)
		access->changed |= 1u << number;
}

static void x86_access(const cs_insn *decoded, struct tally_instruction *insn)
{
	const cs_detail *detail = decoded->detail;
	struct tally_memory_operand *access = &insn->memory;

	for (uint8_t i = 0; i < detail->x86.op_count; i++) {
		const cs_x86_op *operand = &detail->x86.operands[i];

		if (operand->type == X86_OP_MEM && !access->kind)
			x86_memory(decoded, &operand->mem, insn, access);
		if (operand->type == X86_OP_REG && operand->access != CS_AC_READ)
			add_changed(access, x86_register(operand->reg));
	}
	for (uint8_t i = 0; i < detail->regs_write_count; i++)
		add_changed(access, x86_register(detail->regs_write[i]));
	if (!access->kind && x86_is_stack(decoded->id))
		access->kind = TALLY_OPERAND_STACK;
	if (decoded->id == X86_INS_CALL || decoded->id == X86_INS_SYSCALL)
		access->changed |= x86_call_changes;
	/* Capstone 4 does not know that this instruction changes rax. */
	if (decoded->id == X86_INS_CMPXCHG)
		add_changed(access, x86_register(X86_REG_RAX));
	x86_move(decoded, access);
}

/* ---- AArch64 ------------------------------------------------------------------- */

enum { ARM64_SP_NUMBER = 31 };
static const uint32_t arm64_call_changes = 0x4007ffff; /* x0 to x18, x30 */

/* Return true for the name of the lower half of a register. */
static bool arm64_is_narrow(unsigned name)
{
	return name >= ARM64_REG_W0 && name <= ARM64_REG_W30;
}

static int8_t arm64_register(unsigned name)
{
	if (name >= ARM64_REG_X0 && name <= ARM64_REG_X28)
		return (int8_t)(name - ARM64_REG_X0);
	if (arm64_is_narrow(name))
		return (int8_t)(name - ARM64_REG_W0);
	switch (name) {
	case ARM64_REG_X29: return 29;
	case ARM64_REG_X30: return 30;
	case ARM64_REG_SP: return ARM64_SP_NUMBER;
	default: return TALLY_REGISTER_NONE;
	}
}

/* Find out whether the instruction computes an address: "adrp x0, PAGE", "add x0, x1, #OFFSET". */
static void arm64_address(const cs_insn *decoded, struct tally_memory_operand *access)
{
	const cs_arm64 *detail = &decoded->detail->arm64;
	const cs_arm64_op *last = &detail->operands[detail->op_count - 1];
	bool is_narrow = arm64_is_narrow(detail->operands[0].reg);
	bool is_page = decoded->id == ARM64_INS_ADRP || decoded->id == ARM64_INS_ADR;

	if (detail->op_count != (is_page ? 2 : 3) || last->type != ARM64_OP_IMM || is_narrow)
		return;
	access->kind = TALLY_OPERAND_ADDRESS;
	access->target = arm64_register(detail->operands[0].reg);
	access->offset = last->imm << last->shift.value;
	if (!is_page)
		access->base = arm64_register(detail->operands[1].reg);
	if (!is_page && access->base == TALLY_REGISTER_NONE)
		access->target = TALLY_REGISTER_NONE;
}

static void arm64_move(const cs_insn *decoded, struct tally_memory_operand *access)
{
	const cs_arm64_op *to = &decoded->detail->arm64.operands[0];
	const cs_arm64_op *from = &decoded->detail->arm64.operands[1];
	bool is_wide =
		to->type == ARM64_OP_REG && (to->reg < ARM64_REG_W0 || to->reg > ARM64_REG_W30);

	if (decoded->detail->arm64.op_count != 2 || !is_wide)
		return;
	if (decoded->id == ARM64_INS_MOV && from->type == ARM64_OP_REG)
		access->source = arm64_register(from->reg);
	if (access->source != TALLY_REGISTER_NONE ||
	    (decoded->id == ARM64_INS_LDR && from->type == ARM64_OP_MEM))
		access->target = arm64_register(to->reg);
}

/* A base with write-back changes, too. */
static void arm64_access(const cs_insn *decoded, struct tally_instruction *insn)
{
	const cs_arm64 *detail = &decoded->detail->arm64;
	struct tally_memory_operand *access = &insn->memory;

	for (uint8_t i = 0; i < detail->op_count; i++) {
		const cs_arm64_op *operand = &detail->operands[i];

		if (operand->type == ARM64_OP_REG && operand->access != CS_AC_READ)
			add_changed(access, arm64_register(operand->reg));
		if (operand->type != ARM64_OP_MEM || access->kind)
			continue;
		access->kind = TALLY_OPERAND_MEMORY;
		access->base = arm64_register(operand->mem.base);
		access->offset = operand->mem.disp;
		if (detail->writeback)
			add_changed(access, access->base);
	}
	if (insn->kind == TALLY_INSTRUCTION_CALL)
		access->changed |= arm64_call_changes;
	switch (decoded->id) {
	case ARM64_INS_ADRP:
	case ARM64_INS_ADR:
	case ARM64_INS_ADD: arm64_address(decoded, access); break;
	default: arm64_move(decoded, access); break;
	}
}

void disasm_memory_operand(uint16_t machine, const cs_insn *decoded, struct tally_instruction *insn)
{
	insn->memory.base = insn->memory.source = insn->memory.target = TALLY_REGISTER_NONE;
	if (machine == EM_X86_64)
		x86_access(decoded, insn);
	else if (machine == EM_AARCH64)
		arm64_access(decoded, insn);
}
