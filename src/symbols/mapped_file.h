/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the file that was mapped: a pinned file, or a file below symfs, or the file at the recorded
 * path in our root or in the process's root. */
#ifndef TALLY_SYMBOLS_MAPPED_FILE_H
#define TALLY_SYMBOLS_MAPPED_FILE_H

#include "symbols/dso.h"

/* Open the mapped file. Returns 0; TALLY_DSO_ERROR_FOREIGN; TALLY_DSO_ERROR_REPLACED;
 * TALLY_DSO_ERROR_REMOVED; TALLY_DSO_ERROR_CHANGED if its contents changed after the recording; or
 * an error from tally_image_open(). */
int tally_dso_open_own(const struct tally_dso *dso, struct tally_image *ret_image);

/* Do the same as tally_dso_open_own(), for callers that need the recorded contents at an address:
 * code or unwind rules. Also fails with TALLY_DSO_ERROR_CHANGED for a file that has no build-id and
 * changed after the recording. */
int tally_dso_open_unchanged(const struct tally_dso *dso, struct tally_image *ret_image);

/* Open the file that is currently at the recorded path, in our root or in the process's root. This
 * is the file that later reports would find. Returns the same errors as tally_dso_open_own(). */
int tally_dso_open_path(const struct tally_dso *dso, struct tally_image *ret_image);

/* Get the build-id of the mapped file. Returns 0; -ENOENT if it has none; or an error from
 * tally_dso_open_own(). */
int tally_dso_own_build_id(const struct tally_dso *dso, struct tally_build_id *ret_id);

#endif
