/* SPDX-License-Identifier: BSD-2-Clause */
/* What JIT compilers tell of their code, in files that grow while their programs run. */
#ifndef TALLY_SYMBOLS_LOAD_JIT_H
#define TALLY_SYMBOLS_LOAD_JIT_H

#include "symbols/dso.h"

/* The loader of TALLY_DSO_PERF_MAP and TALLY_DSO_JITDUMP, see load.h. */
int tally_dso_load_jit(struct tally_dso *dso);

/* The symbol at a place, as tally_dso_find() has it; NULL for none. */
const struct tally_symbol *tally_dso_find_made(struct tally_dso *dso, uint64_t place);

/* Add what became of it to a status. */
void tally_dso_status_made(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif
