/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a JIT compiler, read incrementally as it grows, or from the start if another file
 * replaced it. */
#ifndef TALLY_SYMBOLS_JIT_FILE_H
#define TALLY_SYMBOLS_JIT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "symbols/jit.h"

enum { TALLY_JIT_TAIL = 64 };

/* All zero: nothing was read yet. */
struct tally_jit_file {
	struct tally_jit made;
	dev_t dev;
	ino_t ino;
	uint64_t size;                /* at the last check */
	uint64_t read;                /* bytes of it that were read */
	uint64_t changes;             /* how often the code changed */
	uint64_t total;               /* bytes read from all files */
	uint8_t tail[TALLY_JIT_TAIL]; /* last bytes that were read */
	size_t tail_len;
};

/* Options for reading a file. */
struct tally_jit_reading {
	bool is_dump;  /* as in jitdump.h, else as in perfmap.h */
	bool is_final; /* no process writes any more: the last line is complete */
	bool is_same;  /* reject a file other than the one read so far */
	/* Called when the first bytes of a file were parsed; a nonzero result rejects the file. */
	int (*check)(void *arg, const struct tally_jit *made);
	void *arg;
	uint64_t most; /* maximum number of new bytes */
};

/* Read the new part of the open file. Returns 0; -ENODATA if there is no code in it; -EBADMSG if it
 * is not such a file; -ESTALE if it is another file and that is rejected; -EFBIG if there are more
 * than `most` new bytes; -ENOMEM; the result of `check`; or the error of pread(2). */
int tally_jit_file_read(struct tally_jit_file *file, const struct tally_jit_reading *reading,
			int fd);

#endif
