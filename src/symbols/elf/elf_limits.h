/* SPDX-License-Identifier: BSD-2-Clause */
/* Determine the ends of symbols without a size, using unwind information. */
#ifndef TALLY_SYMBOLS_ELF_ELF_LIMITS_H
#define TALLY_SYMBOLS_ELF_ELF_LIMITS_H

#include "symbols/elf/elf.h"

/* Set a limit for the end of each symbol without a size in `table`, which is not finished yet. The
 * limit is the end of the symbol's entry in .eh_frame or .debug_frame. If there is no entry, or the
 * code falls through the end of the entry (detected on x86-64 and AArch64), the limit is the start
 * of the next function with an entry. `mapped` is the mapped image; `debug` is its debug file, or
 * NULL. Returns 0 or -ENOMEM. */
int tally_elf_limit_symbols(const struct tally_elf *mapped, const struct tally_elf *debug,
			    struct tally_symtab *table);

#endif
