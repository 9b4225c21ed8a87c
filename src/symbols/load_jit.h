/* SPDX-License-Identifier: BSD-2-Clause */
/* What JIT compilers tell of their code, in files that grow while their programs run. */
#ifndef TALLY_SYMBOLS_LOAD_JIT_H
#define TALLY_SYMBOLS_LOAD_JIT_H

#include "symbols/dso.h"
#include "symbols/lines.h"

/* The loader of TALLY_DSO_PERF_MAP and TALLY_DSO_JITDUMP, see load.h. */
int tally_dso_load_jit(struct tally_dso *dso);

/* The symbol at a place, as tally_dso_find() has it; NULL for none. */
const struct tally_symbol *tally_dso_find_made(struct tally_dso *dso, uint64_t place);

/* JITDUMP, for lines.h: the line at a place and the places that have it, NULL for none; whether
 * there are any. */
const struct tally_line *tally_dso_find_made_line(struct tally_dso *dso, uint64_t place,
						  struct tally_span *ret_span);
bool tally_dso_has_made_lines(struct tally_dso *dso);

/* Add what became of it to a status. */
void tally_dso_status_made(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif
