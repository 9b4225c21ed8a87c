/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features of a perf.data file, decoded: what is known about the machine and the recording.
 * tally_perfdata_env() in tally/perfdata.h returns them. All pointers belong to the reader.
 */
#ifndef TALLY_PERFDATA_DECODED_ENV_H
#define TALLY_PERFDATA_DECODED_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "tally/abi.h"

/* Bytes of the file. */
struct tally_perfdata_slice {
	const uint8_t *data;
	uint64_t len;
};

/* A list of strings. */
struct tally_perfdata_strings {
	const char *const *items; /* NUL-terminated */
	uint32_t nr;
};

/* A CPU's location. */
struct tally_perfdata_cpu {
	int32_t core_id, socket_id, die_id; /* -1 if unknown */
};

/* A NUMA node. */
struct tally_perfdata_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus; /* list such as "0-3,8" */
};

/* A PMU and its type in attrs. */
struct tally_perfdata_pmu {
	uint32_t type;
	const char *name;
};

/* A group of events. */
struct tally_perfdata_group {
	const char *name;
	uint32_t leader; /* index of the leader among the events */
	uint32_t nr_members;
};

/* A CPU cache. */
struct tally_perfdata_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};

/* The memory blocks of a NUMA node. */
struct tally_perfdata_mem_node {
	uint64_t node;
	uint64_t nr_bits;
	struct tally_perfdata_slice bits; /* u64 words, host order; bit n: block n exists */
};

/* A capability of a PMU. */
struct tally_perfdata_cap {
	const char *name, *value;
};

/* The capabilities of a PMU. */
struct tally_perfdata_pmu_caps {
	const char *pmu; /* "cpu" for CPU_PMU_CAPS; "" if unknown */
	const struct tally_perfdata_cap *caps;
	uint32_t nr;
};

/* A core PMU of a CPU with several kinds of cores, and its CPUs. */
struct tally_perfdata_hybrid {
	const char *pmu, *cpus;
};
/* A scheduling domain of a CPU. A CPU has one on each level, in the order of the file. */
struct tally_perfdata_domain {
	uint32_t cpu, domain;
	const char *name, *mask, *list; /* `list` and `mask` are the domain's CPUs */
};

/* A range of physical memory. */
struct tally_perfdata_memory_range {
	uint64_t base, length; /* in bytes */
	uint32_t node;
	uint8_t local_region, remote_region; /* values of mem_region in perf_mem_data_src */
};
/* An event in EVENT_DESC. */
struct tally_perfdata_event_desc {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	uint32_t nr_ids;
};

/* A BPF program. */
struct tally_perfdata_bpf_prog {
	uint64_t offset; /* offset in the feature */
	uint32_t info_len, data_len;
	uint64_t arrays;                        /* mask of the arrays in `data` */
	struct tally_perfdata_slice info, data; /* struct bpf_prog_info; not byte-swapped */
};

/* Type information of BPF programs. */
struct tally_perfdata_btf {
	uint32_t id;
	struct tally_perfdata_slice data;
};

/* An index entry of an AUX trace. */
struct tally_perfdata_aux_entry {
	uint64_t offset, size; /* location of an AUXTRACE record in the file */
};

/* All features, decoded. Strings are "" and lists empty if a feature is absent. */
struct tally_perfdata_env {
	uint64_t present; /* bit N: feature N is present and was decoded */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_online, nr_cpus_avail;
	uint64_t total_mem_kb;
	struct tally_perfdata_strings cmdline;
	struct tally_perfdata_strings core_siblings, thread_siblings, die_siblings;
	const struct tally_perfdata_cpu *cpus; /* indexed by CPU number */
	const struct tally_perfdata_node *nodes;
	const struct tally_perfdata_pmu *pmus;
	const struct tally_perfdata_group *groups;
	const struct tally_perfdata_cache *caches;
	const struct tally_perfdata_mem_node *mem_nodes;
	const struct tally_perfdata_pmu_caps *pmu_caps;
	const struct tally_perfdata_hybrid *hybrid;
	const struct tally_perfdata_event_desc *event_desc;
	const struct tally_perfdata_bpf_prog *bpf_progs;
	const struct tally_perfdata_btf *btfs;
	const struct tally_perfdata_aux_entry *aux_index;
	uint32_t nr_cpus, nr_nodes, nr_pmus, nr_groups, nr_caches, nr_mem_nodes, nr_pmu_caps;
	const struct tally_perfdata_domain *domains;
	const struct tally_perfdata_memory_range *memory_ranges;
	uint32_t nr_domains, nr_memory_ranges;
	uint32_t schedstat_version, max_domains;
	uint32_t elf_machine, elf_flags; /* e_machine and e_flags of ELF files of this machine */
	uint32_t cache_line_size;        /* in bytes */
	uint32_t nr_hybrid, nr_event_desc, nr_bpf_progs, nr_btfs, nr_aux_index;
	uint64_t sample_time_first, sample_time_last; /* ns */
	uint64_t mem_block_size;
	uint64_t clockid_res_ns;
	uint32_t clock_data_clockid;
	uint64_t clock_data_wall_ns, clock_data_clock_ns; /* same moment on both clocks */
	uint64_t dir_version;
	uint32_t compress_version, compress_type, compress_level, compress_ratio, compress_mmap_len;
};

/* Return true if a feature is present and was decoded. */
static inline bool tally_perfdata_env_has(const struct tally_perfdata_env *env, uint32_t feature)
{
	return feature < 64 && (env->present >> feature & 1);
}

#endif
