/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit-PID.dump files, as written by JIT compilers: a header, then records. Records describe code
 * that was created (name, address and bytes) or moved, and the code's source lines. Records with
 * unwind information are ignored. Each record contains the time at which it was written. The
 * header's magic number determines the byte order.
 */
#ifndef TALLY_SYMBOLS_JIT_JITDUMP_H
#define TALLY_SYMBOLS_JIT_JITDUMP_H

#include "base/error.h"
#include "symbols/jit/jit.h"

/* Contents of the header. */
struct tally_jitdump_header {
	uint32_t pid;        /* process's pid in its innermost pid namespace */
	uint16_t machine;    /* EM_... machine of the code */
	bool has_arch_clock; /* timestamps are from a CPU counter, not from CLOCK_MONOTONIC */
};

/* Parse the complete records in the `len` bytes at `offset` in a dump. Start with offset 0.
 * `*ret_used` is the number of bytes that were consumed and must not be passed again. An invalid
 * record ends the dump: all bytes are consumed, and bytes passed later are ignored. Malformed
 * records are skipped and counted in `jit`; `err` (may be NULL) describes the first one. The bytes
 * are not referenced afterwards. Returns 0; -ENODATA if the header is incomplete; -EBADMSG if it is
 * another kind of file; or -ENOMEM. */
int tally_jitdump_parse(const uint8_t *data, size_t len, uint64_t offset, struct tally_jit *jit,
			size_t *ret_used, struct tally_error *err);

/* Return the header, or NULL if tally_jitdump_parse() has not read it yet. */
const struct tally_jitdump_header *tally_jitdump_header(const struct tally_jit *jit);

/* Free the state that is only needed to continue parsing the dump. */
void tally_jitdump_end(struct tally_jit *jit);

#endif
