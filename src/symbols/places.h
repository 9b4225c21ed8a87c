/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the symbols of an object may be found besides its own file: debug files, the build-id
 * cache, images of kernels. */
#ifndef TALLY_SYMBOLS_PLACES_H
#define TALLY_SYMBOLS_PLACES_H

#include "symbols/dso.h"

struct tally_place {
	char *path;
	enum tally_dso_source source;
	bool check_crc; /* found by name only: where no build-id vouches, the CRC has to */
};

/* All zero is an empty list. */
struct tally_places {
	TALLY_VEC(struct tally_place) list;
};

/* The separate file that an object names by its debug link (borrowed from the image); NULL: it
 * names none, or no file name. */
const char *tally_places_debuglink(const struct tally_elf *elf, uint32_t *ret_crc);

/* List the places of `dso`, whose build-id is `id` and whose own file names `debuglink` (may be
 * NULL), in the order in which perf tries them. The own file is not among them, the list says what
 * comes before it. 0 or -ENOMEM. */
int tally_places_user(const struct tally_dso *dso, const char *debuglink,
		      const struct tally_build_id *id, struct tally_places *ret_places);

/* tally_places_user() of a DSO whose own file is `own` (all zero: it could not be opened), and what
 * a file at one of them has to have. 0 or -ENOMEM. */
int tally_places_beside(const struct tally_dso *dso, const struct tally_image *own,
			struct tally_build_id *ret_id, uint32_t *ret_crc,
			struct tally_places *ret_places);

/* The same of the kernel: images of it, then perf's copy of its kallsyms. 0 or -ENOMEM. */
int tally_places_kernel(const struct tally_dso *dso, struct tally_places *ret_places);

/* Open the image at one of them: it has to have the build-id `id`, where one is known, and the
 * debug link's CRC where none is. 0, -ESTALE for another file, or an error of tally_image_open().
 */
int tally_place_open(const struct tally_place *place, const struct tally_build_id *id, uint32_t crc,
		     struct tally_image *ret_image);

void tally_places_free(struct tally_places *places);

#endif
