/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a program keeps frame pointers, without which a kernel's callchains end in its first
 * function: by the first instructions of a sample of its functions. A guess, and called one.
 */
#ifndef TALLY_SYMBOLS_PROLOGUE_H
#define TALLY_SYMBOLS_PROLOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/elf.h"

struct tally_prologues {
	size_t functions; /* functions with a length */
	size_t looked;    /* how many of them were looked at */
	size_t frames;    /* how many of those set up a frame pointer */
	const char *from; /* where functions were found: ".symtab", ".dynsym", ".eh_frame_hdr" */
};

/* Look at `elf`, hostile bytes as any. -ENOTSUP for an architecture whose prologues are not known;
 * -ENOENT when no function was found; -ENOMEM. */
int tally_elf_prologues_look(const struct tally_elf *elf, struct tally_prologues *ret_prologues);

#endif
