/* SPDX-License-Identifier: BSD-2-Clause */
/* Candidate paths for an object's symbols, other than its own file: debug files, the build-id
 * cache, kernel images. */
#ifndef TALLY_SYMBOLS_CANDIDATES_H
#define TALLY_SYMBOLS_CANDIDATES_H

#include "symbols/dso.h"

struct tally_place {
	char *path;
	enum tally_dso_source source;
	bool check_crc; /* found by name only, so the CRC must match if the build-id is unknown */
};

/* An all-zero struct is an empty list. */
struct tally_places {
	TALLY_VEC(struct tally_place) list;
};

/* Get the file name in an object's debug link (borrowed from the image). Returns NULL if the object
 * has no debug link, or if the link is not a plain file name. */
const char *tally_places_debuglink(const struct tally_elf *elf, uint32_t *ret_crc);

/* List the candidate paths for `dso` in the order in which perf tries them. `id` is its build-id;
 * `debuglink` is the debug link of its own file (may be NULL). The object's own file is tried after
 * all candidates and is not included. Returns 0 or -ENOMEM. */
int tally_places_user(const struct tally_dso *dso, const char *debuglink,
		      const struct tally_build_id *id, struct tally_places *ret_places);

/* Do the same as tally_places_user(), with `own` as the DSO's own file (all zero if it could not
 * be opened). Also get the build-id and CRC that files at these paths must have. Returns 0 or
 * -ENOMEM. */
int tally_places_other(const struct tally_dso *dso, const struct tally_image *own,
		       struct tally_build_id *ret_id, uint32_t *ret_crc,
		       struct tally_places *ret_places);

/* List the candidate paths for the kernel: images, then perf's copy of kallsyms. Returns 0 or
 * -ENOMEM. */
int tally_places_kernel(const struct tally_dso *dso, struct tally_places *ret_places);

/* Open the image at a candidate path. It must have the build-id `id` or, if the build-id is
 * unknown, the CRC in the debug link. Returns 0; -ESTALE if it is another file; or an error from
 * tally_image_open(). */
int tally_place_open(const struct tally_place *place, const struct tally_build_id *id, uint32_t crc,
		     struct tally_image *ret_image);

void tally_places_free(struct tally_places *places);

#endif
