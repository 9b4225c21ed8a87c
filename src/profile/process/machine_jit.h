/* SPDX-License-Identifier: BSD-2-Clause */
/* Location keys for JIT code, and the mappings that announce it. */
#ifndef TALLY_PROFILE_PROCESS_MACHINE_JIT_H
#define TALLY_PROFILE_PROCESS_MACHINE_JIT_H

#include "abi/abi_record.h"
#include "profile/process/machine.h"

/* Return the kind of object that a user-space mapping names. */
enum tally_dso_kind machine_user_kind(const struct tally_mmap *mmap);

/* Compute the location key (one word or three) of a code address described by the process's
 * jitdump. `mapping` is the mapping at that address, or NULL. Returns the number of words, or 0 if
 * the dump has no code at that address. */
int machine_jit_key(const struct tally_machine *machine, struct tally_dso *jit,
		    const struct tally_mapping *mapping, uint64_t ip, uint64_t *ret_key);

/* Set the location key (one or three words) for an offset in a jitdump, or for an address in a perf
 * map. Returns the number of words. */
int machine_key_set_jit(const struct tally_dso *made, uint64_t place, uint64_t *ret_key);

/* Upper limit for DSO numbers in location keys. Higher values are used for TALLY_LOCATION_KEY_CUT
 * and odd keys. */
enum { KEY_DSOS = 0x7ffd };
#define KEY_ODD ((uint64_t)0x7fff << TALLY_LOCATION_KEY_BITS)

/* Set a three-word location key for an address in a DSO, or in no DSO if `dso` is NULL. */
static inline int machine_key_set_odd(uint8_t cpumode, const struct tally_dso *dso, uint64_t addr,
				      uint64_t *ret_key)
{
	ret_key[0] = KEY_ODD | cpumode;
	ret_key[1] = (uintptr_t)dso;
	ret_key[2] = addr;
	return 3;
}

#endif
