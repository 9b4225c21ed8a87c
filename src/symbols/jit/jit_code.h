/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look up the JIT code that was at an address at a given time. Names are looked up with symbols.h.
 *
 * The JIT compilers' maps and dumps are read on the first lookup. The code in a dump is a separate
 * DSO, TALLY_DSO_JITDUMP. Its addresses are offsets of code bytes in the dump. A memory address
 * must first be converted to such an offset, which depends on the time.
 */
#ifndef TALLY_SYMBOLS_JIT_JIT_CODE_H
#define TALLY_SYMBOLS_JIT_JIT_CODE_H

#include "symbols/symbols.h"

/* For JITDUMP, get the offset in the dump of the code that was at `addr` at `time` (ns of
 * CLOCK_MONOTONIC), or of the newest code if `time` is TALLY_TIME_UNKNOWN. Returns false if there
 * was no code. */
#define TALLY_TIME_UNKNOWN UINT64_MAX
bool tally_dso_jit_offset(struct tally_dso *dso, uint64_t addr, uint64_t time, uint64_t *ret_place);

/* Read the data that running programs have appended to their JIT compiler files since the last
 * read. Files are also read again, at a limited rate, if a lookup finds nothing in them. */
void tally_symbols_jit_refresh(struct tally_symbols *symbols);

/* Return a number that changes when new code has been read. Looking up the same address may then
 * return a different result. */
uint64_t tally_symbols_generation(const struct tally_symbols *symbols);

#endif
