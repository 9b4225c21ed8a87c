/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a DSO: tried before its files are, written when they were read. */
#ifndef TALLY_SYMBOLS_INDEX_DSO_H
#define TALLY_SYMBOLS_INDEX_DSO_H

#include "symbols/dso.h"

/* The directory of indexes, opened at the first call; NULL if there is none. */
struct tally_index_dir *tally_index_dir_get(struct tally_symbols *symbols);

/* The build-id that a DSO's index goes by: as recorded, else that of what would be taken for it. 0,
 * or why there is none. */
int tally_dso_index_object(const struct tally_dso *dso, struct tally_build_id *ret_object);

/* Note that this process read or wrote an index of an object, or of its rules: another file with
 * the same id, at other places, is not put in its place time and again. False if that is noted. */
bool tally_index_note(struct tally_symbols *symbols, const struct tally_build_id *object,
		      enum tally_index_id what);

/* Fill the DSO's table, source and path from its index. 0, or -ENOENT if there is none of use: then
 * its sources are noted while it is loaded. */
int tally_dso_index_load(struct tally_dso *dso);

/*
 * Where `error` says that no file with the build-id that was recorded was found: an index that has
 * the id is of the same contents, whatever has become of the places that it was made from. Open it;
 * or fill the DSO's table and source from it. 0, -ENOENT or -ENOMEM.
 */
int tally_dso_index_open_gone(const struct tally_dso *dso, int error,
			      struct tally_index *ret_index);
int tally_dso_index_load_gone(struct tally_dso *dso, int error);

/* Write the index of a DSO that was loaded, if that is worth it, and forget its sources. What fails
 * is not missed. */
void tally_dso_index_save(struct tally_dso *dso);

#endif
