/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of mnemonic patterns that classify instructions. The first matching row applies. Sources:
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; Arm Architecture
 * Reference Manuals for A-profile and ARMv7-A; Power ISA, book I; z/Architecture Principles of
 * Operation; MIPS32 Instruction Set Manual.
 */
#include "disasm/kinds.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

struct row {
	const char *mnemonic; /* "*" matches any number of letters */
	const char *operands; /* prefix of the last operand, or NULL to match any */
	uint8_t kind;
};

#define JUMP    TALLY_INSTRUCTION_JUMP
#define JUMP_IF TALLY_INSTRUCTION_JUMP_IF
#define CALL    TALLY_INSTRUCTION_CALL
#define RETURN  TALLY_INSTRUCTION_RETURN
#define OTHER   TALLY_INSTRUCTION_OTHER

static const struct row x86_rows[] = {
	{"jmp*", NULL, JUMP},      {"j*", NULL, JUMP_IF},
	{"call*", NULL, CALL},     {"ret*", NULL, RETURN},
	{"loop*", NULL, JUMP_IF},  {"xbegin", NULL, JUMP_IF},
	{"ljmp*", NULL, JUMP},     {"lcall*", NULL, CALL},
	{"lret*", NULL, RETURN},   {"iret*", NULL, RETURN},
	{"sysret*", NULL, RETURN}, {"sysexit*", NULL, RETURN},
	{"uiret", NULL, RETURN},   {NULL},
};

static const struct row arm64_rows[] = {
	{"bl", NULL, CALL},
	{"b", NULL, JUMP},
	{"b.*", NULL, JUMP_IF},
	{"cb*z", NULL, JUMP_IF},
	{"tb*z", NULL, JUMP_IF},
	{"ret*", NULL, RETURN},
	{"blr*", NULL, CALL},
	{"br", NULL, JUMP},
	{"bra*", NULL, JUMP},
	{"eret*", NULL, RETURN},
	{NULL},
};

/* The condition is removed from the mnemonic before the lookup. */
static const struct row arm_rows[] = {
	{"b", NULL, JUMP},       {"bl", NULL, CALL},
	{"blx", NULL, CALL},     {"bx", "lr", RETURN},
	{"bx", NULL, JUMP},      {"bxj", NULL, JUMP},
	{"pop", "pc}", RETURN},  {"pop", "{pc}", RETURN},
	{"ldm*", "pc}", RETURN}, {NULL},
};

static const struct row ppc_rows[] = {
	{"b", NULL, JUMP},      {"bl", NULL, CALL},      {"blr", NULL, RETURN},
	{"ba", NULL, JUMP},     {"bla", NULL, CALL},     {"bctr", NULL, JUMP},
	{"bctrl", NULL, CALL},  {"blrl", NULL, CALL},    {"bcl*", NULL, CALL},
	{"brinc", NULL, OTHER}, {"bperm*", NULL, OTHER}, {"b*lr", NULL, RETURN},
	{"b*", NULL, JUMP_IF},  {"rfi*", NULL, RETURN},  {NULL},
};

static const struct row s390_rows[] = {
	{"brasl", NULL, CALL},   {"bras", NULL, CALL},
	{"basr", NULL, CALL},    {"bas", NULL, CALL},
	{"br", "%r14", RETURN},  {"br", NULL, JUMP},
	{"j", NULL, JUMP},       {"jg", NULL, JUMP},
	{"j*", NULL, JUMP_IF},   {"b", NULL, JUMP},
	{"brc*", NULL, JUMP_IF}, {"brx*", NULL, JUMP_IF},
	{"bc*", NULL, JUMP_IF},  {"b*r", NULL, JUMP_IF},
	{"c*j*", NULL, JUMP_IF}, {NULL},
};

static const struct row mips_rows[] = {
	{"jal*", NULL, CALL},   {"bal", NULL, CALL},     {"b*al", NULL, CALL},
	{"jr*", "$ra", RETURN}, {"jr*", NULL, JUMP},     {"j", NULL, JUMP},
	{"b", NULL, JUMP},      {"break", NULL, OTHER},  {"bitswap", NULL, OTHER},
	{"b*", NULL, JUMP_IF},  {"eret*", NULL, RETURN}, {NULL},
};

static const struct {
	uint16_t machine;
	const struct row *rows;
} machines[] = {
	{EM_X86_64, x86_rows}, {EM_386, x86_rows}, {EM_AARCH64, arm64_rows}, {EM_ARM, arm_rows},
	{EM_PPC64, ppc_rows},  {EM_PPC, ppc_rows}, {EM_S390, s390_rows},     {EM_MIPS, mips_rows},
};

/* Return true if `len` letters match a pattern in which "*" is a wildcard. */
static bool pattern_fits(const char *pattern, const char *text, size_t len)
{
	for (; *pattern; pattern++, text++, len--) {
		if (*pattern == '*') {
			for (size_t skip = 0; skip <= len; skip++) {
				if (pattern_fits(pattern + 1, text + skip, len - skip))
					return true;
			}
			return false;
		}
		if (!len || *pattern != *text)
			return false;
	}
	return !len;
}

static const char *last_operand(const char *operands)
{
	const char *comma = strrchr(operands, ',');

	return comma ? comma + 1 + strspn(comma + 1, " ") : operands;
}

/* Return the length of an ARM mnemonic without its condition suffix: "b" in "ble", "bl" in
 * "bleq". */
static size_t without_condition(const char *mnemonic, size_t len)
{
	static const char conditions[][3] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs",
					     "vc", "hi", "ls", "ge", "lt", "gt", "le"};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(conditions) && len > 2; i++) {
		if (!memcmp(mnemonic + len - 2, conditions[i], 2))
			return len - 2;
	}
	return len;
}

static enum tally_instruction_kind find_kind(const struct row *rows, const char *mnemonic,
					     size_t len, const char *operands)
{
	const char *last = last_operand(operands);

	for (; rows->mnemonic; rows++) {
		if (pattern_fits(rows->mnemonic, mnemonic, len) &&
		    (!rows->operands || !strncmp(last, rows->operands, strlen(rows->operands))))
			return rows->kind;
	}
	return OTHER;
}

enum tally_instruction_kind disasm_kind(uint16_t machine, const char *mnemonic,
					const char *operands)
{
	const char *prefix = strrchr(mnemonic, ' ');
	enum tally_instruction_kind kind = OTHER;
	size_t len, bare;

	mnemonic = prefix ? prefix + 1 : mnemonic; /* skip the prefix in "bnd jmp", "rep ret" */
	len = bare = strlen(mnemonic);
	if (machine == EM_ARM)
		bare = without_condition(mnemonic, len);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == machine)
			kind = find_kind(machines[i].rows, mnemonic, bare, operands);
	}
	if (machine == EM_ARM && kind == OTHER && !strncmp(operands, "pc, lr", 6))
		kind = RETURN;
	return kind == JUMP && bare != len ? JUMP_IF : kind;
}

bool disasm_target(const char *operands, uint64_t *ret_target, uint8_t *ret_at)
{
	const char *last = last_operand(operands), *at = last;
	char *end;
	uint64_t target;

	at += *at == '#';
	if (*at < '0' || *at > '9')
		return false;
	target = strtoull(at, &end, 0);
	if (*end)
		return false;
	*ret_target = target;
	*ret_at = (uint8_t)(last - operands);
	return true;
}

/* ---- x86 --------------------------------------------------------------------- */

bool disasm_distance(const char *operands, uint64_t *ret_distance)
{
	const char *att = strstr(operands, "(%rip)"), *intel = strstr(operands, "[rip");
	bool is_negative;

	if (!att && !intel)
		return false;
	if (att) {
		while (att > operands && !strchr(" ,*:", att[-1]))
			att--;
	} else {
		att = intel + 4 + strspn(intel + 4, " +");
	}
	is_negative = *att == '-';
	att += is_negative;
	att += strspn(att, " ");
	*ret_distance = strtoull(att, NULL, 0);
	if (is_negative)
		*ret_distance = -*ret_distance;
	return true;
}

/* Return the number of bytes after the opcode: ModR/M, SIB and displacement. Returns 0 if the bytes
 * are incomplete. */
static size_t x86_operand_length(const uint8_t *at, size_t len)
{
	unsigned mod = at[0] >> 6, rm = at[0] & 7;
	size_t ret = 1;

	if (mod == 3)
		return ret;
	if (rm == 4 && len < 2)
		return 0;
	ret += rm == 4;
	if (mod == 1)
		return ret + 1;
	if (mod == 2 || rm == 5 || (rm == 4 && (at[1] & 7) == 5))
		ret += 4;
	return ret;
}

/* Return true if the instruction ends with an immediate byte, as do some in opcode map 1 and all in
 * map 3. */
static bool x86_has_immediate(unsigned map, uint8_t opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					 (opcode >= 0xc4 && opcode <= 0xc6)));
}

/* Return the length of a vector instruction that is too new for the decoder. The VEX and EVEX
 * prefixes contain the opcode map, which determines the length. Returns 1 for other bytes. */
static size_t x86_vector_length(const uint8_t *bytes, size_t len)
{
	static const struct {
		uint8_t first, prefix, mask;
	} prefixes[] = {{0x62, 4, 7}, {0xc4, 3, 0x1f}, {0xc5, 2, 0}};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(prefixes); i++) {
		size_t prefix = prefixes[i].prefix, operand, all;

		if (bytes[0] != prefixes[i].first || len < prefix + 2)
			continue;
		operand = x86_operand_length(bytes + prefix + 1, len - prefix - 1);
		all = prefix + 1 + operand +
		      x86_has_immediate(prefixes[i].mask ? bytes[1] & prefixes[i].mask : 1u,
					bytes[prefix]);
		return operand && all <= len ? all : 1;
	}
	return 1;
}

size_t disasm_unknown_length(uint16_t machine, const uint8_t *bytes, size_t len)
{
	size_t ret = 4;

	if (machine == EM_X86_64 || machine == EM_386)
		return x86_vector_length(bytes, len);
	/* The first two bits encode the length. */
	if (machine == EM_S390)
		ret = bytes[0] < 0x40 ? 2 : bytes[0] < 0xc0 ? 4 : 6;
	return TALLY_MIN(ret, len);
}
