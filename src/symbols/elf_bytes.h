/* SPDX-License-Identifier: BSD-2-Clause */
/* What sections of an ELF image say, unpacked where they are packed. */
#ifndef TALLY_SYMBOLS_ELF_BYTES_H
#define TALLY_SYMBOLS_ELF_BYTES_H

#include "symbols/elf.h"

/* All zero is none. */
struct tally_elf_bytes {
	const uint8_t *data;
	size_t len;
	uint8_t *unpacked; /* where `data` is, if it was packed; or NULL */
	uint64_t addr;     /* of the section */
};

/* Whether the image has a section of that name with something in it, or, of a name that begins with
 * ".debug", what was packed before there was a flag for it (".zdebug_info"). */
bool tally_elf_has_bytes(const struct tally_elf *elf, const char *name);

/* The bytes of that section, borrowed from the image if they are not packed. 0; -ENOENT; -EFBIG if
 * they were more than `most` unpacked, or are hollow; -ENOSYS, -EINVAL, -ENOMEM as of
 * tally_unpack(). */
int tally_elf_bytes_get(const struct tally_elf *elf, const char *name, uint64_t most,
			struct tally_elf_bytes *ret_bytes);

void tally_elf_bytes_free(struct tally_elf_bytes *bytes);

#endif
