/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsers for features about PMUs, events and BPF programs. */
#include "base/arith.h"
#include "base/endian.h"
#include "perfdata/env.h"
#include "perfdata/perfdata_events.h"

enum { TEXT = 4 }; /* minimum size of a string: its length field */

void tally_parse_pmus(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_pmu *pmus = tally_feature_array(in, nr, sizeof(*pmus), 4 + TEXT);

	for (uint32_t i = 0; pmus && i < nr; i++) {
		pmus[i].type = tally_feature_u32(in);
		pmus[i].name = tally_feature_string(in);
	}
	env->pmus = pmus;
	env->nr_pmus = nr;
}

void tally_parse_groups(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_group *groups =
		tally_feature_array(in, nr, sizeof(*groups), 8 + TEXT);

	for (uint32_t i = 0; groups && i < nr; i++) {
		groups[i].name = tally_feature_string(in);
		groups[i].leader = tally_feature_u32(in);
		groups[i].nr_members = tally_feature_u32(in);
	}
	env->groups = groups;
	env->nr_groups = nr;
}

static void parse_caps(struct tally_feature_bytes *in, struct tally_perfdata_pmu_caps *caps)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_cap *list = tally_feature_array(in, nr, sizeof(*list), 2 * TEXT);

	for (uint32_t i = 0; list && i < nr; i++) {
		list[i].name = tally_feature_string(in);
		list[i].value = tally_feature_string(in);
	}
	caps->caps = list;
	caps->nr = nr;
}

/* Older files contain one list, for the core PMU; newer files contain a list for each PMU. */
void tally_parse_cpu_pmu_caps(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	struct tally_perfdata_pmu_caps *caps = tally_feature_array(in, 1, sizeof(*caps), 4);

	if (!caps)
		return;
	caps->pmu = "cpu";
	parse_caps(in, caps);
	env->pmu_caps = caps;
	env->nr_pmu_caps = 1;
}

/* A file may have both PMU_CAPS and CPU_PMU_CAPS. Collect both in one list. */
void tally_parse_pmu_caps(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in), before = env->nr_pmu_caps;
	struct tally_perfdata_pmu_caps *caps;

	if (nr > tally_feature_left(in) / (2 * TEXT)) {
		in->failed = true;
		return;
	}
	if (!nr)
		return;
	caps = tally_feature_alloc(in, ((size_t)nr + before) * sizeof(*caps));
	if (!caps)
		return;
	for (uint32_t i = 0; i < before; i++)
		caps[nr + i] = env->pmu_caps[i];
	for (uint32_t i = 0; i < nr; i++) {
		parse_caps(in, &caps[i]);
		caps[i].pmu = tally_feature_string(in);
	}
	env->pmu_caps = caps;
	env->nr_pmu_caps = nr + before;
}

static void parse_desc(struct tally_feature_bytes *in, uint32_t attr_size,
		       struct tally_perfdata_event_desc *desc)
{
	const uint8_t *attr = tally_feature_read(in, attr_size);
	uint64_t *ids;

	if (!attr || tally_perfdata_events_decode_attr(attr, attr_size, in->swap, &desc->attr)) {
		in->failed = true;
		return;
	}
	desc->nr_ids = tally_feature_u32(in);
	desc->name = tally_feature_string(in);
	ids = tally_feature_array(in, desc->nr_ids, sizeof(*ids), 8);
	for (uint32_t i = 0; ids && i < desc->nr_ids; i++)
		ids[i] = tally_feature_u64(in);
	desc->ids = ids;
}

void tally_parse_event_desc(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in), size = tally_feature_u32(in);
	struct tally_perfdata_event_desc *descs;

	/* Each entry consists of an attr, the number of its IDs, and a name. */
	in->failed |= nr && size < PERF_ATTR_SIZE_VER0;
	descs = tally_feature_array(in, nr, sizeof(*descs), (size_t)size + 4 + TEXT);
	for (uint32_t i = 0; descs && !in->failed && i < nr; i++)
		parse_desc(in, size, &descs[i]);
	env->event_desc = descs;
	env->nr_event_desc = nr;
}

void tally_parse_bpf_progs(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_bpf_prog *progs = tally_feature_array(in, nr, sizeof(*progs), 16);

	for (uint32_t i = 0; progs && i < nr; i++) {
		struct tally_perfdata_bpf_prog *prog = &progs[i];

		prog->offset = in->at;
		prog->info_len = tally_feature_u32(in);
		prog->data_len = tally_feature_u32(in);
		prog->arrays = tally_feature_u64(in);
		prog->info.data = tally_feature_read(in, prog->info_len);
		prog->info.len = prog->info.data ? prog->info_len : 0;
		prog->data.data = tally_feature_read(in, prog->data_len);
		prog->data.len = prog->data.data ? prog->data_len : 0;
	}
	env->bpf_progs = progs;
	env->nr_bpf_progs = nr;
}

void tally_parse_btfs(struct tally_feature_bytes *in, struct tally_perfdata_env *env)
{
	uint32_t nr = tally_feature_u32(in);
	struct tally_perfdata_btf *btfs = tally_feature_array(in, nr, sizeof(*btfs), 8);

	for (uint32_t i = 0; btfs && i < nr; i++) {
		uint32_t len;

		btfs[i].id = tally_feature_u32(in);
		len = tally_feature_u32(in);
		btfs[i].data.data = tally_feature_read(in, len);
		btfs[i].data.len = btfs[i].data.data ? len : 0;
	}
	env->btfs = btfs;
	env->nr_btfs = nr;
}
