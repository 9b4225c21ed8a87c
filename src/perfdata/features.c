/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores the features of a file as raw bytes, and extracts some data from them as they arrive. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "perfdata/feature_bytes.h"
#include "perfdata/reader.h"
#include "perfdata/reader_features.h"

static const char *const names[TALLY_FEATURE_MAX] = {
	[TALLY_FEATURE_TRACING_DATA] = "TRACING_DATA",
	[TALLY_FEATURE_BUILD_ID] = "BUILD_ID",
	[TALLY_FEATURE_HOSTNAME] = "HOSTNAME",
	[TALLY_FEATURE_OSRELEASE] = "OSRELEASE",
	[TALLY_FEATURE_VERSION] = "VERSION",
	[TALLY_FEATURE_ARCH] = "ARCH",
	[TALLY_FEATURE_NRCPUS] = "NRCPUS",
	[TALLY_FEATURE_CPUDESC] = "CPUDESC",
	[TALLY_FEATURE_CPUID] = "CPUID",
	[TALLY_FEATURE_TOTAL_MEM] = "TOTAL_MEM",
	[TALLY_FEATURE_CMDLINE] = "CMDLINE",
	[TALLY_FEATURE_EVENT_DESC] = "EVENT_DESC",
	[TALLY_FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[TALLY_FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[TALLY_FEATURE_BRANCH_STACK] = "BRANCH_STACK",
	[TALLY_FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[TALLY_FEATURE_GROUP_DESC] = "GROUP_DESC",
	[TALLY_FEATURE_AUXTRACE] = "AUXTRACE",
	[TALLY_FEATURE_STAT] = "STAT",
	[TALLY_FEATURE_CACHE] = "CACHE",
	[TALLY_FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[TALLY_FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[TALLY_FEATURE_CLOCKID] = "CLOCKID",
	[TALLY_FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[TALLY_FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[TALLY_FEATURE_BPF_BTF] = "BPF_BTF",
	[TALLY_FEATURE_COMPRESSED] = "COMPRESSED",
	[TALLY_FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[TALLY_FEATURE_CLOCK_DATA] = "CLOCK_DATA",
	[TALLY_FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[TALLY_FEATURE_PMU_CAPS] = "PMU_CAPS",
	[TALLY_FEATURE_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[TALLY_FEATURE_E_MACHINE] = "E_MACHINE",
	[TALLY_FEATURE_CLN_SIZE] = "CLN_SIZE",
	[TALLY_FEATURE_MEMORY_RANGES] = "MEMORY_RANGES",
};

const char *tally_perfdata_feature_name(uint32_t id)
{
	if (id == TALLY_FEATURE_EMBEDDED_SYMBOLS)
		return "STORED_NAMES";
	if (id == TALLY_FEATURE_REGIONS)
		return "REGIONS";
	return id < TALLY_FEATURE_MAX ? names[id] : NULL;
}

static struct tally_perfdata_feature *features_find(const struct tally_perfdata *data, uint32_t id)
{
	for (size_t i = 0; i < data->features.len; i++) {
		if (data->features.data[i].id == id)
			return &data->features.data[i];
	}
	return NULL;
}

const struct tally_perfdata_feature *tally_features_find(const struct tally_perfdata *data,
							 uint32_t id)
{
	return features_find(data, id);
}

/* Feature numbers that only simpleperf uses. */
enum { SIMPLEPERF_META_INFO = 129 };

static int feature_apply(struct tally_perfdata *data, uint32_t id, uint64_t offset,
			 struct tally_perfdata_slice bytes)
{
	switch (id) {
	case TALLY_FEATURE_BUILD_ID: return tally_build_ids_read(data, offset, bytes);
	case TALLY_FEATURE_EVENT_DESC: return tally_event_desc_apply(data, offset, bytes);
	case SIMPLEPERF_META_INFO: return tally_meta_info_apply(data, bytes);
	case TALLY_FEATURE_TRACING_DATA:
		if (data->tracing_bytes.data)
			return 0;
		data->tracing_bytes = bytes;
		return tally_tracing_apply(data);
	default: return 0;
	}
}

int tally_features_add(struct tally_perfdata *data, uint32_t id, uint64_t offset,
		       struct tally_perfdata_slice bytes)
{
	struct tally_perfdata_feature feature = {
		.id = id,
		.name = tally_perfdata_feature_name(id),
		.offset = offset,
		.bytes = bytes,
	};
	struct tally_perfdata_feature *old = features_find(data, id);

	if (old)
		*old = feature;
	else if (tally_vec_push(&data->features, feature))
		return -ENOMEM;
	return feature_apply(data, id, offset, bytes);
}

bool tally_perfdata_feature(const struct tally_perfdata *data, size_t i,
			    struct tally_perfdata_feature *ret_feature)
{
	if (i >= data->features.len)
		return false;
	*ret_feature = data->features.data[i];
	return true;
}
