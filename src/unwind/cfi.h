/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of .eh_frame and .debug_frame: the code range that each entry describes, and its
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
	const uint8_t *data; /* NULL if there is no such section */
	size_t len;
	uint64_t vaddr; /* address of the first byte */
	bool is_debug;  /* true for .debug_frame, false for .eh_frame */
	bool is_open;   /* length is unknown; an entry of length 0 ends the section */
	bool swap;      /* not in host byte order */
};

struct tally_cfi_program {
	const uint8_t *code;
	size_t len;
};

/* Common information entry (CIE), shared by the entries of many functions. */
struct tally_cfi_common {
	uint64_t at; /* offset in the section */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;      /* register number of the return address */
	uint8_t encoding; /* address encoding */
	bool has_augmentation;
	bool is_signal; /* covers trampolines, to which signal handlers return */
	struct tally_cfi_program start;
};

/* Frame description entry (FDE) for one range of code. */
struct tally_cfi_entry {
	struct tally_cfi_common common;
	uint64_t start, size; /* virtual addresses */
	struct tally_cfi_program program;
};

struct tally_cfi_walk {
	struct tally_cfi_section section;
	uint64_t at;                    /* offset of the next entry */
	unsigned nr_empty;              /* number of zero lengths directly before `at` */
	struct tally_cfi_common common; /* CIE of the last entry */
	bool has_common;
};

/* Return the next entry, skipping entries that cannot be parsed. More than 16 consecutive zero
 * lengths end the section: linkers leave only single zero lengths between entries, while a hole in
 * the file consists of zeros. Return 1, 0 at the end, or -EINVAL if the section is so damaged that
 * the remaining entries cannot be found. */
int tally_cfi_next(struct tally_cfi_walk *walk, struct tally_cfi_entry *ret_entry);

/* Read an address in `encoding` (DW_EH_PE_*). `vaddr` is the virtual address of its bytes. Return
 * false if the encoding is unknown. */
bool tally_cfi_address(struct tally_bytes_reader *bytes, uint8_t encoding, uint64_t vaddr,
		       uint64_t *ret_address);

#endif
