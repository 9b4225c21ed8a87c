/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of all kernel records except SAMPLE; see perf_event_open(2), "MMAP layout". */
#include "abi/abi_record.h"
#include "base/arith.h"

#define U16(name)                              \
	{                                      \
		name, TALLY_FIELD_U16, 0, 0, 0 \
	}
#define U32(name)                              \
	{                                      \
		name, TALLY_FIELD_U32, 0, 0, 0 \
	}
#define U64(name)                              \
	{                                      \
		name, TALLY_FIELD_U64, 0, 0, 0 \
	}
#define STRING(name)                              \
	{                                         \
		name, TALLY_FIELD_STRING, 0, 0, 0 \
	}

static const struct tally_record_field mmap_fields[] = {
	U32("pid"), U32("tid"), U64("start"), U64("len"), U64("pgoff"), STRING("filename"),
};

static const struct tally_record_field mmap2_fields[] = {
	U32("pid"),
	U32("tid"),
	U64("start"),
	U64("len"),
	U64("pgoff"),
	{"maj", TALLY_FIELD_U32, 0, 0, PERF_RECORD_MISC_MMAP_BUILD_ID},
	{"min", TALLY_FIELD_U32, 0, 0, PERF_RECORD_MISC_MMAP_BUILD_ID},
	{"ino", TALLY_FIELD_U64, 0, 0, PERF_RECORD_MISC_MMAP_BUILD_ID},
	{"ino_generation", TALLY_FIELD_U64, 0, 0, PERF_RECORD_MISC_MMAP_BUILD_ID},
	{"build_id", TALLY_FIELD_BUILD_ID, 0, PERF_RECORD_MISC_MMAP_BUILD_ID, 0},
	U32("prot"),
	U32("flags"),
	STRING("filename"),
};

static const struct tally_record_field comm_fields[] = {U32("pid"), U32("tid"), STRING("comm")};

static const struct tally_record_field task_fields[] = {
	U32("pid"), U32("ppid"), U32("tid"), U32("ptid"), U64("fork_time_ns"),
};

static const struct tally_record_field lost_fields[] = {U64("id"), U64("lost")};

static const struct tally_record_field throttle_fields[] = {
	U64("time_ns"),
	U64("id"),
	U64("stream_id"),
};

static const struct tally_record_field read_fields[] = {
	U32("pid"),
	U32("tid"),
	{"counts", TALLY_FIELD_READ, 0, 0, 0},
};

static const struct tally_record_field aux_fields[] = {
	U64("aux_offset"),
	U64("aux_size"),
	U64("flags"),
};

static const struct tally_record_field itrace_start_fields[] = {U32("pid"), U32("tid")};
static const struct tally_record_field lost_samples_fields[] = {U64("num_lost")};

static const struct tally_record_field switch_cpu_wide_fields[] = {
	U32("next_prev_pid"),
	U32("next_prev_tid"),
};

static const struct tally_record_field namespaces_fields[] = {
	U32("pid"),
	U32("tid"),
	U64("nr_namespaces"),
	{"link_info", TALLY_FIELD_LINKS, 0, 0, 0},
};

static const struct tally_record_field ksymbol_fields[] = {
	U64("addr"), U32("len"), U16("ksym_type"), U16("flags"), STRING("name"),
};

static const struct tally_record_field bpf_fields[] = {
	U16("type"),
	U16("flags"),
	U32("id"),
	{"tag", TALLY_FIELD_BYTES_N, 8, 0, 0},
};

static const struct tally_record_field cgroup_fields[] = {U64("id"), STRING("path")};

static const struct tally_record_field text_poke_fields[] = {
	U64("addr"),
	U16("old_len"),
	U16("new_len"),
	{"bytes", TALLY_FIELD_BYTES, 0, 0, 0},
};

static const struct tally_record_field hw_id_fields[] = {U64("hw_id")};

static const struct tally_record_field deferred_fields[] = {
	U64("cookie"),
	U64("nr"),
	{"callchain", TALLY_FIELD_WORDS, 0, 0, 0},
};

#define RECORD(name, fields) \
	[PERF_RECORD_##name] = {PERF_RECORD_##name, #name, fields, TALLY_ARRAY_SIZE(fields)}

static const struct tally_record_desc records[] = {
	RECORD(MMAP, mmap_fields),
	RECORD(LOST, lost_fields),
	RECORD(COMM, comm_fields),
	RECORD(EXIT, task_fields),
	RECORD(THROTTLE, throttle_fields),
	RECORD(UNTHROTTLE, throttle_fields),
	RECORD(FORK, task_fields),
	RECORD(READ, read_fields),
	[PERF_RECORD_SAMPLE] = {PERF_RECORD_SAMPLE, "SAMPLE", NULL, 0},
	RECORD(MMAP2, mmap2_fields),
	RECORD(AUX, aux_fields),
	RECORD(ITRACE_START, itrace_start_fields),
	RECORD(LOST_SAMPLES, lost_samples_fields),
	[PERF_RECORD_SWITCH] = {PERF_RECORD_SWITCH, "SWITCH", NULL, 0},
	RECORD(SWITCH_CPU_WIDE, switch_cpu_wide_fields),
	RECORD(NAMESPACES, namespaces_fields),
	RECORD(KSYMBOL, ksymbol_fields),
	RECORD(BPF_EVENT, bpf_fields),
	RECORD(CGROUP, cgroup_fields),
	RECORD(TEXT_POKE, text_poke_fields),
	RECORD(AUX_OUTPUT_HW_ID, hw_id_fields),
	RECORD(CALLCHAIN_DEFERRED, deferred_fields),
};

_Static_assert(TALLY_ARRAY_SIZE(records) == PERF_RECORD_MAX, "every record is described");

const struct tally_record_desc *tally_record_describe(uint32_t type)
{
	if (type >= TALLY_ARRAY_SIZE(records) || !records[type].name)
		return NULL;
	return &records[type];
}
