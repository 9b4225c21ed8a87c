/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that was mapped: below symfs, at its path, in the process's root, or pinned. */
#ifndef TALLY_SYMBOLS_MAPPED_FILE_H
#define TALLY_SYMBOLS_MAPPED_FILE_H

#include "symbols/dso.h"

/* Open the mapped file. Returns 0; TALLY_DSO_ERROR_FOREIGN; TALLY_DSO_ERROR_REPLACED;
 * TALLY_DSO_ERROR_REMOVED; TALLY_DSO_ERROR_CHANGED if its contents were changed after it was
 * recorded; or an error of tally_image_open(). */
int tally_dso_open_own(const struct tally_dso *dso, struct tally_image *ret_image);

/* Like tally_dso_open_own(), for callers that need the recorded contents at an address: code,
 * unwind rules. Also fails with TALLY_DSO_ERROR_CHANGED for a file without a build-id that changed
 * after it was recorded. */
int tally_dso_open_unchanged(const struct tally_dso *dso, struct tally_image *ret_image);

/* Open the file to which the path leads now, here or in the process's root: the file that later
 * reports would find. Errors as for tally_dso_open_own(). */
int tally_dso_open_path(const struct tally_dso *dso, struct tally_image *ret_image);

/* Get the build-id of the mapped file. Returns 0; -ENOENT if it has none; or an error of
 * tally_dso_open_own(). */
int tally_dso_own_build_id(const struct tally_dso *dso, struct tally_build_id *ret_id);

#endif
