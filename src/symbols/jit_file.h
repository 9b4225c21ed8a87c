/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a JIT compiler, read on as it grows, or anew where another took its place. */
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
	uint64_t size;                /* at the last look */
	uint64_t read;                /* of it */
	uint64_t changes;             /* how often other code was there than before */
	uint64_t total;               /* of all files that were read */
	uint8_t tail[TALLY_JIT_TAIL]; /* the last of what was read */
	size_t tail_len;
};

/* How a file is read. */
struct tally_jit_reading {
	bool is_dump;  /* jitdump.h, else perfmap.h */
	bool is_final; /* nobody writes any more: what comes last is whole */
	bool is_same;  /* another file than was read so far is refused */
	/* Asked when the first bytes of a file were parsed; not 0 refuses it. */
	int (*check)(void *arg, const struct tally_jit *made);
	void *arg;
	uint64_t most; /* bytes, not to be read beyond */
};

/* Read what is new in the open file. 0; -ENODATA where there is no code in it; -EBADMSG of what is
 * no such file; -ESTALE of another file, if that is refused; -EFBIG of more than `most`; -ENOMEM;
 * what `check` returned; or the error of pread(2). */
int tally_jit_file_read(struct tally_jit_file *file, const struct tally_jit_reading *reading,
			int fd);

#endif
