/* SPDX-License-Identifier: BSD-2-Clause */
/* File written by a JIT compiler. It is read incrementally as it grows, or from the start if
 * another file has replaced it. */
#ifndef TALLY_SYMBOLS_JIT_JIT_FILE_H
#define TALLY_SYMBOLS_JIT_JIT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "symbols/jit/jit.h"

enum { TALLY_JIT_TAIL = 64 };

/* All-zero until the first read. */
struct tally_jit_file {
	struct tally_jit made;
	dev_t dev;
	ino_t ino;
	uint64_t size;                /* file size at the last check */
	uint64_t read;                /* bytes read from the current file */
	uint64_t changes;             /* number of times the code changed */
	uint64_t total;               /* bytes read from all files */
	uint8_t tail[TALLY_JIT_TAIL]; /* the last bytes read so far */
	size_t tail_len;
};

/* Options for reading a file. */
struct tally_jit_reading {
	bool is_dump;  /* jitdump.h format; otherwise perfmap.h */
	bool is_final; /* no process is writing to the file, so the last line is complete */
	bool is_same;  /* reject a file other than the one read so far */
	/* Called after parsing the first bytes of a file. A nonzero result rejects the file. */
	int (*check)(void *arg, const struct tally_jit *made);
	void *arg;
	uint64_t most; /* maximum number of new bytes */
};

/* Read the new part of the open file. Returns 0; -ENODATA if the file contains no code; -EBADMSG if
 * it does not have the expected format; -ESTALE if it is another file and `is_same` is set; -EFBIG
 * if there are more than `most` new bytes; -ENOMEM; the result of `check`; or the error from
 * pread(2). */
int tally_jit_file_read(struct tally_jit_file *file, const struct tally_jit_reading *reading,
			int fd);

#endif
