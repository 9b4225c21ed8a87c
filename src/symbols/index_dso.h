/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a DSO: tried before the DSO's files, and written after they were read. */
#ifndef TALLY_SYMBOLS_INDEX_DSO_H
#define TALLY_SYMBOLS_INDEX_DSO_H

#include "symbols/dso.h"

/* Return the directory of indexes, opened at the first call. NULL if none is set. */
struct tally_index_dir *tally_index_dir_get(struct tally_symbols *symbols);

/* Get the build-id by which the DSO's index is found: the recorded one, or else that of the file or
 * kernel that would be used. Returns 0, or the error that prevented it. */
int tally_dso_index_object(const struct tally_dso *dso, struct tally_build_id *ret_object);

/* Note that this process read or wrote the index of an object, or its rules (`what`). Otherwise two
 * files with the same build-id could replace each other's index again and again. Returns false if
 * it was noted before. */
bool tally_index_mark_used(struct tally_symbols *symbols, const struct tally_build_id *object,
			   enum tally_index_id what);

/* Load the DSO's table, source and path from its index. Returns 0, or -ENOENT if no index can be
 * used: then the DSO's sources are recorded while it is loaded. */
int tally_dso_index_load(struct tally_dso *dso);

/*
 * For an `error` that means that no file with the recorded build-id was found. An index with that
 * build-id has the same contents, whatever happened to the files from which it was made. Open it,
 * or load the DSO's table and source from it. Return 0, -ENOENT, -ENOMEM, or another error of
 * tally_index_open().
 */
int tally_dso_index_open_by_id(const struct tally_dso *dso, int error,
			       struct tally_index *ret_index);
int tally_dso_index_load_by_id(struct tally_dso *dso, int error);

/* Write the index of a DSO that was loaded, if it is worthwhile, and free the DSO's sources.
 * Failures are ignored. */
void tally_dso_index_save(struct tally_dso *dso);

#endif
