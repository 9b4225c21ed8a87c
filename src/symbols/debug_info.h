/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of a DSO: which file has it, and where its addresses are there. */
#ifndef TALLY_SYMBOLS_DEBUG_INFO_H
#define TALLY_SYMBOLS_DEBUG_INFO_H

#include "dwarf/dwarf.h"
#include "symbols/dso.h"

struct tally_debug_info {
	struct tally_image image; /* with it */
	struct tally_image alt;   /* what dwz moved to a file of its own, if anything */
	/* Addresses of the DSO in [start, end) are `bias` less than in the debug information. */
	struct tally_debug_place {
		uint64_t start, end, bias;
	} places[8]; /* executable segments: linkers make one or two */
	size_t nr_places;
};

/* Look for it. 0; -ENODATA if there is none; -ENOTSUP if its addresses cannot be told; or as of the
 * symbols. */
int tally_debug_info_find(struct tally_dso *dso, struct tally_debug_info *ret_info);
void tally_debug_info_free(struct tally_debug_info *info);

/* What is added to an address of the DSO to have that of the debug information. False if it is
 * nowhere. */
bool tally_debug_info_bias(const struct tally_debug_info *info, uint64_t addr, uint64_t *ret_bias);

/* What is added to an address of the kernel to have where an image of it was linked to be. 0;
 * -ENOTSUP if that cannot be told; -ENOMEM. */
int tally_kernel_image_bias(const struct tally_dso *dso, const struct tally_elf *elf,
			    uint64_t *ret_bias);

/* Read it: unpack what is packed, of no more than `most` bytes in all; `alt` stays as it is if
 * there is none. 0; -EFBIG; or an error of tally_unpack(). What was unpacked is never freed: it is
 * for a process that does nothing else. */
int tally_debug_info_gather(const struct tally_debug_info *info, uint64_t most,
			    struct tally_dwarf_file *file, struct tally_dwarf_file *alt);

#endif
