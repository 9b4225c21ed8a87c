/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a file says of its frames to a table of rules. Hostile bytes: time and memory are
 * bounded by their number. */
#ifndef TALLY_UNWIND_COMPILE_H
#define TALLY_UNWIND_COMPILE_H

#include "unwind/cfi.h"

/* An executable segment of the file, from its program headers. */
struct tally_unwind_segment {
	uint64_t vaddr, size, offset;
};

/* Bytes of a segment that are read: all of them, except large holes of the file. */
struct tally_unwind_piece {
	uint64_t offset, size;
	const uint8_t *data; /* `size` bytes */
};

/* A section of stubs that jump to functions of other files (.plt and the like). */
struct tally_unwind_stubs {
	uint64_t vaddr, size;
};

struct tally_unwind_source {
	uint16_t machine; /* EM_* */
	bool swap;        /* of the other byte order than the host */
	const struct tally_unwind_segment *segments;
	size_t nr_segments;
	const struct tally_unwind_piece *code;
	size_t nr_code;
	/* In the order in which they are believed. */
	const struct tally_cfi_section *sections;
	size_t nr_sections;
	const struct tally_unwind_stubs *stubs;
	size_t nr_stubs;
	uint64_t entry; /* where the program starts; 0: it does not */
};

/* Compile all that `source` says into the block of a table (table.h), which the caller frees. 0;
 * -ENODATA if it says nothing; -ENOTSUP for another machine than x86-64 and AArch64; -ENOMEM. */
int tally_unwind_compile(const struct tally_unwind_source *source, void **ret_bytes,
			 size_t *ret_len);

#endif
