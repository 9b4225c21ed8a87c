/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of tally stat, set from the command line. */
#ifndef TALLY_CLI_STAT_CONFIG_H
#define TALLY_CLI_STAT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cli/main/command.h"
#include "cli/stat/stat_table.h"
#include "sampler/event_source.h"
#include "sampler/target.h"

/* A -G or --filter option, which applies to the preceding -e options. */
struct stat_attached {
	size_t nr_events; /* number of -e options that precede this option */
	const char *text;
};

struct stat_attached_list {
	TALLY_VEC(struct stat_attached) items;
};

struct stat_config {
	struct tally_option_list events, metrics;
	struct tally_event_source source;
	struct stat_attached_list cgroups, filters;
	const char *each_cgroup;
	struct tally_target target;
	const char *via;
	const char *metric_pmu; /* --pmu-filter */
	const char *cache;      /* --per-cache: level such as "L3", or "" */
	const char *prometheus; /* --prometheus: address or file, "" for the default address */
	const char *output, *separator, *repeat, *delay, *control, *pre, *post;
	uint64_t interval_ms, interval_count, timeout_ms, topdown_level;
	int detail, verbose, log_fd;
	bool aggr[STAT_NR_AGGR];
	bool group, all_user, all_kernel, null_run, no_inherit, no_scale, no_big_num, big_num;
	const char *record_output; /* with 'stat record': where to write, or NULL for the default */
	bool record, interval_clear;
	bool no_merge, transaction, smi_cost, metric_only_given;
	bool regions; /* --regions */
	bool append, force, perf_json, json, summary, no_csv_summary, quiet, table, sync;
	bool topdown, metric_only, metric_no_group, metric_no_merge, dry_run, plan;
	bool log_fd_given, timeout_given;
	/* Set from the strings above by stat_config_check(). */
	enum stat_aggr mode;
	int32_t cache_level; /* 0 for the highest */
	uint64_t runs;       /* 0 if unlimited */
	uint64_t publish_ms; /* --prometheus: interval of -I, which is then 0; 0 if none */
	int64_t delay_ms;    /* -1 to wait until --control enables events */
};

#endif
