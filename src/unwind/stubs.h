/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs that jump to functions in other files (.plt and the like). Not every linker writes rules
 * for them. What they push is derived from their instructions; only a few kinds are used. */
#ifndef TALLY_UNWIND_STUBS_H
#define TALLY_UNWIND_STUBS_H

#include "unwind/arch.h"
#include "unwind/unwind_build.h"

/* Add the rows of stubs to the last range, which has no rows yet and begins at `start`; `code` has
 * `len` bytes. An unknown instruction is followed by code without a rule. Return 0 or an error of
 * the builder. */
int stubs_add_rows(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		   uint32_t start, const uint8_t *code, size_t len);

#endif
