/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_BOUNDS_H
#define TALLY_SYMBOLS_BOUNDS_H

#include "symbols/dso.h"

/* Return the function that contains `addr` according to the DSO's unwind rules. Its name is made
 * from its start ("fn@42e0"). The same function gives the same pointer. NULL if the rules do not
 * cover the address, or memory is out. */
const struct tally_symbol *tally_dso_find_bound(struct tally_dso *dso, uint64_t addr);

void tally_dso_free_bounds(struct tally_dso *dso);

#endif
