/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the fields of perf.data's own record types, in the form defined by abi/abi_record.h. */
#include "abi/abi_record.h"
#include "base/arith.h"
#include "tally/perfdata.h"

#define FIELD(name, kind)                         \
	{                                         \
		name, TALLY_FIELD_##kind, 0, 0, 0 \
	}

static const struct tally_record_field attr_fields[] = {FIELD("attr_and_ids", BYTES)};
static const struct tally_record_field event_type_fields[] = {FIELD("event_id", U64),
							      FIELD("name", STRING)};
static const struct tally_record_field tracing_fields[] = {FIELD("size", U32)};
static const struct tally_record_field build_id_fields[] = {
	FIELD("pid", S32),
	{"build_id", TALLY_FIELD_BYTES_N, 24, 0, 0},
	FIELD("filename", STRING),
};
static const struct tally_record_field id_index_fields[] = {FIELD("nr", U64),
							    FIELD("entries", BYTES)};
static const struct tally_record_field auxtrace_info_fields[] = {
	FIELD("type", U32),
	{NULL, TALLY_FIELD_SKIP, 4, 0, 0},
	FIELD("unparsed_binary_blob_priv_data", BYTES),
};
static const struct tally_record_field auxtrace_fields[] = {
	FIELD("size", U64), FIELD("offset", U64), FIELD("reference", U64),
	FIELD("idx", U32),  FIELD("tid", U32),    FIELD("cpu", U32),
};
/* If fmt is 0, the tail is the message. Otherwise the tail contains a timestamp, the message and
 * further fields. */
static const struct tally_record_field auxtrace_error_fields[] = {
	FIELD("type", U32), FIELD("code", U32), FIELD("cpu", U32), FIELD("pid", U32),
	FIELD("tid", U32),  FIELD("fmt", U32),  FIELD("ip", U64),  FIELD("tail", BYTES),
};
static const struct tally_record_field cpu_map_fields[] = {FIELD("type", U16),
							   FIELD("data", BYTES)};
static const struct tally_record_field stat_config_fields[] = {FIELD("nr", U64),
							       FIELD("data", BYTES)};
static const struct tally_record_field stat_fields[] = {
	FIELD("id", U64),    FIELD("cpu", U32),     FIELD("thread", U32),
	FIELD("value", U64), FIELD("enabled", U64), FIELD("running", U64),
};
static const struct tally_record_field stat_round_fields[] = {FIELD("type", U64),
							      FIELD("time", U64)};
static const struct tally_record_field event_update_fields[] = {
	FIELD("type", U64),
	FIELD("id", U64),
	FIELD("data", BYTES),
};
static const struct tally_record_field time_conv_fields[] = {
	FIELD("time_shift", U64),
	FIELD("time_mult", U64),
	FIELD("time_zero", U64),
	/* Added in perf 5.10; records in older files end before these fields. */
	FIELD("time_cycles", U64),
	FIELD("time_mask", U64),
	FIELD("cap_user_time_zero", U8),
	FIELD("cap_user_time_short", U8),
};
static const struct tally_record_field feature_fields[] = {FIELD("id", U64), FIELD("data", BYTES)};
static const struct tally_record_field compressed_fields[] = {FIELD("data", BYTES)};
static const struct tally_record_field compressed2_fields[] = {FIELD("data_size", U64),
							       FIELD("data", BYTES)};

static const struct tally_record_field bpf_metadata_fields[] = {
	{"prog_name", TALLY_FIELD_STRING_N, 512, 0, 0},
	FIELD("nr", U64),
	FIELD("entries", BYTES),
};
/* The fields of the statistics depend on the version; see Documentation/scheduler/sched-stats.rst
 * of Linux. */
static const struct tally_record_field schedstat_cpu_fields[] = {
	FIELD("time_ns", U64), FIELD("cpu", U32),
	FIELD("version", U16), {NULL, TALLY_FIELD_SKIP, 2, 0, 0},
	FIELD("data", BYTES),
};
static const struct tally_record_field schedstat_domain_fields[] = {
	FIELD("time_ns", U64), FIELD("cpu", U32),    FIELD("version", U16),
	FIELD("domain", U16),  FIELD("data", BYTES),
};

#define DESC(type, name, fields)                             \
	{                                                    \
		type, name, fields, TALLY_ARRAY_SIZE(fields) \
	}
#define EMPTY(type, name)           \
	{                           \
		type, name, NULL, 0 \
	}

/* Record descriptions, indexed by type, starting at HEADER_ATTR and without gaps. */
static const struct tally_record_desc descs[] = {
	DESC(TALLY_PERFDATA_HEADER_ATTR, "HEADER_ATTR", attr_fields),
	DESC(TALLY_PERFDATA_EVENT_TYPE, "HEADER_EVENT_TYPE", event_type_fields),
	DESC(TALLY_PERFDATA_TRACING_DATA, "HEADER_TRACING_DATA", tracing_fields),
	DESC(TALLY_PERFDATA_BUILD_ID, "HEADER_BUILD_ID", build_id_fields),
	EMPTY(TALLY_PERFDATA_FINISHED_ROUND, "FINISHED_ROUND"),
	DESC(TALLY_PERFDATA_ID_INDEX, "ID_INDEX", id_index_fields),
	DESC(TALLY_PERFDATA_AUXTRACE_INFO, "AUXTRACE_INFO", auxtrace_info_fields),
	DESC(TALLY_PERFDATA_AUXTRACE, "AUXTRACE", auxtrace_fields),
	DESC(TALLY_PERFDATA_AUXTRACE_ERROR, "AUXTRACE_ERROR", auxtrace_error_fields),
	DESC(TALLY_PERFDATA_THREAD_MAP, "THREAD_MAP", id_index_fields),
	DESC(TALLY_PERFDATA_CPU_MAP, "CPU_MAP", cpu_map_fields),
	DESC(TALLY_PERFDATA_STAT_CONFIG, "STAT_CONFIG", stat_config_fields),
	DESC(TALLY_PERFDATA_STAT, "STAT", stat_fields),
	DESC(TALLY_PERFDATA_STAT_ROUND, "STAT_ROUND", stat_round_fields),
	DESC(TALLY_PERFDATA_EVENT_UPDATE, "EVENT_UPDATE", event_update_fields),
	DESC(TALLY_PERFDATA_TIME_CONV, "TIME_CONV", time_conv_fields),
	DESC(TALLY_PERFDATA_HEADER_FEATURE, "HEADER_FEATURE", feature_fields),
	DESC(TALLY_PERFDATA_COMPRESSED, "COMPRESSED", compressed_fields),
	EMPTY(TALLY_PERFDATA_FINISHED_INIT, "FINISHED_INIT"),
	DESC(TALLY_PERFDATA_COMPRESSED2, "COMPRESSED2", compressed2_fields),
	DESC(TALLY_PERFDATA_BPF_METADATA, "BPF_METADATA", bpf_metadata_fields),
	DESC(TALLY_PERFDATA_SCHEDSTAT_CPU, "SCHEDSTAT_CPU", schedstat_cpu_fields),
	DESC(TALLY_PERFDATA_SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN", schedstat_domain_fields),
};

const struct tally_record_desc *tally_perfdata_describe(uint32_t type)
{
	uint32_t i = type - TALLY_PERFDATA_HEADER_ATTR;

	if (type < TALLY_PERFDATA_HEADER_ATTR)
		return tally_record_describe(type);
	return i < TALLY_ARRAY_SIZE(descs) ? &descs[i] : NULL;
}

static const struct tally_record_field id_entry[] = {FIELD("id", U64), FIELD("idx", U64),
						     FIELD("cpu", U64), FIELD("tid", U64)};
static const struct tally_record_field thread_entry[] = {
	FIELD("pid", U64),
	{"comm", TALLY_FIELD_STRING_N, 16, 0, 0},
};
static const struct tally_record_field variable_entry[] = {
	{"key", TALLY_FIELD_STRING_N, 64, 0, 0},
	{"value", TALLY_FIELD_STRING_N, 256, 0, 0},
};
static const struct tally_record_field config_entry[] = {FIELD("tag", U64), FIELD("val", U64)};
static const struct tally_record_field word_entry[] = {FIELD(NULL, U64)};

static const struct tally_perfdata_array arrays[] = {
	{TALLY_PERFDATA_ID_INDEX, 32, 4, true, "entries", id_entry},
	{TALLY_PERFDATA_AUXTRACE_INFO, 8, 1, false, "unparsed_binary_blob_priv_data", word_entry},
	{TALLY_PERFDATA_THREAD_MAP, 24, 2, true, "entries", thread_entry},
	{TALLY_PERFDATA_STAT_CONFIG, 16, 2, true, "data", config_entry},
	{TALLY_PERFDATA_BPF_METADATA, 320, 2, true, "entries", variable_entry},
};

const struct tally_perfdata_array *tally_perfdata_array(uint32_t type)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(arrays); i++) {
		if (arrays[i].type == type)
			return &arrays[i];
	}
	return NULL;
}
