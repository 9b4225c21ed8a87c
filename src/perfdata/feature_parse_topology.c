/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsers for features about CPUs, nodes, caches and memory. */
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/env.h"

enum { TEXT = 4 }; /* minimum size of a string: its length field */

/* Layout: the sibling lists; the core and socket of each available CPU; in newer files, also the
 * die lists and the die of each CPU. Old files stop after the sibling lists, or after the core and
 * socket IDs. */
void tally_parse_cpu_topology(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = env->nr_cpus_avail;
	struct tally_perfdata_cpu *cpus;

	env->core_siblings = tally_parse_strings(in);
	env->thread_siblings = tally_parse_strings(in);
	if (in->failed || !nr || tally_feature_left(in) < 8 * (uint64_t)nr)
		return;
	cpus = tally_feature_array(in, nr, sizeof(*cpus), 8);
	for (uint32_t i = 0; cpus && i < nr; i++) {
		cpus[i].core_id = (int32_t)tally_feature_u32(in);
		cpus[i].socket_id = (int32_t)tally_feature_u32(in);
		cpus[i].die_id = -1;
	}
	env->cpus = cpus;
	env->nr_cpus = cpus ? nr : 0;
	if (!cpus || tally_feature_left(in) < TEXT)
		return;
	env->die_siblings = tally_parse_strings(in);
	if (in->failed || tally_feature_left(in) < 4 * (uint64_t)nr)
		return;
	for (uint32_t i = 0; i < nr; i++)
		cpus[i].die_id = (int32_t)tally_feature_u32(in);
}

void tally_parse_numa(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_node *nodes = tally_feature_array(in, nr, sizeof(*nodes), 20 + TEXT);

	for (uint32_t i = 0; nodes && i < nr; i++) {
		nodes[i].node = tally_feature_u32(in);
		nodes[i].mem_total_kb = tally_feature_u64(in);
		nodes[i].mem_free_kb = tally_feature_u64(in);
		nodes[i].cpus = tally_feature_string(in);
	}
	env->nodes = nodes;
	env->nr_nodes = nr;
}

void tally_parse_caches(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t version = tally_feature_u32(in), nr = tally_feature_u32(in);
	struct tally_perfdata_cache *caches =
		tally_feature_array(in, nr, sizeof(*caches), 16 + 3 * TEXT);

	for (uint32_t i = 0; caches && i < nr; i++) {
		caches[i].level = tally_feature_u32(in);
		caches[i].line_size = tally_feature_u32(in);
		caches[i].sets = tally_feature_u32(in);
		caches[i].ways = tally_feature_u32(in);
		caches[i].type = tally_feature_string(in);
		caches[i].size = tally_feature_string(in);
		caches[i].cpus = tally_feature_string(in);
	}
	env->caches = caches;
	env->nr_caches = nr;
	in->failed |= version != 1;
}

/* The bitmap consists of u64 words, which are unaligned in the file; swap them in a copy. */
static void parse_mem_node(struct tally_feature_bytes *in, struct tally_perfdata_mem_node *node)
{
	const uint8_t *bytes;
	uint8_t *copy;
	uint64_t words;

	node->node = tally_feature_u64(in);
	tally_feature_u64(in); /* number of blocks; same as the number of bits */
	node->nr_bits = tally_feature_u64(in);
	words = node->nr_bits / 64 + !!(node->nr_bits % 64);
	bytes = tally_feature_read(in, words > UINT32_MAX ? UINT64_MAX : 8 * words);
	copy = bytes && words ? tally_feature_alloc(in, 8 * words) : NULL;
	if (!copy)
		return;
	memcpy(copy, bytes, 8 * words);
	if (in->swap)
		tally_swap_u64s(copy, words);
	node->bits = (struct tally_perfdata_slice){copy, 8 * words};
}

void tally_parse_mem_topology(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint64_t version = tally_feature_u64(in), nr;
	struct tally_perfdata_mem_node *nodes;

	env->mem_block_size = tally_feature_u64(in);
	nr = tally_feature_u64(in);
	nodes = tally_feature_array(in, nr, sizeof(*nodes), 24);
	for (uint64_t i = 0; nodes && i < nr; i++)
		parse_mem_node(in, &nodes[i]);
	env->mem_nodes = nodes;
	env->nr_mem_nodes = (uint32_t)nr;
	in->failed |= version != 1;
}

void tally_parse_hybrid(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_hybrid *hybrid =
		tally_feature_array(in, nr, sizeof(*hybrid), 2 * TEXT);

	for (uint32_t i = 0; hybrid && i < nr; i++) {
		hybrid[i].pmu = tally_feature_string(in);
		hybrid[i].cpus = tally_feature_string(in);
	}
	env->hybrid = hybrid;
	env->nr_hybrid = nr;
}

/* Return the number of domains of all CPUs, or UINT32_MAX if they do not fit. Reads a copy of `in`,
 * up to its end. */
static uint32_t count_domains(struct tally_feature_bytes in)
{
	uint64_t total = 0;

	while (!in.failed && tally_feature_left(&in) >= 8) {
		uint32_t nr;

		tally_feature_u32(&in); /* the CPU */
		nr = tally_feature_u32(&in);
		total += nr;
		for (uint32_t i = 0; i < nr && !in.failed; i++) {
			tally_feature_u32(&in);
			for (int text = 0; text < 3; text++)
				tally_feature_read(&in, tally_feature_u32(&in));
		}
	}
	return in.failed ? UINT32_MAX : (uint32_t)total;
}

/* Layout: the version of schedstat and the most domains of a CPU; then for each CPU its number, the
 * number of its domains, and the domains. */
void tally_parse_domains(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	struct tally_perfdata_domain *domains;
	uint32_t at = 0, nr;

	env->schedstat_version = tally_feature_u32(in);
	env->max_domains = tally_feature_u32(in);
	nr = count_domains(*in);
	domains = tally_feature_array(in, nr, sizeof(*domains), 4 + 3 * TEXT);
	while (domains && !in->failed && tally_feature_left(in) >= 8) {
		uint32_t cpu = tally_feature_u32(in), of_cpu = tally_feature_u32(in);

		for (; of_cpu && at < nr && !in->failed; of_cpu--, at++) {
			domains[at].cpu = cpu;
			domains[at].domain = tally_feature_u32(in);
			domains[at].name = tally_feature_string(in);
			domains[at].mask = tally_feature_string(in);
			domains[at].list = tally_feature_string(in);
		}
	}
	env->domains = domains;
	env->nr_domains = domains ? nr : 0;
}

/* A range has 22 bytes, and may be padded to 24. */
void tally_parse_memory_ranges(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	enum { RANGE = 22, PADDED = 24 };
	uint32_t nr = tally_feature_u32(in);
	bool is_padded = tally_feature_left(in) >= (uint64_t)nr * PADDED;
	struct tally_perfdata_memory_range *ranges =
		tally_feature_array(in, nr, sizeof(*ranges), RANGE);

	for (uint32_t i = 0; ranges && i < nr; i++) {
		const uint8_t *regions;

		ranges[i].base = tally_feature_u64(in);
		ranges[i].length = tally_feature_u64(in);
		ranges[i].node = tally_feature_u32(in);
		regions = tally_feature_read(in, is_padded ? 4 : 2);
		ranges[i].local_region = regions ? regions[0] : 0;
		ranges[i].remote_region = regions ? regions[1] : 0;
	}
	env->memory_ranges = ranges;
	env->nr_memory_ranges = nr;
}
