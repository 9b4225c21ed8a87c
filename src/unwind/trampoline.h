/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signal trampolines: the code that a signal handler returns to. Trampolines are recognized by
 * their instructions, because the unwind rules for them are unreliable: musl has none, Go describes
 * the code as an ordinary function, and the AArch64 vdso's rules skip the interrupted function.
 */
#ifndef TALLY_UNWIND_TRAMPOLINE_H
#define TALLY_UNWIND_TRAMPOLINE_H

#include "unwind/arch.h"
#include "unwind/unwind_build.h"
#include "unwind/compile.h"

/* Return true if the code of an entry has to be searched for trampolines. The rules of most entries
 * are trusted. */
bool trampoline_may_be(const struct tally_cfi_section *section,
		       const struct tally_cfi_entry *entry);

/* Find the trampolines in code without rules and in entries that may be trampolines, and replace
 * their rules. Return 0, -ENOMEM, or a builder error. */
int trampolines_add(struct tally_unwind_build *build, const struct tally_unwind_arch *arch,
		    const struct tally_unwind_source *source);

#endif
