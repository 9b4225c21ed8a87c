/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the symbols of a user object may be found: its file, debug files, the build-id cache. */
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
	uint32_t crc; /* of the debug link */
};

/* List the places of `dso`, whose own file is open as `own` (NULL: it could not be) and whose
 * build-id is `id`, in the order in which perf tries them. The own file is not among them, the
 * list says what comes before it. 0 or -ENOMEM. */
int tally_places_find(const struct tally_dso *dso, const struct tally_image *own,
		      const struct tally_build_id *id, struct tally_places *ret_places);

/* Open the image at one of them: it has to have the build-id `id`, where one is known, and the
 * debug link's CRC where none is. 0, -ESTALE for another file, or an error of tally_image_open().
 */
int tally_place_open(const struct tally_places *places, const struct tally_place *place,
		     const struct tally_build_id *id, struct tally_image *ret_image);

void tally_places_free(struct tally_places *places);

#endif
