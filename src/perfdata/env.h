/* SPDX-License-Identifier: BSD-2-Clause */
/* Feature parsers. Each one fills in its part of the env. */
#ifndef TALLY_PERFDATA_ENV_H
#define TALLY_PERFDATA_ENV_H

#include "perfdata/feature_bytes.h"
#include "tally/perfdata.h"

/* Parse a feature into `env`. Sets `in->failed` on failure. */
typedef void tally_feature_parse_fn(struct tally_feature_bytes *in, struct tally_perfdata_env *env);

/* feature_parse.c: the machine and the recording */
tally_feature_parse_fn tally_parse_nrcpus, tally_parse_total_mem, tally_parse_cmdline,
	tally_parse_sample_time, tally_parse_clockid, tally_parse_clock_data,
	tally_parse_dir_format, tally_parse_compressed, tally_parse_aux_index,
	tally_parse_elf_machine, tally_parse_cache_line_size;

/* feature_parse_topology.c: CPUs, nodes, caches, memory */
tally_feature_parse_fn tally_parse_cpu_topology, tally_parse_numa, tally_parse_caches,
	tally_parse_mem_topology, tally_parse_hybrid, tally_parse_domains,
	tally_parse_memory_ranges;

/* feature_parse_events.c: PMUs, events, BPF programs */
tally_feature_parse_fn tally_parse_pmus, tally_parse_groups, tally_parse_cpu_pmu_caps,
	tally_parse_pmu_caps, tally_parse_event_desc, tally_parse_bpf_progs, tally_parse_btfs;

/* Parse a u32 count followed by that many length-prefixed strings. */
struct tally_perfdata_strings tally_parse_strings(struct tally_feature_bytes *in);

#endif
