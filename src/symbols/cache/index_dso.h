/* SPDX-License-Identifier: BSD-2-Clause */
/* A DSO's index. It is tried before the DSO's files, and written after they have been read. */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_DSO_H
#define TALLY_SYMBOLS_CACHE_INDEX_DSO_H

#include "symbols/dso.h"

/* Return the index directory, opening it on the first call. Returns NULL if no directory is set. */
struct tally_index_dir *tally_index_dir_get(struct tally_symbols *symbols);

/* Get the build-id under which the DSO's index is stored: the recorded build-id, or else the
 * build-id of the file or kernel that would be used. Returns 0, or an error if there is no
 * build-id. */
int tally_dso_index_object(const struct tally_dso *dso, struct tally_build_id *ret_object);

/* Mark the index of an object, or its rules (`what`), as read or written by this process. Otherwise
 * two files with the same build-id could repeatedly replace each other's index. Returns false if it
 * had already been marked. */
bool tally_index_mark_used(struct tally_symbols *symbols, const struct tally_build_id *object,
			   enum tally_index_id what);

/* Load the DSO's table, source and path from its index. Returns 0, or -ENOENT if no index can be
 * used; in this case the DSO's sources are recorded while it is loaded. */
int tally_dso_index_load(struct tally_dso *dso);

/*
 * If `error` means that no file with the recorded build-id was found, open the index, or open it
 * and load the DSO's table and source from it. An index with that build-id has the same contents,
 * whatever happened to the files from which it was made. Return 0, -ENOENT, -ENOMEM, or another
 * error from tally_index_open().
 */
int tally_dso_index_open_by_id(const struct tally_dso *dso, int error,
			       struct tally_index *ret_index);
int tally_dso_index_load_by_id(struct tally_dso *dso, int error);

/* Write the index of a DSO that was loaded, if the index is worth writing, and free the DSO's
 * recorded sources. Failures are ignored. */
void tally_dso_index_save(struct tally_dso *dso);

#endif
