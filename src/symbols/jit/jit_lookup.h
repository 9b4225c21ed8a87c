/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups in JIT compiler files by other loaders. The files are read on the first lookup. */
#ifndef TALLY_SYMBOLS_JIT_JIT_LOOKUP_H
#define TALLY_SYMBOLS_JIT_JIT_LOOKUP_H

#include "symbols/lines/symbols_lines.h"

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

#endif
