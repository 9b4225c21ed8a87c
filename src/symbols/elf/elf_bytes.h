/* SPDX-License-Identifier: BSD-2-Clause */
/* Contents of ELF sections, decompressed if necessary. */
#ifndef TALLY_SYMBOLS_ELF_ELF_BYTES_H
#define TALLY_SYMBOLS_ELF_ELF_BYTES_H

#include "symbols/elf/elf.h"

/* An all-zero struct is empty. */
struct tally_elf_bytes {
	const uint8_t *data;
	size_t len;
	uint8_t *unpacked; /* decompressed bytes that `data` points to, or NULL */
	uint64_t addr;     /* address of the section */
};

/* Return true if the image has a non-empty section with that name or, for a name that begins with
 * ".debug", its older compressed form without SHF_COMPRESSED (".zdebug_info"). */
bool tally_elf_has_bytes(const struct tally_elf *elf, const char *name);

/* Get the contents of a section, which is found as in tally_elf_has_bytes(). Contents that are not
 * compressed are borrowed from the image. Returns 0; -ENOENT if there is no such section; -EFBIG if
 * the section is hollow or has more than `most` decompressed bytes; or -ENOSYS, -EINVAL or -ENOMEM
 * as for tally_unpack(). */
int tally_elf_bytes_get(const struct tally_elf *elf, const char *name, uint64_t most,
			struct tally_elf_bytes *ret_bytes);

void tally_elf_bytes_free(struct tally_elf_bytes *bytes);

#endif
