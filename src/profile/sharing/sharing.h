/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cache lines that several CPUs access: the memory accesses in a recording, summed by cache line,
 * and for each line by offset and code. Memory use grows with the number of distinct sites.
 */
#ifndef TALLY_PROFILE_SHARING_H
#define TALLY_PROFILE_SHARING_H

#include "base/intern.h"
#include "base/vec.h"
#include "profile/sharing/sharing_counts.h"

/* Properties that distinguish the sites of a cache line, in addition to the offset. */
enum {
	TALLY_SHARING_BY_PID = 1 << 0,
	TALLY_SHARING_BY_TID = 1 << 1,
	TALLY_SHARING_BY_CODE = 1 << 2, /* address of the instruction */
	TALLY_SHARING_BY_FILE = 1 << 3, /* file of the instruction */
};

/* Sum of the weights (latencies) of accesses. */
struct tally_sharing_cost {
	uint64_t sum, nr;
};

enum tally_sharing_kind {
	TALLY_SHARING_COST_REMOTE_HITM,
	TALLY_SHARING_COST_LOCAL_HITM,
	TALLY_SHARING_COST_REMOTE_PEER,
	TALLY_SHARING_COST_LOCAL_PEER,
	TALLY_SHARING_COST_LOAD, /* other loads */
	TALLY_SHARING_COSTS,
};

/* Pages of physical memory that were accessed. `changes` counts how often the physical address
 * differed from that of the access before it. */
struct tally_sharing_memory {
	uint64_t last, changes;
};

struct tally_sharing_line {
	uint64_t address; /* of the line, as in the first access */
	struct tally_sharing_counts counts;
	struct tally_sharing_memory memory;
	uint32_t first; /* index + 1 of the line's first site, in no order */
};

struct tally_sharing_site {
	uint32_t line, next;  /* next: index + 1 of the line's next site, or 0 */
	uint64_t address, ip; /* of the data and of the code, as in the first access */
	int32_t pid, tid;
	uint32_t comm;         /* number in tally_machine_comms() */
	struct tally_dso *dso; /* of the code, or NULL */
	const struct tally_symbol *symbol;
	uint64_t code; /* address of the code in its DSO */
	uint8_t cpumode;
	struct tally_sharing_counts counts;
	struct tally_sharing_cost costs[TALLY_SHARING_COSTS];
	struct tally_sharing_memory memory;
	uint32_t first_cpu; /* index + 1 of the site's first CPU, in no order */
	uint32_t nr_cpus;
};

/* A CPU that accessed a site. */
struct tally_sharing_cpu {
	uint32_t cpu, next; /* next: index + 1, or 0 */
	uint64_t hitms, stores;
};

/* A zero-initialised structure with a line size is empty. */
struct tally_sharing {
	uint64_t line_size;
	unsigned by; /* TALLY_SHARING_BY_* */
	struct tally_sharing_counts total;
	TALLY_VEC(struct tally_sharing_line) lines;
	TALLY_VEC(struct tally_sharing_site) sites;
	TALLY_VEC(struct tally_sharing_cpu) cpus;
	struct tally_intern line_keys, site_keys, cpu_keys;
};

/* Add the access of a sample that has a data source. Returns 0 or -ENOMEM. */
int tally_sharing_add_sample(struct tally_sharing *sharing, struct tally_machine *machine,
			     const struct tally_feed_sample *sample);

void tally_sharing_free(struct tally_sharing *sharing);

#endif
