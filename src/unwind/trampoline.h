/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that a signal handler returns to. It is found by its instructions, as what libraries say
 * of it is not to be relied on: musl says nothing, Go says that it is a function as any other, and
 * the vdso of AArch64 gives the caller of the code that was interrupted.
 */
#ifndef TALLY_UNWIND_TRAMPOLINE_H
#define TALLY_UNWIND_TRAMPOLINE_H

#include "unwind/arch.h"
#include "unwind/build.h"
#include "unwind/compile.h"

/* Whether the code of an entry has to be looked at: the rules of most are believed. */
bool trampoline_may_be(const struct tally_cfi_section *section,
		       const struct tally_cfi_entry *entry);

/* Find the trampolines in the code without rules, and in that which may be one, and give them rules
 * of their own in place of what they have. 0, -ENOMEM, or an error of the builder's. */
int trampolines_add(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		    const struct tally_unwind_source *source);

#endif
