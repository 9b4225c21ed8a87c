/* SPDX-License-Identifier: BSD-2-Clause */
/* Disassemble arbitrary bytes as code for any machine. The first two bytes select the machine, byte
 * order, word size and syntax. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {EM_X86_64, EM_386,  EM_AARCH64, EM_ARM,  EM_PPC64,
					    EM_PPC,    EM_S390, EM_MIPS,    EM_RISCV};
	struct tally_disasm_options options = {0};
	struct tally_disasm_code code = {data + 2, size - 2, 0xfffffffffffff000};
	struct tally_disasm *disasm;
	struct tally_instruction insn;
	size_t left;

	if (size < 2)
		return 0;
	options.machine = machines[data[0] % (sizeof(machines) / sizeof(machines[0]))];
	options.is64 = data[1] & 1;
	options.is_big_endian = data[1] & 2;
	options.is_intel = data[1] & 4;
	if (tally_disasm_new(&options, &disasm))
		return 0;
	for (left = code.len; tally_disasm_next(disasm, &code, &insn); left = code.len) {
		if (!insn.len || insn.len != left - code.len || !strlen(insn.mnemonic) ||
		    insn.bytes + insn.len != code.bytes)
			abort();
	}
	tally_disasm_free(disasm);
	return 0;
}
