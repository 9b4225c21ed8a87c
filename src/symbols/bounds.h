/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_BOUNDS_H
#define TALLY_SYMBOLS_BOUNDS_H

#include "symbols/dso.h"

/* Return the function that contains `addr` according to the DSO's unwind rules. Its name is derived
 * from its start ("fn@42e0"). The same pointer is returned for all addresses in a function. Returns
 * NULL if the rules do not cover the address, or on memory allocation failure. */
const struct tally_symbol *tally_dso_find_bound(struct tally_dso *dso, uint64_t addr);

void tally_dso_free_bounds(struct tally_dso *dso);

#endif
