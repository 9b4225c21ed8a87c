/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that is described by the files of JIT compilers, which grow while their programs run. */
#ifndef TALLY_SYMBOLS_LOAD_JIT_H
#define TALLY_SYMBOLS_LOAD_JIT_H

#include "symbols/dso.h"
#include "symbols/symbols_lines.h"

/* The loader of TALLY_DSO_PERF_MAP and TALLY_DSO_JITDUMP, see symbols_load.h. */
int tally_dso_load_jit(struct tally_dso *dso);

/* Return the symbol at a place, as for tally_dso_find(), or NULL. */
const struct tally_symbol *tally_dso_jit_find(struct tally_dso *dso, uint64_t place);

/* JITDUMP: return the line at a place and the range of places that have it, or NULL. */
const struct tally_line *tally_dso_jit_find_line(struct tally_dso *dso, uint64_t place,
						 struct tally_span *ret_span);
/* JITDUMP: return true if there are any lines. */
bool tally_dso_jit_has_lines(struct tally_dso *dso);

/* JITDUMP: open the dump that was read, and get the machine of its code (EM_...). Returns 0;
 * -ENOENT if none was read; TALLY_DSO_ERROR_REPLACED if another file has its name; or an error of
 * tally_file_open(). */
int tally_dso_jit_open(struct tally_dso *dso, int *ret_fd, uint16_t *ret_machine);

/* JITDUMP: return the difference between the first address of the code at a place and the place. 0
 * if there is no code. */
uint64_t tally_dso_jit_bias(const struct tally_dso *dso, uint64_t place);

/* Add the results of reading the files to a status. */
void tally_dso_jit_status(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif
