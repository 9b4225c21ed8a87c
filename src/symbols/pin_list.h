/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of pins, searched for the file of a DSO. */
#ifndef TALLY_SYMBOLS_PIN_LIST_H
#define TALLY_SYMBOLS_PIN_LIST_H

#include <pthread.h>

#include "symbols/cache/index_sources.h"
#include "symbols/pins.h"

#define TALLY_PIN_NONE UINT32_MAX /* used instead of a pin's index */

struct tally_pin {
	struct tally_build_id id;      /* build-id when the file was opened */
	struct tally_source_file file; /* state when the file was opened */
	int fd;                        /* -1 if not open */
	int tries;                     /* failed attempts to open the file */
	uint32_t older, newer;         /* neighbours in the list of open pins, in mapping order */
};

struct tally_pins {
	pthread_mutex_t lock; /* protects all fields */
	struct tally_symbols *symbols;
	TALLY_VEC(struct tally_pin) list; /* indexed by DSO number */
	size_t nr_open;
	uint32_t oldest, newest; /* ends of the list of open pins; TALLY_PIN_NONE if it is empty */
};

/* Return true if the file is unchanged. If there is no build-id, compare mtime, because ctime also
 * changes when the file is unlinked. */
bool tally_pin_is_same(const struct tally_pin *pin, const struct tally_source_file *now);

/* Return a copy of the pin. Its descriptor is -1 if the file is not open; otherwise the caller must
 * close the descriptor. */
struct tally_pin tally_pin_take(struct tally_pins *pins, const struct tally_dso *dso);

/* Open the file that was pinned for a DSO with the same key. Returns 0; -EAGAIN if
 * it is not open; TALLY_DSO_ERROR_REPLACED or -ESTALE if it was overwritten; or an error from
 * tally_image_open(). */
int tally_pins_open(struct tally_pins *pins, const struct tally_dso *dso,
		    struct tally_image *ret_image);

/* Get the build-id that the file had when it was pinned. Returns 0, or -ENOENT if it is unknown. */
int tally_pins_build_id(struct tally_pins *pins, const struct tally_dso *dso,
			struct tally_build_id *ret_id);

#endif
