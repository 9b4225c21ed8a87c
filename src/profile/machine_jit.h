/* SPDX-License-Identifier: BSD-2-Clause */
/* Location keys of code that programs make while they run, and what tells of it. */
#ifndef TALLY_PROFILE_MACHINE_JIT_H
#define TALLY_PROFILE_MACHINE_JIT_H

#include "abi/record.h"
#include "profile/machine.h"

/* The kind of the object that a map of user space names. */
enum tally_dso_kind machine_user_kind(const struct tally_mmap *mmap);

/* The location key, of one word or three, of an address whose code the dump of the process has;
 * `mapping` is where it is mapped, or NULL. 0 if the dump has none there. */
int machine_jit_key(const struct tally_machine *machine, struct tally_dso *jit,
		    const struct tally_mapping *mapping, uint64_t ip, uint64_t *ret_key);

/* The location key, of one word or three, of a place in such a dump, or an address in a map. */
int machine_key_set_made(const struct tally_dso *made, uint64_t place, uint64_t *ret_key);

/* Numbers of DSOs in location keys are less; above are TALLY_LOCATION_KEY_CUT and odd ones. */
enum { KEY_DSOS = 0x7ffd };
#define KEY_ODD ((uint64_t)0x7fff << TALLY_LOCATION_KEY_BITS)

/* The location key of three words: of an address in a DSO, or NULL for none. */
static inline int machine_key_set_odd(uint8_t cpumode, const struct tally_dso *dso, uint64_t addr,
				      uint64_t *ret_key)
{
	ret_key[0] = KEY_ODD | cpumode;
	ret_key[1] = (uintptr_t)dso;
	ret_key[2] = addr;
	return 3;
}

#endif
