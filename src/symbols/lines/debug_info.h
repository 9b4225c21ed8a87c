/* SPDX-License-Identifier: BSD-2-Clause */
/* Find a DSO's debug information, and convert addresses for it. */
#ifndef TALLY_SYMBOLS_LINES_DEBUG_INFO_H
#define TALLY_SYMBOLS_LINES_DEBUG_INFO_H

#include "dwarf/dwarf.h"
#include "symbols/dso.h"

struct tally_debug_info {
	struct tally_image image; /* file with the debug information */
	struct tally_image alt;   /* file to which dwz moved shared parts, if any */
	/* Range of DSO addresses. Add `bias` to get the address in the debug information. */
	struct tally_debug_place {
		uint64_t start, end, bias;
	} places[8]; /* executable segments; linkers create one or two */
	size_t nr_places;
};

/* Find the debug information. Returns 0; -ENODATA if it is not found; -ENOTSUP if its addresses
 * cannot be converted; or the same errors as when loading symbols. */
int tally_debug_info_find(struct tally_dso *dso, struct tally_debug_info *ret_info);
void tally_debug_info_free(struct tally_debug_info *info);

/* Get the value to add to a DSO address to get the address in the debug information. Returns false
 * if the address is not covered. */
bool tally_debug_info_bias(const struct tally_debug_info *info, uint64_t addr, uint64_t *ret_bias);

/* Get the value to add to a kernel address to get the linked address in a kernel image, or 0 if the
 * kernel's address was not recorded. Returns 0; -ENOTSUP if the image lacks the reference symbol;
 * or an error from tally_elf_add_symbols(). */
int tally_kernel_image_bias(const struct tally_dso *dso, const struct tally_elf *elf,
			    uint64_t *ret_bias);

enum tally_debug_use {
	TALLY_DEBUG_INLINED, /* names of inlined functions; lines have no files and numbers */
	TALLY_DEBUG_LINES,
	TALLY_DEBUG_VARIABLES,
};

/* Read the debug information that is needed for `use`, decompressing no more than `most` bytes in
 * total. `alt` is not changed if there is no dwz file. Returns 0; -EFBIG; or an error from
 * tally_unpack(). The decompressed bytes are never freed, because the caller is a worker process
 * that needs them until it exits. */
int tally_debug_info_gather(const struct tally_debug_info *info, enum tally_debug_use use,
			    uint64_t most, struct tally_dwarf_file *file,
			    struct tally_dwarf_file *alt);

#endif
