/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/sharing/sharing_counts.h"

#include "base/arith.h"
#include "tally/abi.h"

/* Bits of the fields of perf_mem_data_src; source: linux/perf_event.h. */
enum { OP_LOAD = 2, OP_STORE = 4, LOCK_LOCKED = 2, BLOCK_DATA = 2, BLOCK_ADDRESS = 4 };
enum { SNOOP_HIT = 4, SNOOP_HITM = 16, SNOOPX_PEER = 2 };
enum {
	LEVEL_NONE = 1,
	LEVEL_HIT = 2,
	LEVEL_MISS = 4,
	LEVEL_L1 = 8,
	LEVEL_FILL_BUFFER = 0x10,
	LEVEL_L2 = 0x20,
	LEVEL_L3 = 0x40,
	LEVEL_LOCAL_RAM = 0x80,
	LEVEL_REMOTE_RAM = 0x300,
	LEVEL_REMOTE_CACHE = 0xc00,
	LEVEL_IO = 0x1000,
	LEVEL_UNCACHED = 0x2000,
};

static void count(struct tally_sharing_counts *counts, enum tally_sharing_count what)
{
	counts->nr[what]++;
}

static void count_dram(struct tally_sharing_counts *counts, union perf_mem_data_src source,
		       enum tally_sharing_count what)
{
	count(counts, what);
	count(counts,
	      source.mem_snoop & SNOOP_HIT ? TALLY_SHARING_SHARED : TALLY_SHARING_EXCLUSIVE);
}

/* Count a load that hit the local cache levels or memory. */
static void count_hit(struct tally_sharing_counts *counts, union perf_mem_data_src source,
		      bool is_remote)
{
	static const struct {
		uint64_t level;
		enum tally_sharing_count what;
	} levels[] = {
		{LEVEL_UNCACHED, TALLY_SHARING_LOAD_UNCACHED},
		{LEVEL_IO, TALLY_SHARING_LOAD_IO},
		{LEVEL_FILL_BUFFER, TALLY_SHARING_FILL_BUFFER},
		{LEVEL_L1, TALLY_SHARING_L1},
		{LEVEL_L2, TALLY_SHARING_L2},
	};
	bool is_hitm = source.mem_snoop & SNOOP_HITM;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(levels); i++)
		if (source.mem_lvl & levels[i].level)
			count(counts, levels[i].what);
	if (source.mem_lvl & LEVEL_L3)
		count(counts, is_hitm ? TALLY_SHARING_LOCAL_HITM : TALLY_SHARING_LLC);
	for (uint64_t level = LEVEL_L2; level <= LEVEL_L3; level <<= 1)
		if (source.mem_lvl & level && source.mem_snoopx & SNOOPX_PEER)
			count(counts, TALLY_SHARING_LOCAL_PEER);
	if (source.mem_lvl & LEVEL_LOCAL_RAM)
		count_dram(counts, source, TALLY_SHARING_LOCAL_DRAM);
	if (source.mem_lvl & LEVEL_REMOTE_RAM || is_remote)
		count_dram(counts, source, TALLY_SHARING_REMOTE_DRAM);
}

static void count_load(struct tally_sharing_counts *counts, union perf_mem_data_src source)
{
	/* With hops, "remote" may be another core of the same node. */
	bool is_remote = source.mem_remote && !source.mem_hops;

	if (source.mem_lvl & LEVEL_HIT)
		count_hit(counts, source, is_remote);
	if (source.mem_lvl & LEVEL_REMOTE_CACHE || is_remote) {
		if (source.mem_snoop & SNOOP_HIT)
			count(counts, TALLY_SHARING_REMOTE_HIT);
		else if (source.mem_snoop & SNOOP_HITM)
			count(counts, TALLY_SHARING_REMOTE_HITM);
		else if (source.mem_snoopx & SNOOPX_PEER) {
			count(counts, TALLY_SHARING_REMOTE_HIT);
			count(counts, TALLY_SHARING_REMOTE_PEER);
		}
	}
	if (source.mem_lvl & LEVEL_MISS)
		count(counts, TALLY_SHARING_LOAD_MISS);
}

static void count_store(struct tally_sharing_counts *counts, union perf_mem_data_src source)
{
	if (source.mem_lvl & LEVEL_HIT) {
		if (source.mem_lvl & LEVEL_UNCACHED)
			count(counts, TALLY_SHARING_STORE_UNCACHED);
		if (source.mem_lvl & LEVEL_L1)
			count(counts, TALLY_SHARING_STORE_L1_HIT);
	}
	if (source.mem_lvl & LEVEL_MISS && source.mem_lvl & LEVEL_L1)
		count(counts, TALLY_SHARING_STORE_L1_MISS);
	if (source.mem_lvl & LEVEL_NONE)
		count(counts, TALLY_SHARING_STORE_NO_LEVEL);
}

void tally_sharing_count(struct tally_sharing_counts *counts, uint64_t data_src, uint64_t addr,
			 bool is_mapped)
{
	union perf_mem_data_src source = {.val = data_src};
	bool is_load = source.mem_op & OP_LOAD;

	count(counts, TALLY_SHARING_RECORDS);
	if (source.mem_lock & LOCK_LOCKED)
		count(counts, TALLY_SHARING_LOCKED);
	if (source.mem_blk & BLOCK_DATA)
		count(counts, TALLY_SHARING_BLOCKED_DATA);
	if (source.mem_blk & BLOCK_ADDRESS)
		count(counts, TALLY_SHARING_BLOCKED_ADDRESS);
	if (!is_load && !(source.mem_op & OP_STORE)) {
		count(counts, TALLY_SHARING_UNKNOWN);
		return;
	}
	count(counts, is_load ? TALLY_SHARING_LOADS : TALLY_SHARING_STORES);
	if (!addr) {
		count(counts,
		      is_load ? TALLY_SHARING_LOAD_NO_ADDRESS : TALLY_SHARING_STORE_NO_ADDRESS);
		return;
	}
	if (is_load)
		count_load(counts, source);
	else
		count_store(counts, source);
	if (!is_mapped)
		count(counts, TALLY_SHARING_UNMAPPED);
}

void tally_sharing_add(struct tally_sharing_counts *to, const struct tally_sharing_counts *from)
{
	for (int i = 0; i < TALLY_SHARING_COUNTS; i++)
		to->nr[i] += from->nr[i];
}

/* ---- sums --------------------------------------------------------------------------- */

uint64_t tally_sharing_hitm(const struct tally_sharing_counts *counts)
{
	return counts->nr[TALLY_SHARING_LOCAL_HITM] + counts->nr[TALLY_SHARING_REMOTE_HITM];
}

uint64_t tally_sharing_peer(const struct tally_sharing_counts *counts)
{
	return counts->nr[TALLY_SHARING_LOCAL_PEER] + counts->nr[TALLY_SHARING_REMOTE_PEER];
}

uint64_t tally_sharing_llc_misses(const struct tally_sharing_counts *counts)
{
	return counts->nr[TALLY_SHARING_LOCAL_DRAM] + counts->nr[TALLY_SHARING_REMOTE_DRAM] +
	       counts->nr[TALLY_SHARING_REMOTE_HIT] + counts->nr[TALLY_SHARING_REMOTE_HITM];
}

uint64_t tally_sharing_loads(const struct tally_sharing_counts *counts)
{
	return tally_sharing_llc_misses(counts) + counts->nr[TALLY_SHARING_FILL_BUFFER] +
	       counts->nr[TALLY_SHARING_L1] + counts->nr[TALLY_SHARING_L2] +
	       counts->nr[TALLY_SHARING_LLC] + counts->nr[TALLY_SHARING_LOCAL_HITM];
}

uint64_t tally_sharing_records(const struct tally_sharing_counts *counts)
{
	return tally_sharing_loads(counts) + counts->nr[TALLY_SHARING_STORE_L1_HIT] +
	       counts->nr[TALLY_SHARING_STORE_L1_MISS] + counts->nr[TALLY_SHARING_STORE_NO_LEVEL];
}
