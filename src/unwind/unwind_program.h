/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes call frame information instructions to compute an entry's rows. */
#ifndef TALLY_UNWIND_PROGRAM_H
#define TALLY_UNWIND_PROGRAM_H

#include "unwind/arch.h"
#include "unwind/unwind_build.h"
#include "unwind/cfi.h"

struct tally_cfi_run {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_build *build;
	uint64_t shift;  /* table offset minus virtual address, modulo 2^64 */
	bool swap;       /* the section is not in host byte order */
	uint64_t budget; /* instruction bytes that may still be executed; entries can share bytes */
};

/* Add an entry's rows to the last range, which ends at the table offset `end`. Return 0, -ENOMEM,
 * -E2BIG, or -EINVAL for unknown instructions. After -EINVAL, the rows for the preceding code
 * remain, and the code that follows has no rule. */
int tally_cfi_run(struct tally_cfi_run *run, const struct tally_cfi_entry *entry, uint64_t end);

#endif
