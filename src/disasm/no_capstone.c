/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacement for disasm.c in a build without Capstone. */
#include <errno.h>

#include "disasm/disasm.h"

bool tally_disasm_available(void)
{
	return false;
}

const char *tally_disasm_library(void)
{
	return NULL;
}

int tally_disasm_new(const struct tally_disasm_options *options, struct tally_disasm **ret_disasm)
{
	return -ENOSYS;
}

void tally_disasm_free(struct tally_disasm *disasm)
{
}

bool tally_disasm_next(struct tally_disasm *disasm, struct tally_disasm_code *code,
		       struct tally_instruction *ret_insn)
{
	return false;
}
