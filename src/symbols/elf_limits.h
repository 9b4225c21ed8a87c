/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends of symbols without a size, from unwind information. */
#ifndef TALLY_SYMBOLS_ELF_LIMITS_H
#define TALLY_SYMBOLS_ELF_LIMITS_H

#include "symbols/elf.h"

/* Limit the symbols without a size in `table`, which is not finished yet. The limit is where their
 * entry in .eh_frame or .debug_frame ends, or where the next function with an entry begins. Code
 * can continue beyond the end of its entry, unless it ends with a jump, a return or the like, which
 * is known for x86-64 and AArch64. `mapped` is the mapped image; `debug` is its debug file, or
 * NULL. Returns 0 or -ENOMEM. */
int tally_elf_limit_symbols(const struct tally_elf *mapped, const struct tally_elf *debug,
			    struct tally_symtab *table);

#endif
