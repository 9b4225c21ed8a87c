/* SPDX-License-Identifier: BSD-2-Clause */
/* Candidate paths of an object's symbols, other than its own file: debug files, the build-id cache,
 * kernel images. */
#ifndef TALLY_SYMBOLS_CANDIDATES_H
#define TALLY_SYMBOLS_CANDIDATES_H

#include "symbols/dso.h"

struct tally_place {
	char *path;
	enum tally_dso_source source;
	bool check_crc; /* found by name only: without a known build-id, the CRC must match */
};

/* All zero is an empty list. */
struct tally_places {
	TALLY_VEC(struct tally_place) list;
};

/* Get the name of the separate file in an object's debug link (borrowed from the image). NULL if it
 * has no debug link, or if that is not a plain file name. */
const char *tally_places_debuglink(const struct tally_elf *elf, uint32_t *ret_crc);

/* List the candidate paths of `dso` in the order in which perf tries them. `id` is its build-id;
 * `debuglink` is the debug link of its own file (may be NULL). The object's own file, which comes
 * after them, is not included. Returns 0 or -ENOMEM. */
int tally_places_user(const struct tally_dso *dso, const char *debuglink,
		      const struct tally_build_id *id, struct tally_places *ret_places);

/* Like tally_places_user(). `own` is the own file of the DSO (all zero if it could not be opened).
 * Also gets the build-id and CRC that files at these paths must have. Returns 0 or -ENOMEM. */
int tally_places_other(const struct tally_dso *dso, const struct tally_image *own,
		       struct tally_build_id *ret_id, uint32_t *ret_crc,
		       struct tally_places *ret_places);

/* List the candidate paths of the kernel: images, then perf's copy of its kallsyms. Returns 0 or
 * -ENOMEM. */
int tally_places_kernel(const struct tally_dso *dso, struct tally_places *ret_places);

/* Open the image at a candidate path. It must have the build-id `id` or, if that is unknown, the
 * CRC of the debug link. Returns 0; -ESTALE if it is another file; or an error of
 * tally_image_open(). */
int tally_place_open(const struct tally_place *place, const struct tally_build_id *id, uint32_t crc,
		     struct tally_image *ret_image);

void tally_places_free(struct tally_places *places);

#endif
