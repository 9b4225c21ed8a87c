/* SPDX-License-Identifier: BSD-2-Clause */
/* One step: from a frame's registers to its caller's. */
#ifndef TALLY_UNWIND_FRAME_H
#define TALLY_UNWIND_FRAME_H

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/table.h"

/* The caller's registers by a rule of `table`, in place. 0; -ENODATA: there is no caller; -EFAULT:
 * what the rule needs is in memory that is not there, at `*ret_missing`; -EINVAL: the rule cannot
 * be right; -E2BIG: its expressions need more than `*steps` operations, which count down. The
 * registers are the same as before unless it is 0. */
int tally_unwind_frame_by_rule(const struct tally_unwind_arch *arch,
			       const struct tally_unwind_table *table,
			       const struct tally_unwind_rule *rule,
			       const struct tally_unwind_memory *memory, unsigned *steps,
			       struct tally_unwind_regs *regs, uint64_t *ret_missing);

/* The same by the frame pointer: it points to where the caller's is kept, and behind that is the
 * return address. -ENODATA for a pointer of 0; -EINVAL where it is not known, or points below the
 * frame, as it does in code that has another use for the register; -EFAULT. */
int tally_unwind_frame_by_pointer(const struct tally_unwind_arch *arch,
				  const struct tally_unwind_memory *memory,
				  struct tally_unwind_regs *regs);

#endif
