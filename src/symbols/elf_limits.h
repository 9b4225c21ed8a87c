/* SPDX-License-Identifier: BSD-2-Clause */
/* Where symbols without a size end, as far as unwind information tells. */
#ifndef TALLY_SYMBOLS_ELF_LIMITS_H
#define TALLY_SYMBOLS_ELF_LIMITS_H

#include "symbols/elf.h"

/* Limit the symbols without a size that were added to `table`, which is not finished yet, to where
 * the next function begins that an entry of .eh_frame or .debug_frame describes. `mapped` is the
 * image that was mapped; `debug` its debug file, or NULL. 0 or -ENOMEM. */
int tally_elf_limit_symbols(const struct tally_elf *mapped, const struct tally_elf *debug,
			    struct tally_symtab *table);

#endif
