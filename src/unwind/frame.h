/* SPDX-License-Identifier: BSD-2-Clause */
/* One step: from the registers of a frame to those of its caller. */
#ifndef TALLY_UNWIND_FRAME_H
#define TALLY_UNWIND_FRAME_H

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/unwind_table.h"

/* Replace `regs` by the registers of the caller, according to a rule of `table`. Return 0; -ENODATA
 * if there is no caller; -EFAULT if the rule needs memory that is not available, with its address
 * in *ret_missing; -EINVAL if the rule cannot be right; -E2BIG if its expressions need more than
 * `*steps` operations, which are counted down. The registers change only on success. */
int tally_unwind_frame_by_rule(const struct tally_unwind_arch *arch,
			       const struct tally_unwind_table *table,
			       const struct tally_unwind_rule *rule,
			       const struct tally_unwind_memory *memory, unsigned *steps,
			       struct tally_unwind_regs *regs, uint64_t *ret_missing);

/* The same by the frame pointer. It points to the caller's saved frame pointer, which is followed
 * by the return address. Return -ENODATA if the pointer is 0; -EINVAL if it is unknown, or below
 * the frame, as in code with another use for the register; -EFAULT if memory is not available. */
int tally_unwind_frame_by_pointer(const struct tally_unwind_arch *arch,
				  const struct tally_unwind_memory *memory,
				  struct tally_unwind_regs *regs);

#endif
