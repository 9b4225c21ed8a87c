/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/attr_text.h"
#include "view/recording_header.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arith.h"
#include "base/escape.h"

static void add_captured(const struct tally_session *session, struct tally_str *out)
{
	const struct tally_perfdata_info *info = tally_perfdata_info(session->data);
	struct stat st;
	char when[32];

	if (stat(session->path, &st) || !ctime_r(&st.st_mtime, when))
		return;
	tally_str_addf(out, "# captured on    : %s", when);
	/* perf counts from 0. */
	tally_str_add_line(out, "# header version : %u", info->version - 1);
	tally_str_addf(out, "# data offset    : %" PRIu64 "\n", info->data_offset);
	tally_str_addf(out, "# data size      : %" PRIu64 "\n", info->data_size);
	tally_str_addf(out, "# feat offset    : %" PRIu64 "\n",
		       info->data_offset + info->data_size);
}

static void add_strings(const struct tally_perfdata_env *env, struct tally_str *out)
{
	const struct {
		uint32_t feature;
		const char *label, *text;
	} rows[] = {
		{TALLY_FEATURE_HOSTNAME, "hostname", env->hostname},
		{TALLY_FEATURE_OSRELEASE, "os release", env->osrelease},
		{TALLY_FEATURE_VERSION, "perf version", env->version},
		{TALLY_FEATURE_ARCH, "arch", env->arch},
		{TALLY_FEATURE_CPUDESC, "cpudesc", env->cpudesc},
		{TALLY_FEATURE_CPUID, "cpuid", env->cpuid},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		if (tally_perfdata_env_has(env, rows[i].feature))
			tally_str_add_line(out, "# %s : %s", rows[i].label, rows[i].text);
	}
	if (tally_perfdata_env_has(env, TALLY_FEATURE_NRCPUS))
		tally_str_addf(out, "# nrcpus online : %u\n# nrcpus avail : %u\n",
			       env->nr_cpus_online, env->nr_cpus_avail);
	if (tally_perfdata_env_has(env, TALLY_FEATURE_TOTAL_MEM))
		tally_str_addf(out, "# total memory : %" PRIu64 " kB\n", env->total_mem_kb);
}

static void add_cmdline(const struct tally_perfdata_env *env, struct tally_str *out)
{
	size_t start = out->len;

	if (!tally_perfdata_env_has(env, TALLY_FEATURE_CMDLINE))
		return;
	tally_str_add(out, "# cmdline :");
	for (uint32_t i = 0; i < env->cmdline.nr; i++)
		tally_str_addf(out, " %s", env->cmdline.items[i]);
	tally_str_escape(out, start);
	tally_str_add_char(out, '\n');
}

static void add_events(const struct tally_session *session, struct tally_str *out)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		size_t start = out->len;

		tally_str_addf(out, "# event : name = %s, , ", event->name);
		tally_attr_text(&event->attr, out);
		if (event->nr_ids) {
			tally_str_add(out, ", id = {");
			for (size_t id = 0; id < event->nr_ids; id++)
				tally_str_addf(out, "%s %" PRIu64, id ? "," : "", event->ids[id]);
			tally_str_add(out, " }");
		}
		tally_str_escape(out, start);
		tally_str_add_char(out, '\n');
	}
}

static void add_siblings(const char *label, const struct tally_perfdata_strings *strings,
			 struct tally_str *out)
{
	for (uint32_t i = 0; i < strings->nr; i++)
		tally_str_add_line(out, "# sibling %s : %s", label, strings->items[i]);
}

static void add_topology(const struct tally_perfdata_env *env, struct tally_str *out)
{
	add_siblings("sockets", &env->core_siblings, out);
	add_siblings("dies", &env->die_siblings, out);
	add_siblings("threads", &env->thread_siblings, out);
	for (uint32_t i = 0; i < env->nr_cpus; i++) {
		if (env->cpus[i].core_id >= 0)
			tally_str_add_line(out, "# CPU %u: Core ID %d, Die ID %d, Socket ID %d", i,
					   env->cpus[i].core_id, TALLY_MAX(env->cpus[i].die_id, 0),
					   env->cpus[i].socket_id);
	}
	for (uint32_t i = 0; i < env->nr_nodes; i++) {
		const struct tally_perfdata_node *node = &env->nodes[i];

		tally_str_add_line(
			out, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB",
			node->node, node->mem_total_kb, node->mem_free_kb);
		tally_str_add_line(out, "# node%u cpu list : %s", node->node, node->cpus);
	}
}

static void add_pmus(const struct tally_perfdata_env *env, struct tally_str *out)
{
	size_t start = out->len;

	for (uint32_t i = 0; i < env->nr_pmus; i++)
		tally_str_addf(out, "%s%s = %u", i ? ", " : "# pmu mappings: ", env->pmus[i].name,
			       env->pmus[i].type);
	tally_str_escape(out, start);
	if (env->nr_pmus)
		tally_str_add_char(out, '\n');
	for (uint32_t i = 0; i < env->nr_caches; i++)
		tally_str_add_line(out, "# L%u %-15s %8s [%s]", env->caches[i].level,
				   env->caches[i].type, env->caches[i].size, env->caches[i].cpus);
	for (uint32_t i = 0; i < env->nr_hybrid; i++)
		tally_str_add_line(out, "# %s cpu list : %s", env->hybrid[i].pmu,
				   env->hybrid[i].cpus);
}

/* Features that perf 7.0 and later write. */
static void add_newer(const struct tally_perfdata_env *env, struct tally_str *out)
{
	if (tally_perfdata_env_has(env, TALLY_FEATURE_E_MACHINE))
		tally_str_addf(out, "# e_machine : %u, e_flags : 0x%x\n", env->elf_machine,
			       env->elf_flags);
	if (tally_perfdata_env_has(env, TALLY_FEATURE_CLN_SIZE))
		tally_str_addf(out, "# cache line size : %u\n", env->cache_line_size);
	if (tally_perfdata_env_has(env, TALLY_FEATURE_CPU_DOMAIN_INFO))
		tally_str_addf(out, "# schedstat version : %u\n", env->schedstat_version);
	for (uint32_t i = 0; i < env->nr_domains; i++)
		tally_str_add_line(out, "# CPU %u: domain %u, %s, CPUs %s", env->domains[i].cpu,
				   env->domains[i].domain, env->domains[i].name,
				   env->domains[i].list);
	for (uint32_t i = 0; i < env->nr_memory_ranges; i++) {
		const struct tally_perfdata_memory_range *range = &env->memory_ranges[i];

		tally_str_addf(out,
			       "# memory range : 0x%" PRIx64 ", %" PRIu64 " bytes, node %u, region "
			       "%u local, %u remote\n",
			       range->base, range->length, range->node, range->local_region,
			       range->remote_region);
	}
}

static void add_times(const struct tally_perfdata_env *env, struct tally_str *out)
{
	if (!tally_perfdata_env_has(env, TALLY_FEATURE_SAMPLE_TIME))
		return;
	tally_str_addf(out, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n",
		       env->sample_time_first / 1000000000,
		       env->sample_time_first / 1000 % 1000000);
	tally_str_addf(out, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n",
		       env->sample_time_last / 1000000000, env->sample_time_last / 1000 % 1000000);
	tally_str_add_line(out, "# sample duration : %10.3f ms",
			   (double)(env->sample_time_last - env->sample_time_first) / 1e6);
}

int tally_header_text(struct tally_session *session, struct tally_str *out)
{
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(session->data, &env);

	if (ret)
		return ret;
	tally_str_add(out, "# ========\n");
	add_captured(session, out);
	add_strings(env, out);
	add_cmdline(env, out);
	add_events(session, out);
	add_topology(env, out);
	add_pmus(env, out);
	add_newer(env, out);
	add_times(env, out);
	tally_str_add(out, "# ========\n#\n");
	return tally_str_error(out);
}
