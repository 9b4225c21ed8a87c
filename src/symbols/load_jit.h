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

/* JITDUMP: open the dump that was read, and what its code is for (EM_...). 0;
 * TALLY_DSO_ERROR_REPLACED: another file has its name; or an error of tally_file_open(). */
int tally_dso_open_made(struct tally_dso *dso, int *ret_fd, uint16_t *ret_machine);

/* The same: how far a place is from where its code was in memory at first. */
uint64_t tally_dso_made_distance(const struct tally_dso *dso, uint64_t place);

/* Add what became of it to a status. */
void tally_dso_status_made(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif
