/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit-PID.dump, what JIT compilers write: a header, then records of code that was made (its name,
 * address and bytes) or moved, of its lines, and what is not read here: how to unwind it. Each has
 * the time at which it was written. The header's magic number tells the byte order.
 */
#ifndef TALLY_SYMBOLS_JITDUMP_H
#define TALLY_SYMBOLS_JITDUMP_H

#include "base/error.h"
#include "symbols/jit.h"

/* What the header says. */
struct tally_jitdump_header {
	uint32_t pid;        /* in the innermost pid namespace of the process */
	uint16_t machine;    /* EM_... that the code is for */
	bool has_arch_clock; /* times are not of CLOCK_MONOTONIC, but of a counter of the CPU */
};

/* Take whole records out of `len` bytes at `offset` of a dump, 0 for the first ones; `*ret_used` is
 * how many bytes need not come again. What is no record ends the dump: all bytes are used, and no
 * more are looked at. Records that make no sense are left out and counted in `jit`, and `err` (may
 * be NULL) speaks of the first. Copies what it keeps. 0; -ENODATA while the header is not all
 * there; -EBADMSG for another file; -ENOMEM. */
int tally_jitdump_parse(const uint8_t *data, size_t len, uint64_t offset, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err);

/* What the header said, once tally_jitdump_parse() was told of it; NULL before. */
const struct tally_jitdump_header *tally_jitdump_header(const struct tally_jit *jit);

/* Free what only reading more of the dump needs. */
void tally_jitdump_end(struct tally_jit *jit);

#endif
