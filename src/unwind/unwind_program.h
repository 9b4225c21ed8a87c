/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the instructions of call frame information to get its rows. */
#ifndef TALLY_UNWIND_PROGRAM_H
#define TALLY_UNWIND_PROGRAM_H

#include "unwind/arch.h"
#include "unwind/unwind_build.h"
#include "unwind/cfi.h"

struct tally_cfi_run {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_build *build;
	uint64_t shift;  /* table offset minus virtual address, modulo 2^64 */
	bool swap;       /* the section is in the other byte order */
	uint64_t budget; /* bytes of instructions that may still be run; entries can share them */
};

/* Add the rows of an entry. Its range was begun, and ends at the table offset `end`. Return 0,
 * -ENOMEM, -E2BIG, or -EINVAL for instructions that are not understood: then the rows before them
 * remain, and there is no rule after them. */
int tally_cfi_run(struct tally_cfi_run *run, const struct tally_cfi_entry *entry, uint64_t end);

#endif
