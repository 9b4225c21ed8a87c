/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsers for features about the whole machine and the recording. */
#include "perfdata/env.h"

#include "base/arith.h"

struct tally_perfdata_strings tally_parse_strings(struct tally_feature_bytes *in)
{
	struct tally_perfdata_strings strings = {0};
	uint32_t nr = tally_feature_u32(in);
	const char **items = tally_feature_array(in, nr, sizeof(*items), 4);

	for (uint32_t i = 0; items && i < nr; i++)
		items[i] = tally_feature_string(in);
	if (items && !in->failed)
		strings = (struct tally_perfdata_strings){items, nr};
	return strings;
}

void tally_parse_nrcpus(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->nr_cpus_avail = tally_feature_u32(in);
	env->nr_cpus_online = tally_feature_u32(in);
}

void tally_parse_total_mem(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->total_mem_kb = tally_feature_u64(in);
}

void tally_parse_cmdline(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->cmdline = tally_parse_strings(in);
}

void tally_parse_sample_time(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->sample_time_first = tally_feature_u64(in);
	env->sample_time_last = tally_feature_u64(in);
}

void tally_parse_clockid(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->clockid_res_ns = tally_feature_u64(in);
}

void tally_parse_clock_data(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t version = tally_feature_u32(in);

	env->clock_data_clockid = tally_feature_u32(in);
	env->clock_data_wall_ns = tally_feature_u64(in);
	env->clock_data_clock_ns = tally_feature_u64(in);
	in->failed |= version != 1;
}

void tally_parse_dir_format(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->dir_version = tally_feature_u64(in);
}

void tally_parse_compressed(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->compress_version = tally_feature_u32(in);
	env->compress_type = tally_feature_u32(in);
	env->compress_level = tally_feature_u32(in);
	env->compress_ratio = tally_feature_u32(in);
	env->compress_mmap_len = tally_feature_u32(in);
}

void tally_parse_elf_machine(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->elf_machine = tally_feature_u32(in);
	env->elf_flags = tally_feature_u32(in);
}

void tally_parse_cache_line_size(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	env->cache_line_size = tally_feature_u32(in);
}

/* perf stores the number of entries first; simpleperf does not. */
void tally_parse_aux_index(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint64_t nr = in->len / 16;
	struct tally_perfdata_aux_entry *entries = tally_feature_array(in, nr, sizeof(*entries), 1);

	if (in->len % 16 && tally_feature_u64(in) != nr)
		in->failed = true;
	for (uint64_t i = 0; entries && i < nr; i++) {
		entries[i].offset = tally_feature_u64(in);
		entries[i].size = tally_feature_u64(in);
	}
	env->aux_index = entries;
	env->nr_aux_index = (uint32_t)nr;
}
