/* SPDX-License-Identifier: BSD-2-Clause */
/* Where symbols without a size end, as far as unwind information tells. */
#ifndef TALLY_SYMBOLS_ELF_LIMITS_H
#define TALLY_SYMBOLS_ELF_LIMITS_H

#include "symbols/elf.h"

/* Limit the symbols without a size that were added to `table`, which is not finished yet, to where
 * their entry in .eh_frame or .debug_frame ends, or the next function with an entry begins. Code
 * runs on beyond the end of its entry unless it ends with a jump, a return or the like, which is
 * known of x86-64 and AArch64. `mapped` is the image that was mapped; `debug` its debug file, or
 * NULL. 0 or -ENOMEM. */
int tally_elf_limit_symbols(const struct tally_elf *mapped, const struct tally_elf *debug,
			    struct tally_symtab *table);

#endif
