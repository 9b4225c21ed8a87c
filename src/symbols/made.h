/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that JIT compilers make: beside names (symbols.h), what was where at which time.
 *
 * The maps and dumps that compilers write are read at the first look-up. A dump's code is a DSO of
 * its own, TALLY_DSO_JITDUMP, whose addresses are offsets in the dump, where the code's bytes are:
 * what an address in memory is there depends on the time, and is asked for first.
 */
#ifndef TALLY_SYMBOLS_MADE_H
#define TALLY_SYMBOLS_MADE_H

#include "symbols/symbols.h"

/* JITDUMP: the place of `addr` in the code that was there at `time`, ns of CLOCK_MONOTONIC, or last
 * of all with TALLY_TIME_UNKNOWN. False if there was none. */
#define TALLY_TIME_UNKNOWN UINT64_MAX
bool tally_dso_find_place(struct tally_dso *dso, uint64_t addr, uint64_t time, uint64_t *ret_place);

/* JIT compilers go on while it is looked at what they made. Their files are read again where a
 * look-up finds nothing in them, but not all the time; and by this call all of those that grew. */
void tally_symbols_look_again(struct tally_symbols *symbols);

/* Changes whenever that brought something: an address that was looked up before may be something
 * else then. */
uint64_t tally_symbols_generation(const struct tally_symbols *symbols);

#endif
