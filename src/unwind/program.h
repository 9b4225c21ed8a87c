/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of call frame information, run for the rows that they make. */
#ifndef TALLY_UNWIND_PROGRAM_H
#define TALLY_UNWIND_PROGRAM_H

#include "unwind/arch.h"
#include "unwind/build.h"
#include "unwind/cfi.h"

struct tally_cfi_run {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_build *build;
	uint64_t shift;  /* from virtual addresses to places in the table, modulo 2^64 */
	bool swap;       /* the section is of the other byte order */
	uint64_t budget; /* bytes of instructions that may still be run: entries may share them */
};

/* Add the rows of an entry, whose stretch was begun and ends at `end` (a place in the table). 0;
 * -EINVAL for instructions that are not understood: the rows before them stay, and behind them
 * there is no rule; -ENOMEM; -E2BIG. */
int tally_cfi_run(struct tally_cfi_run *run, const struct tally_cfi_entry *entry, uint64_t end);

#endif
