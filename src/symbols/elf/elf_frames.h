/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind information in an ELF image, as input for compiling unwind rules. */
#ifndef TALLY_SYMBOLS_ELF_ELF_FRAMES_H
#define TALLY_SYMBOLS_ELF_ELF_FRAMES_H

#include "symbols/elf/elf_bytes.h"
#include "unwind/compile.h"

enum {
	TALLY_FRAMES_SEGMENTS = 64,
	TALLY_FRAMES_CODE = 256,
	TALLY_FRAMES_SECTIONS = 3,
	TALLY_FRAMES_STUBS = 4
};

struct tally_elf_frames {
	struct tally_unwind_source source; /* points to the arrays below */
	struct tally_unwind_segment segments[TALLY_FRAMES_SEGMENTS];
	struct tally_unwind_piece code[TALLY_FRAMES_CODE];
	struct tally_cfi_section sections[TALLY_FRAMES_SECTIONS];
	struct tally_unwind_stubs stubs[TALLY_FRAMES_STUBS];
	struct tally_elf_bytes bytes[TALLY_FRAMES_SECTIONS];
};

/* Gather the unwind information from the mapped image and, if `debug` is not NULL, from its
 * separate debug file. Both must stay valid while `frames` is used. Returns 0; -ENOTSUP for
 * 32-bit images; or -ENOMEM. The caller frees `frames` with tally_elf_frames_free(), even after
 * a failure. */
int tally_elf_frames_gather(const struct tally_elf *elf, const struct tally_elf *debug,
			    struct tally_elf_frames *frames);

void tally_elf_frames_free(struct tally_elf_frames *frames);

#endif
