/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes all features into one env. */
#include "perfdata/env.h"

#include <errno.h>
#include <stddef.h>

#include "base/arith.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

/* Feature parsers, sorted by feature number because later features depend on earlier ones:
 * CPU_TOPOLOGY needs NRCPUS. For plain strings, `string` is the offset of the string's pointer in
 * the env. */
static const struct {
	uint32_t id;
	tally_feature_parse_fn *parse;
	size_t string;
} parsers[] = {
	{TALLY_FEATURE_HOSTNAME, NULL, offsetof(struct tally_perfdata_env, hostname)},
	{TALLY_FEATURE_OSRELEASE, NULL, offsetof(struct tally_perfdata_env, osrelease)},
	{TALLY_FEATURE_VERSION, NULL, offsetof(struct tally_perfdata_env, version)},
	{TALLY_FEATURE_ARCH, NULL, offsetof(struct tally_perfdata_env, arch)},
	{TALLY_FEATURE_NRCPUS, tally_parse_nrcpus, 0},
	{TALLY_FEATURE_CPUDESC, NULL, offsetof(struct tally_perfdata_env, cpudesc)},
	{TALLY_FEATURE_CPUID, NULL, offsetof(struct tally_perfdata_env, cpuid)},
	{TALLY_FEATURE_TOTAL_MEM, tally_parse_total_mem, 0},
	{TALLY_FEATURE_CMDLINE, tally_parse_cmdline, 0},
	{TALLY_FEATURE_EVENT_DESC, tally_parse_event_desc, 0},
	{TALLY_FEATURE_CPU_TOPOLOGY, tally_parse_cpu_topology, 0},
	{TALLY_FEATURE_NUMA_TOPOLOGY, tally_parse_numa, 0},
	{TALLY_FEATURE_PMU_MAPPINGS, tally_parse_pmus, 0},
	{TALLY_FEATURE_GROUP_DESC, tally_parse_groups, 0},
	{TALLY_FEATURE_AUXTRACE, tally_parse_aux_index, 0},
	{TALLY_FEATURE_CACHE, tally_parse_caches, 0},
	{TALLY_FEATURE_SAMPLE_TIME, tally_parse_sample_time, 0},
	{TALLY_FEATURE_MEM_TOPOLOGY, tally_parse_mem_topology, 0},
	{TALLY_FEATURE_CLOCKID, tally_parse_clockid, 0},
	{TALLY_FEATURE_DIR_FORMAT, tally_parse_dir_format, 0},
	{TALLY_FEATURE_BPF_PROG_INFO, tally_parse_bpf_progs, 0},
	{TALLY_FEATURE_BPF_BTF, tally_parse_btfs, 0},
	{TALLY_FEATURE_COMPRESSED, tally_parse_compressed, 0},
	{TALLY_FEATURE_CPU_PMU_CAPS, tally_parse_cpu_pmu_caps, 0},
	{TALLY_FEATURE_CLOCK_DATA, tally_parse_clock_data, 0},
	{TALLY_FEATURE_HYBRID_TOPOLOGY, tally_parse_hybrid, 0},
	{TALLY_FEATURE_PMU_CAPS, tally_parse_pmu_caps, 0},
	{TALLY_FEATURE_CPU_DOMAIN_INFO, tally_parse_domains, 0},
	{TALLY_FEATURE_E_MACHINE, tally_parse_elf_machine, 0},
	{TALLY_FEATURE_CLN_SIZE, tally_parse_cache_line_size, 0},
	{TALLY_FEATURE_MEMORY_RANGES, tally_parse_memory_ranges, 0},
};

/* Parse one feature. If parsing fails, the env is unchanged, except for the arena. */
static int parse_one(struct tally_perfdata *data, size_t i,
		     const struct tally_perfdata_feature *feature, struct tally_perfdata_env *env)
{
	struct tally_feature_bytes in = {
		.data = feature->bytes.data,
		.len = feature->bytes.len,
		.swap = data->info.is_foreign,
		.arena = &data->env_arena,
	};
	struct tally_perfdata_env before = *env;

	/* Empty lists and strings may be stored as a feature without content. */
	if (in.len && parsers[i].parse)
		parsers[i].parse(&in, env);
	else if (in.len)
		*(const char **)((char *)env + parsers[i].string) = tally_feature_string(&in);
	if (in.no_memory)
		return -ENOMEM;
	if (!in.failed) {
		env->present |= 1ull << feature->id;
		return 0;
	}
	*env = before;
	tally_reader_add_note(data,
			      (struct tally_perfdata_note){.kind = TALLY_NOTE_BAD_FEATURE,
							   .what = feature->id,
							   .offset = feature->offset,
							   .text = "cannot parse the feature"});
	return 0;
}

/* Mark features that have no content or that have their own accessors. */
static void mark_others(struct tally_perfdata *data, struct tally_perfdata_env *env)
{
	static const uint32_t others[] = {TALLY_FEATURE_TRACING_DATA, TALLY_FEATURE_BUILD_ID,
					  TALLY_FEATURE_BRANCH_STACK, TALLY_FEATURE_STAT};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(others); i++) {
		if (tally_features_find(data, others[i]))
			env->present |= 1ull << others[i];
	}
}

int tally_perfdata_env(struct tally_perfdata *data, const struct tally_perfdata_env **ret_env)
{
	struct tally_perfdata_env env = {
		.hostname = "",
		.osrelease = "",
		.version = "",
		.arch = "",
		.cpudesc = "",
		.cpuid = "",
	};
	int ret = 0;

	tally_arena_free(&data->env_arena);
	for (size_t i = 0; !ret && i < TALLY_ARRAY_SIZE(parsers); i++) {
		const struct tally_perfdata_feature *feature =
			tally_features_find(data, parsers[i].id);

		if (feature)
			ret = parse_one(data, i, feature, &env);
	}
	if (ret)
		return ret;
	mark_others(data, &env);
	data->env = env;
	*ret_env = &data->env;
	return 0;
}
