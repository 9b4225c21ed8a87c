/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/header_machine.h"

#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"

/* ---- CPUs, nodes ------------------------------------------------------------- */

static void add_siblings(const char *label, const struct tally_perfdata_strings *strings,
			 struct tally_str *out)
{
	for (uint32_t i = 0; i < strings->nr; i++)
		tally_str_add_line(out, "# sibling %s : %s", label, strings->items[i]);
}

static void add_cpu(const struct tally_perfdata_env *env, uint32_t number, struct tally_str *out)
{
	const struct tally_perfdata_cpu *cpu = &env->cpus[number];

	if (cpu->core_id < 0)
		return;
	tally_str_addf(out, "# CPU %u: Core ID %d, ", number, cpu->core_id);
	if (env->die_siblings.nr)
		tally_str_addf(out, "Die ID %d, ", TALLY_MAX(cpu->die_id, 0));
	tally_str_addf(out, "Socket ID %d\n", cpu->socket_id);
}

void tally_header_topology(struct tally_session *session, const struct tally_perfdata_env *env,
			   struct tally_str *out)
{
	size_t before;

	add_siblings("sockets", &env->core_siblings, out);
	add_siblings("dies   ", &env->die_siblings, out);
	add_siblings("threads", &env->thread_siblings, out);
	before = out->len;
	for (uint32_t i = 0; i < env->nr_cpus; i++)
		add_cpu(env, i, out);
	if (out->len == before)
		tally_str_add(out, "# Core ID and Socket ID information is not available\n");
}

void tally_header_nodes(struct tally_session *session, const struct tally_perfdata_env *env,
			struct tally_str *out)
{
	for (uint32_t i = 0; i < env->nr_nodes; i++) {
		const struct tally_perfdata_node *node = &env->nodes[i];

		tally_str_add_line(
			out, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB",
			node->node, node->mem_total_kb, node->mem_free_kb);
		tally_str_add_line(out, "# node%u cpu list : %s", node->node, node->cpus);
	}
}

void tally_header_caches(struct tally_session *session, const struct tally_perfdata_env *env,
			 struct tally_str *out)
{
	tally_str_add(out, "# CPU cache info:\n");
	for (uint32_t i = 0; i < env->nr_caches; i++)
		tally_str_add_line(out, "#  L%u %-15s %8s [%s]", env->caches[i].level,
				   env->caches[i].type, env->caches[i].size, env->caches[i].cpus);
}

/* ---- memory -------------------------------------------------------------------- */

static bool has_block(const struct tally_perfdata_mem_node *node, uint64_t block)
{
	uint64_t word;

	if (block / 64 * 8 + 8 > node->bits.len)
		return false;
	memcpy(&word, node->bits.data + block / 64 * 8, sizeof(word));
	return word >> block % 64 & 1;
}

/* Append the numbers of the blocks that exist, as ranges. Returns the number of blocks. */
static uint64_t add_blocks(const struct tally_perfdata_mem_node *node, struct tally_str *out)
{
	uint64_t nr_bits = TALLY_MIN(node->nr_bits, node->bits.len * 8), nr = 0;
	const char *comma = "";

	for (uint64_t first = 0; first < nr_bits; first++) {
		uint64_t last = first;

		if (!has_block(node, first))
			continue;
		while (last + 1 < nr_bits && has_block(node, last + 1))
			last++;
		tally_str_addf(out, "%s%" PRIu64, comma, first);
		if (last > first)
			tally_str_addf(out, "-%" PRIu64, last);
		nr += last - first + 1;
		first = last;
		comma = ",";
	}
	return nr;
}

/* Append a size in the largest unit in which it is at least two, rounded down. */
static void add_size(uint64_t bytes, struct tally_str *out)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	for (; bytes / 1024 > 1 && units[unit + 1]; unit++)
		bytes /= 1024;
	tally_str_addf(out, "%" PRIu64 "%c", bytes, units[unit]);
}

void tally_header_memory(struct tally_session *session, const struct tally_perfdata_env *env,
			 struct tally_str *out)
{
	struct tally_str blocks = {0};

	tally_str_addf(out, "# memory nodes (nr %u, block size 0x%" PRIx64 "):\n",
		       env->nr_mem_nodes, env->mem_block_size);
	for (uint32_t i = 0; i < env->nr_mem_nodes; i++) {
		uint64_t nr, bytes;

		tally_str_clear(&blocks);
		nr = add_blocks(&env->mem_nodes[i], &blocks);
		if (__builtin_mul_overflow(env->mem_block_size, nr, &bytes))
			bytes = UINT64_MAX;
		tally_str_addf(out, "# %4" PRIu64 " [", env->mem_nodes[i].node);
		add_size(bytes, out);
		tally_str_addf(out, "]: %s\n", tally_str_text(&blocks));
	}
	out->failed |= blocks.failed;
	tally_str_free(&blocks);
}

/* ---- PMUs ------------------------------------------------------------------------ */

void tally_header_pmus(struct tally_session *session, const struct tally_perfdata_env *env,
		       struct tally_str *out)
{
	size_t start = out->len;

	tally_str_add(out, env->nr_pmus ? "# pmu mappings: " : "# pmu mappings: not available");
	for (uint32_t i = 0; i < env->nr_pmus; i++)
		tally_str_addf(out, "%s%s = %u", i ? ", " : "", env->pmus[i].name,
			       env->pmus[i].type);
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
}

static void add_caps(const char *pmu, const struct tally_perfdata_pmu_caps *caps,
		     struct tally_str *out)
{
	size_t start = out->len;

	tally_str_addf(out, "# %s pmu capabilities: %s", pmu, caps->nr ? "" : "not available");
	for (uint32_t i = 0; i < caps->nr; i++)
		tally_str_addf(out, "%s%s=%s", i ? ", " : "", caps->caps[i].name,
			       caps->caps[i].value);
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
}

/* The capabilities of CPU_PMU_CAPS follow those of PMU_CAPS. */
void tally_header_cpu_caps(struct tally_session *session, const struct tally_perfdata_env *env,
			   struct tally_str *out)
{
	if (env->nr_pmu_caps)
		add_caps("cpu", &env->pmu_caps[env->nr_pmu_caps - 1], out);
}

void tally_header_pmu_caps(struct tally_session *session, const struct tally_perfdata_env *env,
			   struct tally_str *out)
{
	bool has_cpu = tally_perfdata_env_has(env, TALLY_FEATURE_CPU_PMU_CAPS);

	for (uint32_t i = 0; i + has_cpu < env->nr_pmu_caps; i++)
		add_caps(env->pmu_caps[i].pmu, &env->pmu_caps[i], out);
}

void tally_header_hybrid(struct tally_session *session, const struct tally_perfdata_env *env,
			 struct tally_str *out)
{
	tally_str_add(out, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < env->nr_hybrid; i++)
		tally_str_add_line(out, "# %s cpu list : %s", env->hybrid[i].pmu,
				   env->hybrid[i].cpus);
}

/* ---- features of perf 7.0 and later ------------------------------------------------ */

void tally_header_elf(struct tally_session *session, const struct tally_perfdata_env *env,
		      struct tally_str *out)
{
	tally_str_addf(out, "# e_machine : %u, e_flags : 0x%x\n", env->elf_machine, env->elf_flags);
}

void tally_header_domains(struct tally_session *session, const struct tally_perfdata_env *env,
			  struct tally_str *out)
{
	tally_str_addf(out, "# schedstat version : %u\n", env->schedstat_version);
	for (uint32_t i = 0; i < env->nr_domains; i++)
		tally_str_add_line(out, "# CPU %u: domain %u, %s, CPUs %s", env->domains[i].cpu,
				   env->domains[i].domain, env->domains[i].name,
				   env->domains[i].list);
}

void tally_header_ranges(struct tally_session *session, const struct tally_perfdata_env *env,
			 struct tally_str *out)
{
	for (uint32_t i = 0; i < env->nr_memory_ranges; i++) {
		const struct tally_perfdata_memory_range *range = &env->memory_ranges[i];

		tally_str_addf(out,
			       "# memory range : 0x%" PRIx64 ", %" PRIu64 " bytes, node %u, region "
			       "%u local, %u remote\n",
			       range->base, range->length, range->node, range->local_region,
			       range->remote_region);
	}
}
