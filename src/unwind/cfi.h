/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of .eh_frame and .debug_frame: which stretch of code each describes, and the
 * instructions that say how. Hostile bytes; nothing is allocated or copied.
 *
 * Sources: DWARF 5, 6.4.1; "Linux Standard Base Core", 10.6 (.eh_frame, augmentations, pointer
 * encodings).
 *
 * It does not: 32-bit addresses, entries with a segment selector, encodings relative to data,
 * text or a function.
 */
#ifndef TALLY_UNWIND_CFI_H
#define TALLY_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/bytes.h"

struct tally_cfi_section {
	const uint8_t *data; /* NULL: there is none */
	size_t len;
	uint64_t vaddr; /* of its first byte */
	bool is_debug;  /* .debug_frame, otherwise .eh_frame */
	bool is_open;   /* its length is not known: a length of 0 is its end */
	bool swap;      /* of the other byte order */
};

struct tally_cfi_program {
	const uint8_t *code;
	size_t len;
};

/* What the entries of many functions have in common. */
struct tally_cfi_common {
	uint64_t at; /* its place in the section */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;      /* the register that stands for the return address */
	uint8_t encoding; /* of addresses */
	bool has_augmentation;
	bool is_signal; /* its functions are what a signal handler returns to */
	struct tally_cfi_program start;
};

/* One stretch of code. */
struct tally_cfi_entry {
	struct tally_cfi_common common;
	uint64_t start, size; /* virtual addresses */
	struct tally_cfi_program program;
};

struct tally_cfi_walk {
	struct tally_cfi_section section;
	uint64_t at;                    /* the next entry */
	unsigned nr_empty;              /* lengths of 0 before it */
	struct tally_cfi_common common; /* of the last one */
	bool has_common;
};

/* The next entry; entries that are not understood are passed over. More than 16 lengths of 0 after
 * another are the end: linkers leave one in between, and a hole of the file is nothing else. 1; 0
 * at the end; -EINVAL where the section is broken, so that nothing behind can be found. */
int tally_cfi_next(struct tally_cfi_walk *walk, struct tally_cfi_entry *ret_entry);

/* Read an address in `encoding` (DW_EH_PE_*); `vaddr` is that of the byte where it lies. False for
 * an encoding that is not known. */
bool tally_cfi_address(struct tally_bytes_reader *bytes, uint8_t encoding, uint64_t vaddr,
		       uint64_t *ret_address);

#endif
