/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a program's file that the program moved to memory without a file, at the same addresses:
 * to huge pages (hugify, iodlr). The file's names and unwind rules hold there. */
#ifndef TALLY_PROFILE_MACHINE_MOVED_H
#define TALLY_PROFILE_MACHINE_MOVED_H

#include "abi/record.h"
#include "profile/machine.h"

/* Note which file was mapped first to be executed: the program. */
void machine_moved_note(struct tally_process *process, const struct tally_mapping *mapping);

/* If a mapping, which is not in the maps yet, is memory that replaces the program's code, give it
 * the file's DSO; the DSO that it had is asked for names first (see machine_moved_key()). */
void machine_moved_take(struct tally_process *process, const struct tally_mmap *mmap,
			struct tally_mapping *mapping);

/* The location key, of one word or three, of an address in moved code that the map of a JIT
 * compiler names; `mapping` is where it is mapped, or NULL. 0 if there is none. */
int machine_moved_key(const struct tally_process *process, const struct tally_mapping *mapping,
		      uint64_t ip, uint64_t *ret_key);

#endif
