/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of .eh_frame and .debug_frame: the range of code that each describes, and its
 * instructions. The bytes are untrusted; nothing is allocated or copied.
 *
 * Sources: DWARF 5, 6.4.1; "Linux Standard Base Core", 10.6 (.eh_frame, augmentations, pointer
 * encodings).
 *
 * Not supported: 32-bit addresses, entries with a segment selector, encodings relative to data,
 * text or a function.
 */
#ifndef TALLY_UNWIND_CFI_H
#define TALLY_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/bytes.h"

struct tally_cfi_section {
	const uint8_t *data; /* NULL: no such section */
	size_t len;
	uint64_t vaddr; /* address of the first byte */
	bool is_debug;  /* .debug_frame, otherwise .eh_frame */
	bool is_open;   /* length unknown: an entry of length 0 is the end */
	bool swap;      /* in the other byte order */
};

struct tally_cfi_program {
	const uint8_t *code;
	size_t len;
};

/* A common information entry (CIE), shared by the entries of many functions. */
struct tally_cfi_common {
	uint64_t at; /* offset in the section */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;      /* register number of the return address */
	uint8_t encoding; /* encoding of addresses */
	bool has_augmentation;
	bool is_signal; /* signal handlers return to its functions */
	struct tally_cfi_program start;
};

/* A frame description entry (FDE): one range of code. */
struct tally_cfi_entry {
	struct tally_cfi_common common;
	uint64_t start, size; /* virtual addresses */
	struct tally_cfi_program program;
};

struct tally_cfi_walk {
	struct tally_cfi_section section;
	uint64_t at;                    /* offset of the next entry */
	unsigned nr_empty;              /* consecutive lengths of 0 before it */
	struct tally_cfi_common common; /* CIE of the last entry */
	bool has_common;
};

/* Return the next entry; entries that are not understood are skipped. More than 16 consecutive
 * lengths of 0 are the end: linkers leave single ones in between, and a hole in the file has
 * nothing else. Return 1, 0 at the end, or -EINVAL if the section is broken, so that the rest
 * cannot be parsed. */
int tally_cfi_next(struct tally_cfi_walk *walk, struct tally_cfi_entry *ret_entry);

/* Read an address in `encoding` (DW_EH_PE_*). `vaddr` is the virtual address of its bytes. Return
 * false if the encoding is not known. */
bool tally_cfi_address(struct tally_bytes_reader *bytes, uint8_t encoding, uint64_t vaddr,
		       uint64_t *ret_address);

#endif
