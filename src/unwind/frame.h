/* SPDX-License-Identifier: BSD-2-Clause */
/* Single unwinding step from the registers of a frame to those of its caller. */
#ifndef TALLY_UNWIND_FRAME_H
#define TALLY_UNWIND_FRAME_H

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/unwind_table.h"

/* Replace `regs` with the caller's registers, using a rule from `table`. Return 0; -ENODATA if
 * there is no caller; -EFAULT if the rule needs memory that is not available, with its address in
 * *ret_missing; -EINVAL if the rule cannot be right; or -E2BIG if its expressions need more than
 * `*steps` operations. Each operation decrements `*steps`. The registers change only on success. */
int tally_unwind_frame_by_rule(const struct tally_unwind_arch *arch,
			       const struct tally_unwind_table *table,
			       const struct tally_unwind_rule *rule,
			       const struct tally_unwind_memory *memory, unsigned *steps,
			       struct tally_unwind_regs *regs, uint64_t *ret_missing);

/* Replace `regs` with the caller's registers, using the frame pointer. It points to the caller's
 * saved frame pointer, which is followed by the return address. Return 0; -ENODATA if the frame
 * pointer is 0; -EINVAL if it is unknown, or if it is below the frame because the code uses the
 * register for something else; or -EFAULT if memory is not available. */
int tally_unwind_frame_by_pointer(const struct tally_unwind_arch *arch,
				  const struct tally_unwind_memory *memory,
				  struct tally_unwind_regs *regs);

#endif
