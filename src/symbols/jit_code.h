/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of JIT compilers: in addition to names (symbols.h), the code that was at an address at a
 * certain time.
 *
 * The maps and dumps of the compilers are read at the first lookup. The code of a dump is a
 * separate DSO, TALLY_DSO_JITDUMP. Its addresses are offsets in the dump, where the bytes of the
 * code are. An address in memory must first be converted to such an offset, which depends on the
 * time.
 */
#ifndef TALLY_SYMBOLS_JIT_CODE_H
#define TALLY_SYMBOLS_JIT_CODE_H

#include "symbols/symbols.h"

/* JITDUMP: get the offset in the dump of the code that was at `addr` at `time`, in ns of
 * CLOCK_MONOTONIC, or of the newest code with TALLY_TIME_UNKNOWN. Returns false if there was no
 * code. */
#define TALLY_TIME_UNKNOWN UINT64_MAX
bool tally_dso_jit_offset(struct tally_dso *dso, uint64_t addr, uint64_t time, uint64_t *ret_place);

/* Read all files of JIT compilers again that have grown, as the compilers keep running. Files are
 * also read again, at a limited rate, if a lookup finds nothing in them. */
void tally_symbols_jit_refresh(struct tally_symbols *symbols);

/* Return a number that changes when new code was read. Addresses that were looked up before may
 * then have another result. */
uint64_t tally_symbols_generation(const struct tally_symbols *symbols);

#endif
