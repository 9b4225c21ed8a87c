/* SPDX-License-Identifier: BSD-2-Clause */
/* Code described by JIT compiler files, which grow while the programs are running. */
#ifndef TALLY_SYMBOLS_JIT_LOAD_JIT_H
#define TALLY_SYMBOLS_JIT_LOAD_JIT_H

#include "symbols/dso.h"
#include "symbols/lines/symbols_lines.h"

/* Loader for TALLY_DSO_PERF_MAP and TALLY_DSO_JITDUMP, see symbols_load.h. */
int tally_dso_load_jit(struct tally_dso *dso);

/* Return the symbol at `place`, an address in the form that tally_dso_find() takes, or NULL. */
const struct tally_symbol *tally_dso_jit_find(struct tally_dso *dso, uint64_t place);

/* For JITDUMP, return the line at `place`, or NULL. Also get the range of places that belong to
 * this line. */
const struct tally_line *tally_dso_jit_find_line(struct tally_dso *dso, uint64_t place,
						 struct tally_span *ret_span);
/* For JITDUMP, return true if there are any lines. */
bool tally_dso_jit_has_lines(struct tally_dso *dso);

/* For JITDUMP, open the dump that was read, and get the machine of its code (EM_...). Returns 0;
 * -ENOENT if no dump was read; TALLY_DSO_ERROR_REPLACED if its name now belongs to another file; or
 * an error from tally_file_open(). */
int tally_dso_jit_open(struct tally_dso *dso, int *ret_fd, uint16_t *ret_machine);

/* For JITDUMP, return the start address of the code at `place`, minus `place`; or 0 if there is no
 * code. */
uint64_t tally_dso_jit_bias(const struct tally_dso *dso, uint64_t place);

/* Add the results of reading the JIT files to a status. */
void tally_dso_jit_status(const struct tally_dso *dso, struct tally_dso_status *status);

void tally_dso_free_jit(struct tally_dso *dso);

#endif
