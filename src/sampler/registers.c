/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that samples on this machine can contain, with their numbers in the kernel's ABI. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "sampler/sampling.h"

/* Rows of (name, number), terminated by NULL, with the numbers from asm/perf_regs.h. */
static const struct reg {
	const char *name;
	uint8_t bit;
} regs[] = {
#if defined(__x86_64__)
	{"AX", 0},   {"BX", 1},   {"CX", 2},    {"DX", 3},   {"SI", 4},   {"DI", 5},   {"BP", 6},
	{"SP", 7},   {"IP", 8},   {"FLAGS", 9}, {"CS", 10},  {"SS", 11},  {"R8", 16},  {"R9", 17},
	{"R10", 18}, {"R11", 19}, {"R12", 20},  {"R13", 21}, {"R14", 22}, {"R15", 23},
#elif defined(__aarch64__)
	{"x0", 0},   {"x1", 1},   {"x2", 2},   {"x3", 3},   {"x4", 4},   {"x5", 5},   {"x6", 6},
	{"x7", 7},   {"x8", 8},   {"x9", 9},   {"x10", 10}, {"x11", 11}, {"x12", 12}, {"x13", 13},
	{"x14", 14}, {"x15", 15}, {"x16", 16}, {"x17", 17}, {"x18", 18}, {"x19", 19}, {"x20", 20},
	{"x21", 21}, {"x22", 22}, {"x23", 23}, {"x24", 24}, {"x25", 25}, {"x26", 26}, {"x27", 27},
	{"x28", 28}, {"x29", 29}, {"lr", 30},  {"sp", 31},  {"pc", 32},
#elif defined(__riscv)
	{"pc", 0},  {"ra", 1},  {"sp", 2},  {"gp", 3},  {"tp", 4},  {"t0", 5},   {"t1", 6},
	{"t2", 7},  {"s0", 8},  {"s1", 9},  {"a0", 10}, {"a1", 11}, {"a2", 12},  {"a3", 13},
	{"a4", 14}, {"a5", 15}, {"a6", 16}, {"a7", 17}, {"s2", 18}, {"s3", 19},  {"s4", 20},
	{"s5", 21}, {"s6", 22}, {"s7", 23}, {"s8", 24}, {"s9", 25}, {"s10", 26}, {"s11", 27},
	{"t3", 28}, {"t4", 29}, {"t5", 30}, {"t6", 31},
#endif
	{NULL, 0},
};

uint64_t tally_sampling_all_registers(void)
{
	uint64_t mask = 0;

	for (const struct reg *reg = regs; reg->name; reg++)
		mask |= 1ull << reg->bit;
	return mask;
}

static void list_registers(const struct tally_messages *messages)
{
	struct tally_str text = {0};

	for (const struct reg *reg = regs; reg->name; reg++)
		tally_str_addf(&text, " %s", reg->name);
	tally_message_info(messages, "available registers:%s", tally_str_text(&text));
	tally_str_free(&text);
}

int tally_sampling_parse_registers(const struct tally_sampling *sampling, const char *text,
				   uint64_t *ret_mask)
{
	uint64_t mask = 0;

	if (!strcmp(text, "?")) {
		list_registers(sampling->messages);
		return -EINVAL;
	}
	for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t len = strcspn(at, ",");
		const struct reg *reg = regs;

		while (reg->name &&
		       (strlen(reg->name) != len || strncasecmp(reg->name, at, len) != 0))
			reg++;
		if (!reg->name) {
			tally_message_error(sampling->messages,
					    "'%.*s' is not a register on this machine", (int)len,
					    at);
			list_registers(sampling->messages);
			return -EINVAL;
		}
		mask |= 1ull << reg->bit;
	}
	*ret_mask = mask ? mask : tally_sampling_all_registers();
	return 0;
}
