/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs that jump to functions of other files (.plt and the like). Not every linker writes rules
 * for its own: what they push is seen in their instructions, of which there are few. */
#ifndef TALLY_UNWIND_STUBS_H
#define TALLY_UNWIND_STUBS_H

#include "unwind/arch.h"
#include "unwind/build.h"

/* Add the rows of stubs to the last stretch, which has none yet and begins at `start`; `code` has
 * `len` bytes. Behind an instruction that is not known there is no rule. 0, or an error of the
 * builder's. */
int stubs_add_rows(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		   uint32_t start, const uint8_t *code, size_t len);

#endif
