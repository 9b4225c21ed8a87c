/* SPDX-License-Identifier: BSD-2-Clause */
/* The column with the nodes of the CPUs that accessed a site. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "cli/c2c/c2c_nodes.h"

/* Linux supports at most 1024 nodes. */
enum { NODES_MAX = 1024 };

/* Find the node of a CPU. */
static uint64_t find_node(const struct c2c_report *report, uint32_t cpu)
{
	uint32_t nr = TALLY_MIN(report->env->nr_nodes, (uint32_t)NODES_MAX);

	for (uint32_t i = 0; i < nr; i++) {
		if (tally_ranges_have(&report->node_cpus[i], cpu))
			return i;
	}
	return UINT32_MAX;
}

int c2c_nodes_find(struct c2c_report *report)
{
	int ret = 0;

	tally_vec_for_each (cpu, &report->sharing.cpus) {
		if (!ret && tally_map_get(&report->nodes, cpu->cpu) == TALLY_MAP_NONE)
			ret = tally_map_set(&report->nodes, cpu->cpu, find_node(report, cpu->cpu));
	}
	return ret;
}

/* A CPU of the site, with its node. */
struct site_cpu {
	uint32_t node, cpu;
	uint64_t hitms, stores;
};

static int compare(const void *a, const void *b)
{
	const struct site_cpu *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Get the CPUs of a site, sorted by node and number. The caller frees them. NULL if there is not
 * enough memory. */
static struct site_cpu *site_cpus(const struct c2c_report *report,
				  const struct tally_sharing_site *site)
{
	struct site_cpu *cpus = malloc((site->nr_cpus + 1) * sizeof(*cpus));
	size_t nr = 0;

	for (uint32_t at = site->first_cpu; at && cpus;) {
		const struct tally_sharing_cpu *cpu = &report->sharing.cpus.data[at - 1];

		cpus[nr++] = (struct site_cpu){
			(uint32_t)tally_map_get(&report->nodes, cpu->cpu),
			cpu->cpu,
			cpu->hitms,
			cpu->stores,
		};
		at = cpu->next;
	}
	if (nr)
		qsort(cpus, nr, sizeof(*cpus), compare);
	return cpus;
}

static void add_share(uint64_t part, uint64_t whole, struct tally_str *out)
{
	if (whole)
		tally_str_addf(out, " %5.1f%%", 100.0 * (double)part / (double)whole);
	else
		tally_str_addf(out, " %6s", "n/a");
}

/* Append the number of a node's CPUs, and their shares of the site's accesses. */
static void add_shares(const struct site_cpu *cpus, size_t nr,
		       const struct tally_sharing_counts *counts, struct tally_str *out)
{
	uint64_t hitms = 0, stores = 0;

	for (size_t i = 0; i < nr; i++) {
		hitms += cpus[i].hitms;
		stores += cpus[i].stores;
	}
	tally_str_addf(out, "{%2zu", nr);
	add_share(hitms, tally_sharing_hitm(counts), out);
	add_share(stores, counts->nr[TALLY_SHARING_STORES], out);
	tally_str_add_char(out, '}');
}

/* Append the numbers of a node's CPUs, such as "{0-3,8}". */
static void add_list(const struct site_cpu *cpus, size_t nr, struct tally_str *out)
{
	for (size_t i = 0, last; i < nr; i = last + 1) {
		for (last = i; last + 1 < nr && cpus[last + 1].cpu == cpus[last].cpu + 1;)
			last++;
		tally_str_addf(out, "%c%" PRIu32, i ? ',' : '{', cpus[i].cpu);
		if (last > i)
			tally_str_addf(out, "-%" PRIu32, cpus[last].cpu);
	}
	tally_str_add_char(out, '}');
}

void c2c_add_nodes(const struct c2c_report *report, const struct tally_sharing_site *site,
		   struct tally_str *out)
{
	struct site_cpu *cpus = site_cpus(report, site);
	int info = report->config->node_info;

	if (!cpus) {
		out->failed = true;
		return;
	}
	for (size_t i = 0, end; i < site->nr_cpus; i = end) {
		for (end = i; end < site->nr_cpus && cpus[end].node == cpus[i].node;)
			end++;
		tally_str_add(out, i ? " " : "");
		if (cpus[i].node == UINT32_MAX)
			tally_str_add(out, "N/A");
		else
			tally_str_addf(out, "%2" PRIu32, report->env->nodes[cpus[i].node].node);
		if (info == 1)
			add_shares(cpus + i, end - i, &site->counts, out);
		else if (info)
			add_list(cpus + i, end - i, out);
	}
	free(cpus);
}
