/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a program's file that the program moved to anonymous memory at the same addresses, to get
 * huge pages (hugify, iodlr). The symbols and unwind rules of the file are valid there. */
#ifndef TALLY_PROFILE_MACHINE_MOVED_H
#define TALLY_PROFILE_MACHINE_MOVED_H

#include "abi/abi_record.h"
#include "profile/machine.h"

/* Record the file that was mapped first with execute permission: the program. */
void machine_moved_set_program(struct tally_process *process, const struct tally_mapping *mapping);

/* Let a mapping that is not in the maps yet use the file's DSO if it is memory that replaces the
 * program's code. The DSO it had before is searched for symbols first (see machine_moved_key()). */
void machine_moved_assign(struct tally_process *process, const struct tally_mmap *mmap,
			  struct tally_mapping *mapping);

/* Compute the location key (one word or three) of an address in moved code that has a symbol in the
 * JIT map. `mapping` is the mapping there, or NULL. Returns the number of words, or 0 if there is
 * no symbol. */
int machine_moved_key(const struct tally_process *process, const struct tally_mapping *mapping,
		      uint64_t ip, uint64_t *ret_key);

#endif
