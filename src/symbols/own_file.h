/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that was mapped: under symfs, here, as the process itself sees it, or as it was pinned.
 */
#ifndef TALLY_SYMBOLS_OWN_FILE_H
#define TALLY_SYMBOLS_OWN_FILE_H

#include "symbols/dso.h"

/* Open it. 0; TALLY_DSO_ERROR_FOREIGN; TALLY_DSO_ERROR_REPLACED; TALLY_DSO_ERROR_REMOVED;
 * TALLY_DSO_ERROR_CHANGED: something else was written into it after it was recorded; or an error of
 * tally_image_open(). */
int tally_dso_open_own(const struct tally_dso *dso, struct tally_image *ret_image);

/* The same for those who take what is at an address for what was there when it was recorded: its
 * code, its unwind rules. A file without a build-id that changed since is refused:
 * TALLY_DSO_ERROR_CHANGED. */
int tally_dso_open_unchanged(const struct tally_dso *dso, struct tally_image *ret_image);

/* The same of what its path leads to now, here or for the process: what others find later. */
int tally_dso_open_named(const struct tally_dso *dso, struct tally_image *ret_image);

/* Its build-id. 0, -ENOENT if it has none, or an error as above. */
int tally_dso_own_build_id(const struct tally_dso *dso, struct tally_build_id *ret_id);

#endif
