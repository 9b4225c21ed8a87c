/* SPDX-License-Identifier: BSD-2-Clause */
/* Check whether the sources in an index are still those that would be found. */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_CHECK_H
#define TALLY_SYMBOLS_CACHE_INDEX_CHECK_H

#include "symbols/cache/index_sources.h"

/* Check if the DSO's loader would now use the same sources as `index`. If so, `*ret_path` is the
 * file that the symbols came from; the caller frees it. Returns 0; -ESTALE if the sources differ;
 * or -ENOMEM. */
int tally_sources_check(const struct tally_dso *dso, const struct tally_build_id *object,
			struct tally_index *index, enum tally_dso_source *ret_source,
			char **ret_path);

#endif
