/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heuristic detection of frame pointers: inspects the first instructions of a sample of a program's
 * functions. Without frame pointers, the kernel's callchains end in the first function.
 */
#ifndef TALLY_SYMBOLS_ELF_PROLOGUE_H
#define TALLY_SYMBOLS_ELF_PROLOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/elf.h"

struct tally_prologues {
	size_t functions; /* number of functions with a size */
	size_t looked;    /* number of inspected functions */
	size_t frames;    /* inspected functions that set up a frame pointer */
	const char *from; /* source of the functions: ".symtab", ".dynsym" or ".eh_frame_hdr" */
};

/* Inspect the functions of `elf`, which may be untrusted. Returns 0; -ENOTSUP for an unknown
 * architecture; -ENOENT if no function was found; or -ENOMEM. */
int tally_elf_prologues_scan(const struct tally_elf *elf, struct tally_prologues *ret_prologues);

#endif
