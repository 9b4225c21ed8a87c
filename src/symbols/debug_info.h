/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of a DSO: finding its file and converting addresses. */
#ifndef TALLY_SYMBOLS_DEBUG_INFO_H
#define TALLY_SYMBOLS_DEBUG_INFO_H

#include "dwarf/dwarf.h"
#include "symbols/dso.h"

struct tally_debug_info {
	struct tally_image image; /* of the file with the debug information */
	struct tally_image alt;   /* of the file to which dwz moved shared parts, if any */
	/* DSO addresses in [start, end) are `bias` less than those of the debug information. */
	struct tally_debug_place {
		uint64_t start, end, bias;
	} places[8]; /* executable segments; linkers create one or two */
	size_t nr_places;
};

/* Find the debug information. Returns 0; -ENODATA if it is not found; -ENOTSUP if its addresses
 * cannot be converted; or an error as for loading symbols. */
int tally_debug_info_find(struct tally_dso *dso, struct tally_debug_info *ret_info);
void tally_debug_info_free(struct tally_debug_info *info);

/* Get the value to add to an address of the DSO to get the address in the debug information.
 * Returns false if the address is not covered. */
bool tally_debug_info_bias(const struct tally_debug_info *info, uint64_t addr, uint64_t *ret_bias);

/* Get the value to add to an address of the kernel to get the linked address in a kernel image: 0
 * if the kernel's address was not recorded. Returns 0; -ENOTSUP if the image lacks the reference
 * symbol; or an error of tally_elf_add_symbols(). */
int tally_kernel_image_bias(const struct tally_dso *dso, const struct tally_elf *elf,
			    uint64_t *ret_bias);

/* Read the debug information, decompressing no more than `most` bytes in total. `alt` is not
 * changed if there is no such file. Returns 0; -EFBIG; or an error of tally_unpack(). The
 * decompressed bytes are never freed: this is for a process that does nothing else. */
int tally_debug_info_gather(const struct tally_debug_info *info, uint64_t most,
			    struct tally_dwarf_file *file, struct tally_dwarf_file *alt);

#endif
