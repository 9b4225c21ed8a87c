/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling thread's capabilities, read and written by number, without libcap. */
#ifndef TALLY_BASE_CAPABILITY_H
#define TALLY_BASE_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

/* Bit N is capability N. */
struct tally_capability_sets {
	uint64_t effective, permitted, inheritable;
};

/* Each returns 0 or the -errno from capget(2) or capset(2). */
int tally_capabilities_read(struct tally_capability_sets *ret_sets);
int tally_capabilities_write(const struct tally_capability_sets *sets);

/* Return true if the capability is in the effective set. */
bool tally_capability_is_effective(int capability);

#endif
