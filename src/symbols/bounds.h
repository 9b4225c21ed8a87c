/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_BOUNDS_H
#define TALLY_SYMBOLS_BOUNDS_H

#include "symbols/dso.h"

/* The function that `addr` is in, by the DSO's unwind rules, with a name made of its start. The
 * same function gives the same pointer. NULL if they do not tell. */
const struct tally_symbol *tally_dso_find_bound(struct tally_dso *dso, uint64_t addr);

void tally_dso_free_bounds(struct tally_dso *dso);

#endif
