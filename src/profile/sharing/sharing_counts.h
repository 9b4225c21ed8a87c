/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory accesses, counted by the data sources of their samples. The rules are those of perf
 * c2c. */
#ifndef TALLY_PROFILE_SHARING_COUNTS_H
#define TALLY_PROFILE_SHARING_COUNTS_H

#include "profile/process/feed.h"

enum tally_sharing_count {
	TALLY_SHARING_RECORDS,
	TALLY_SHARING_LOCKED,
	TALLY_SHARING_STORES,
	TALLY_SHARING_STORE_UNCACHED,
	TALLY_SHARING_STORE_NO_ADDRESS,
	TALLY_SHARING_STORE_L1_HIT,
	TALLY_SHARING_STORE_L1_MISS,
	TALLY_SHARING_STORE_NO_LEVEL,
	TALLY_SHARING_LOADS,
	TALLY_SHARING_EXCLUSIVE,
	TALLY_SHARING_SHARED,
	TALLY_SHARING_LOAD_UNCACHED,
	TALLY_SHARING_LOAD_IO,
	TALLY_SHARING_LOAD_MISS,
	TALLY_SHARING_LOAD_NO_ADDRESS,
	TALLY_SHARING_FILL_BUFFER,
	TALLY_SHARING_L1,
	TALLY_SHARING_L2,
	TALLY_SHARING_LLC, /* without those that hit a modified line */
	TALLY_SHARING_LOCAL_HITM,
	TALLY_SHARING_REMOTE_HITM,
	TALLY_SHARING_LOCAL_PEER,
	TALLY_SHARING_REMOTE_PEER,
	TALLY_SHARING_REMOTE_HIT,
	TALLY_SHARING_LOCAL_DRAM,
	TALLY_SHARING_REMOTE_DRAM,
	TALLY_SHARING_BLOCKED_DATA,
	TALLY_SHARING_BLOCKED_ADDRESS,
	TALLY_SHARING_UNMAPPED,
	TALLY_SHARING_UNKNOWN, /* neither a load nor a store */
	TALLY_SHARING_COUNTS,
};

struct tally_sharing_counts {
	uint64_t nr[TALLY_SHARING_COUNTS];
};

/* Count an access. `is_mapped` is set if both its data and its code are in known mappings. */
void tally_sharing_count(struct tally_sharing_counts *counts, uint64_t data_src, uint64_t addr,
			 bool is_mapped);

/* Add counts to others. */
void tally_sharing_add(struct tally_sharing_counts *to, const struct tally_sharing_counts *from);

/* Return sums of counts: loads that hit a modified line (HITM), or a peer, here or on another node;
 * loads that missed the last-level cache; all loads, and all accesses, with a known source. */
uint64_t tally_sharing_hitm(const struct tally_sharing_counts *counts);
uint64_t tally_sharing_peer(const struct tally_sharing_counts *counts);
uint64_t tally_sharing_llc_misses(const struct tally_sharing_counts *counts);
uint64_t tally_sharing_loads(const struct tally_sharing_counts *counts);
uint64_t tally_sharing_records(const struct tally_sharing_counts *counts);

#endif
