/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind rules for stubs that jump to functions in other files (.plt and the like). Not every
 * linker writes rules for stubs, so the stack depth is derived from the stubs' instructions, of
 * which there are only a few kinds. */
#ifndef TALLY_UNWIND_STUBS_H
#define TALLY_UNWIND_STUBS_H

#include "unwind/arch.h"
#include "unwind/unwind_build.h"

/* Add rows for stubs to the last range, which has no rows yet and begins at `start`; `code` has
 * `len` bytes. From the first unknown instruction on, the code has no rule. Return 0 or a builder
 * error. */
int stubs_add_rows(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		   uint32_t start, const uint8_t *code, size_t len);

#endif
