/* SPDX-License-Identifier: BSD-2-Clause */
/* Compile a file's call frame information into a table of rules. The bytes are untrusted, so time
 * and memory are limited in proportion to their number. */
#ifndef TALLY_UNWIND_COMPILE_H
#define TALLY_UNWIND_COMPILE_H

#include "unwind/cfi.h"

/* Executable segment of the file, from its program headers. */
struct tally_unwind_segment {
	uint64_t vaddr, size, offset;
};

/* Readable part of a segment. Only large holes in the file are left out. */
struct tally_unwind_piece {
	uint64_t offset, size;
	const uint8_t *data; /* `size` bytes */
};

/* Section of stubs that jump to functions in other files (.plt etc.). */
struct tally_unwind_stubs {
	uint64_t vaddr, size;
};

struct tally_unwind_source {
	uint16_t machine; /* EM_* */
	bool swap;        /* not in host byte order */
	const struct tally_unwind_segment *segments;
	size_t nr_segments;
	const struct tally_unwind_piece *code;
	size_t nr_code;
	/* Sections in order of precedence. */
	const struct tally_cfi_section *sections;
	size_t nr_sections;
	const struct tally_unwind_stubs *stubs;
	size_t nr_stubs;
	uint64_t entry; /* address of the entry point, or 0 */
	/* Find only the functions, not their rules, which is much faster: the table is only for
	 * tally_unwind_table_function(). */
	bool functions_only;
};

/* Compile `source` into the block of a table (unwind_table.h), which the caller frees. Return 0,
 * -ENODATA if the source has no rules, -ENOTSUP if the machine is neither x86-64 nor AArch64, or
 * -ENOMEM. */
int tally_unwind_compile(const struct tally_unwind_source *source, void **ret_bytes,
			 size_t *ret_len);

#endif
