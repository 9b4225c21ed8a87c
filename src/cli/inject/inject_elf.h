/* SPDX-License-Identifier: BSD-2-Clause */
/* Write the code of a JIT compiler's function as an ELF file, as `perf inject --jit` does. */
#ifndef TALLY_CLI_INJECT_ELF_H
#define TALLY_CLI_INJECT_ELF_H

#include <stdint.h>

#include "base/str.h"

/* The code is at this offset of the file, and at this address. */
enum { INJECT_ELF_CODE = 0x80, INJECT_ELF_ID = 20 };

struct inject_elf {
	uint16_t machine; /* EM_... */
	const uint8_t *code;
	uint64_t size;
	const char *name;          /* of the function */
	uint8_t id[INJECT_ELF_ID]; /* build ID */
};

/* Append the file to `out`: a shared object with one function. Returns 0 or -ENOMEM. */
int inject_elf_add(const struct inject_elf *elf, struct tally_str *out);

#endif
