/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes features that are lists: CPUs, nodes, caches, PMUs, groups. */
#include "perfdata/encode.h"
#include "perfdata/writer.h"

static void put_strings(struct tally_str *out, bool swap, struct tally_perfdata_strings strings)
{
	tally_put32(out, swap, strings.nr);
	for (uint32_t i = 0; i < strings.nr; i++)
		tally_write_string(out, swap, strings.items[i]);
}

static int set_list(struct tally_perfdata_writer *writer, uint32_t feature, struct tally_str *out)
{
	int ret = tally_str_error(out);

	if (!ret)
		ret = tally_perfdata_writer_feature(writer, feature, out->data, out->len);
	tally_str_free(out);
	return ret;
}

int tally_perfdata_writer_cpu_topology(struct tally_perfdata_writer *writer,
				       const struct tally_perfdata_env *env)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	put_strings(&out, swap, env->core_siblings);
	put_strings(&out, swap, env->thread_siblings);
	for (uint32_t i = 0; i < env->nr_cpus; i++) {
		tally_put32(&out, swap, (uint32_t)env->cpus[i].core_id);
		tally_put32(&out, swap, (uint32_t)env->cpus[i].socket_id);
	}
	/* Without dies, the section ends here, as in old files. */
	if (env->die_siblings.nr) {
		put_strings(&out, swap, env->die_siblings);
		for (uint32_t i = 0; i < env->nr_cpus; i++)
			tally_put32(&out, swap, (uint32_t)env->cpus[i].die_id);
	}
	return set_list(writer, TALLY_FEATURE_CPU_TOPOLOGY, &out);
}

int tally_perfdata_writer_numa(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_node *nodes, uint32_t nr)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	tally_put32(&out, swap, nr);
	for (uint32_t i = 0; i < nr; i++) {
		tally_put32(&out, swap, nodes[i].node);
		tally_put64(&out, swap, nodes[i].mem_total_kb);
		tally_put64(&out, swap, nodes[i].mem_free_kb);
		tally_write_string(&out, swap, nodes[i].cpus);
	}
	return set_list(writer, TALLY_FEATURE_NUMA_TOPOLOGY, &out);
}

int tally_perfdata_writer_pmus(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_pmu *pmus, uint32_t nr)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	tally_put32(&out, swap, nr);
	for (uint32_t i = 0; i < nr; i++) {
		tally_put32(&out, swap, pmus[i].type);
		tally_write_string(&out, swap, pmus[i].name);
	}
	return set_list(writer, TALLY_FEATURE_PMU_MAPPINGS, &out);
}

int tally_perfdata_writer_groups(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_group *groups, uint32_t nr)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	tally_put32(&out, swap, nr);
	for (uint32_t i = 0; i < nr; i++) {
		tally_write_string(&out, swap, groups[i].name);
		tally_put32(&out, swap, groups[i].leader);
		tally_put32(&out, swap, groups[i].nr_members);
	}
	return set_list(writer, TALLY_FEATURE_GROUP_DESC, &out);
}

int tally_perfdata_writer_caches(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_cache *caches, uint32_t nr)
{
	bool swap = writer->options.foreign;
	struct tally_str out = {0};

	tally_put32(&out, swap, 1); /* version */
	tally_put32(&out, swap, nr);
	for (uint32_t i = 0; i < nr; i++) {
		tally_put32(&out, swap, caches[i].level);
		tally_put32(&out, swap, caches[i].line_size);
		tally_put32(&out, swap, caches[i].sets);
		tally_put32(&out, swap, caches[i].ways);
		tally_write_string(&out, swap, caches[i].type);
		tally_write_string(&out, swap, caches[i].size);
		tally_write_string(&out, swap, caches[i].cpus);
	}
	return set_list(writer, TALLY_FEATURE_CACHE, &out);
}
