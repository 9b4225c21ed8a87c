/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by the source files of tally c2c. */
#ifndef TALLY_CLI_C2C_H
#define TALLY_CLI_C2C_H

#include "base/map.h"
#include "base/ranges.h"
#include "base/str.h"
#include "cli/main/recordings.h"
#include "profile/sharing/sharing.h"

/* The accesses by which lines are selected and sorted. */
enum c2c_display {
	C2C_DISPLAY_TOTAL, /* loads of lines that another CPU had modified */
	C2C_DISPLAY_LOCAL,
	C2C_DISPLAY_REMOTE,
	C2C_DISPLAY_PEER,
};

struct c2c_config {
	struct tally_recording_options recording;
	const char *display_name, *coalesce;
	enum c2c_display display;
	unsigned by; /* TALLY_SHARING_BY_*, from `coalesce` */
	uint64_t ldlat;
	int node_info; /* 0: nodes, 1: with shares, 2 and more: with lists of CPUs */
	bool stats_only, show_all, no_source, full_symbols, stdio, force;
};

struct c2c_report {
	const struct c2c_config *config;
	struct tally_session *session;
	struct tally_sharing sharing;
	const struct tally_perfdata_env *env;
	struct tally_ranges *node_cpus; /* of each node in `env`, or NULL */
	struct tally_map nodes;         /* CPU -> index in `env` of its node, or UINT32_MAX */
	TALLY_VEC(uint32_t) lines;      /* lines to show, most accesses first */
	struct tally_str out;
};

/* Return the accesses of the kind that is displayed. */
uint64_t c2c_displayed(const struct c2c_config *config, const struct tally_sharing_counts *counts);

/* Read a recording and print the report. Returns 0, or -errno after printing an error. */
int c2c_report(struct c2c_config *config);

/* Append the two sections with counts. */
void c2c_add_counts(struct c2c_report *report);

/* Append the tables of cache lines and of the sites in them. Returns 0 or -ENOMEM. */
int c2c_add_tables(struct c2c_report *report);

/* Append the title of a section. */
void c2c_add_title(struct tally_str *out, const char *title);

#endif
