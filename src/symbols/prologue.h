/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heuristic detection of frame pointers, without which the kernel's callchains end in the first
 * function. Inspects the first instructions of a sample of a program's functions.
 */
#ifndef TALLY_SYMBOLS_PROLOGUE_H
#define TALLY_SYMBOLS_PROLOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/elf.h"

struct tally_prologues {
	size_t functions; /* functions with a size */
	size_t looked;    /* functions that were inspected */
	size_t frames;    /* inspected functions that set up a frame pointer */
	const char *from; /* section with the functions: ".symtab", ".dynsym", ".eh_frame_hdr" */
};

/* Inspect the functions of `elf`, which need not be trusted. Returns 0; -ENOTSUP for an unknown
 * architecture; -ENOENT if no function was found; -ENOMEM. */
int tally_elf_prologues_scan(const struct tally_elf *elf, struct tally_prologues *ret_prologues);

#endif
