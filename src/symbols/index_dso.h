/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a DSO: tried before its files are, written when they were read. */
#ifndef TALLY_SYMBOLS_INDEX_DSO_H
#define TALLY_SYMBOLS_INDEX_DSO_H

#include "symbols/dso.h"

/* Fill the DSO's table, source and path from its index. 0, or -ENOENT if there is none of use: then
 * its sources are noted while it is loaded. */
int tally_dso_index_load(struct tally_dso *dso);

/* Write the index of a DSO that was loaded, if that is worth it, and forget its sources. What fails
 * is not missed. */
void tally_dso_index_save(struct tally_dso *dso);

#endif
