/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches of CPUs. */
#ifndef TALLY_CLIENT_TOPOLOGY_H
#define TALLY_CLIENT_TOPOLOGY_H

#include "tally/client.h"

/* A cache that contains data. */
struct tally_cpu_cache {
	int32_t level;     /* 1 for L1 */
	int32_t first_cpu; /* lowest number among the CPUs that share the cache */
};

/* Find the CPU's cache at this level, or at its highest level if `level` is 0, in sysfs. If `sysfs`
 * is NULL, /sys is used. Return 0, or -ENOENT if sysfs has no such cache. */
int tally_cpu_cache(const char *sysfs, struct tally_cpu cpu, int32_t level,
		    struct tally_cpu_cache *ret_cache);

#endif
