/* SPDX-License-Identifier: BSD-2-Clause */
/* Code from a program's file that the program has moved to anonymous memory at the same addresses,
 * in order to use huge pages (hugify, iodlr). The file's symbols and unwind rules are valid for
 * this code. */
#ifndef TALLY_PROFILE_PROCESS_MACHINE_MOVED_H
#define TALLY_PROFILE_PROCESS_MACHINE_MOVED_H

#include "abi/abi_record.h"
#include "profile/process/machine.h"

/* Record the first file mapped with execute permission, which is the program. */
void machine_moved_set_program(struct tally_process *process, const struct tally_mapping *mapping);

/* Assign the file's DSO to a mapping that is not yet in the maps, if the mapping is memory that
 * replaces the program's code. The mapping's original DSO is searched for symbols first (see
 * machine_moved_key()). */
void machine_moved_assign(struct tally_process *process, const struct tally_mmap *mmap,
			  struct tally_mapping *mapping);

/* Compute the location key (one word or three) of an address in moved code that has a symbol in the
 * JIT map. `mapping` is the mapping at that address, or NULL. Returns the number of words, or 0 if
 * there is no symbol. */
int machine_moved_key(const struct tally_process *process, const struct tally_mapping *mapping,
		      uint64_t ip, uint64_t *ret_key);

#endif
