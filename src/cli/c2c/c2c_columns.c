/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the tables of tally c2c report. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/endian.h"
#include "cli/c2c/c2c_columns.h"
#include "cli/c2c/c2c_nodes.h"
#include "profile/frame_text.h"
#include "view/sample_place.h"
#include "view/shorten.h"
#include "view/width.h"

enum { SYMBOL_WIDTH = 30 };

static const struct tally_sharing_counts *counts_of(const struct c2c_row *row)
{
	return row->site ? &row->site->counts : &row->line->counts;
}

/* ---- cells of both tables --------------------------------------------------------------- */

static void add_index(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	if (!row->site)
		tally_str_addf(out, "%zu", row->index);
}

static void add_count(const struct c2c_row *row, int argument, struct tally_str *out)
{
	tally_str_add_u64(out, counts_of(row)->nr[argument]);
}

/* Sums of counts. */
enum { SUM_HITM, SUM_PEER, SUM_RECORDS, SUM_LOADS };

static void add_sum(const struct c2c_row *row, int argument, struct tally_str *out)
{
	static uint64_t (*const sums[])(const struct tally_sharing_counts *counts) = {
		[SUM_HITM] = tally_sharing_hitm,
		[SUM_PEER] = tally_sharing_peer,
		[SUM_RECORDS] = tally_sharing_records,
		[SUM_LOADS] = tally_sharing_loads,
	};

	tally_str_add_u64(out, sums[argument](counts_of(row)));
}

/* Append the memory node of the last physical address, or "N/A". */
static void add_memory_node(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_perfdata_env *env = row->report->env;
	uint64_t address = row->site ? row->site->memory.last : row->line->memory.last;

	(void)argument;
	for (uint32_t i = 0; address && env->mem_block_size && i < env->nr_mem_nodes; i++) {
		const struct tally_perfdata_mem_node *node = &env->mem_nodes[i];
		uint64_t block = address / env->mem_block_size;

		if (block >= node->nr_bits ||
		    !(tally_get_u64(node->bits.data + block / 64 * 8) >> block % 64 & 1))
			continue;
		tally_str_add_u64(out, node->node);
		return;
	}
	tally_str_add(out, "N/A");
}

static void add_pages(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	tally_str_add_u64(out, row->site ? row->site->memory.changes : row->line->memory.changes);
}

/* ---- cells of lines ---------------------------------------------------------------------- */

static void add_address(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	tally_str_addf(out, "0x%" PRIx64, row->line->address);
}

static void add_percent(uint64_t part, uint64_t whole, struct tally_str *out)
{
	tally_str_addf(out, "%.2f%%", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

static void add_share(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct c2c_report *report = row->report;

	(void)argument;
	add_percent(c2c_displayed(report->config, &row->line->counts),
		    c2c_displayed(report->config, &report->sharing.total), out);
}

/* ---- cells of sites --------------------------------------------------------------------- */

/* Append a count: of the line, or the site's share of it. */
static void add_part(const struct c2c_row *row, int argument, struct tally_str *out)
{
	uint64_t whole = row->line->counts.nr[argument];

	if (row->site)
		add_percent(row->site->counts.nr[argument], whole, out);
	else
		tally_str_add_u64(out, whole);
}

static void add_offset(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	if (row->site)
		tally_str_addf(out, "0x%" PRIx64,
			       row->site->address % row->report->sharing.line_size);
	else
		add_address(row, 0, out);
}

static void add_pid(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	tally_str_addf(out, "%" PRId32, row->site->pid);
}

static void add_tid(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_intern *comms = tally_machine_comms(row->report->session->machine);

	(void)argument;
	tally_str_addf(out, "%" PRId32 ":%s", row->site->tid,
		       tally_intern_text(comms, tally_machine_comm_of(row->report->session->machine,
								      row->site->comm)));
}

static void add_code(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	tally_str_addf(out, "0x%" PRIx64, row->site->ip);
}

static void add_cost(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_sharing_cost *cost = &row->site->costs[argument];

	tally_str_addf(out, "%.0f", cost->nr ? (double)cost->sum / (double)cost->nr : 0.0);
}

static void add_nr_cpus(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	tally_str_add_u64(out, row->site->nr_cpus);
}

static struct tally_frame frame_of(const struct c2c_row *row)
{
	return (struct tally_frame){.dso = row->site->dso,
				    .symbol = row->site->symbol,
				    .addr = row->site->code,
				    .cpumode = row->site->cpumode};
}

static void add_symbol(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_frame frame = frame_of(row);
	size_t start;

	(void)argument;
	tally_str_addf(out, "[%c] ", tally_cpumode_letter(frame.cpumode));
	start = out->len;
	tally_frame_add_name(&frame, out);
	if (!row->report->config->full_symbols)
		tally_shorten(out, start, TALLY_SHORTEN_NAME, SYMBOL_WIDTH - 4, "...");
}

static void add_file(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_frame frame = frame_of(row);

	(void)argument;
	tally_frame_add_file(&frame, true, out);
}

static void add_line(const struct c2c_row *row, int argument, struct tally_str *out)
{
	const struct tally_location where = {.addr = row->site->code,
					     .dso = row->site->dso,
					     .symbol = row->site->symbol,
					     .cpumode = row->site->cpumode};

	(void)argument;
	tally_place_add_location_line(&where, out);
}

static void add_cpu_nodes(const struct c2c_row *row, int argument, struct tally_str *out)
{
	(void)argument;
	c2c_add_nodes(row->report, row->site, out);
}

/* ---- columns --------------------------------------------------------------------------- */

#define COUNT(top, span, bottom, width, count)                                    \
	{                                                                         \
		top, span, bottom, width, add_count, TALLY_SHARING_##count, false \
	}

static const struct c2c_column line_first[] = {
	{"", 1, "Index", 5, add_index, 0, false},
	{"----------- Cacheline ----------", 3, "Address", 18, add_address, 0, false},
	{NULL, 0, "Node", 4, add_memory_node, 0, false},
	{NULL, 0, "PA cnt", 6, add_pages, 0, false},
};

static const struct c2c_column line_hitm[] = {
	{"------- Load Hitm -------", 3, "Total", 7, add_sum, SUM_HITM, false},
	COUNT(NULL, 0, "LclHitm", 7, LOCAL_HITM),
	COUNT(NULL, 0, "RmtHitm", 7, REMOTE_HITM),
};

static const struct c2c_column line_peer[] = {
	{"------- Load Peer -------", 3, "Total", 7, add_sum, SUM_PEER, false},
	COUNT(NULL, 0, "Local", 7, LOCAL_PEER),
	COUNT(NULL, 0, "Remote", 7, REMOTE_PEER),
};

static const struct c2c_column line_last[] = {
	{"Total", 1, "records", 7, add_sum, SUM_RECORDS, false},
	{"Total", 1, "Loads", 7, add_sum, SUM_LOADS, false},
	COUNT("Total", 1, "Stores", 7, STORES),
	COUNT("--------- Stores --------", 3, "L1Hit", 7, STORE_L1_HIT),
	COUNT(NULL, 0, "L1Miss", 7, STORE_L1_MISS),
	COUNT(NULL, 0, "N/A", 7, STORE_NO_LEVEL),
	COUNT("----- Core Load Hit -----", 3, "FB", 7, FILL_BUFFER),
	COUNT(NULL, 0, "L1", 7, L1),
	COUNT(NULL, 0, "L2", 7, L2),
	COUNT("- LLC Load Hit --", 2, "LclHit", 8, LLC),
	COUNT(NULL, 0, "LclHitm", 7, LOCAL_HITM),
	COUNT("- RMT Load Hit --", 2, "RmtHit", 8, REMOTE_HIT),
	COUNT(NULL, 0, "RmtHitm", 7, REMOTE_HITM),
	COUNT("--- Load Dram ----", 2, "Lcl", 8, LOCAL_DRAM),
	COUNT(NULL, 0, "Rmt", 8, REMOTE_DRAM),
};

#define PART(top, span, bottom, count)                                       \
	{                                                                    \
		top, span, bottom, 7, add_part, TALLY_SHARING_##count, false \
	}
#define COST(top, span, bottom, cost)                                            \
	{                                                                        \
		top, span, bottom, 8, add_cost, TALLY_SHARING_COST_##cost, false \
	}

static const struct c2c_column site_hitm[] = {
	{"", 1, "Num", 5, add_index, 0, false},
	PART("----- HITM -----", 2, "RmtHitm", REMOTE_HITM),
	PART(NULL, 0, "LclHitm", LOCAL_HITM),
};

static const struct c2c_column site_peer[] = {
	{"", 1, "Num", 5, add_index, 0, false},
	PART("-- Peer Snoop --", 2, "Rmt", REMOTE_PEER),
	PART(NULL, 0, "Lcl", LOCAL_PEER),
};

static const struct c2c_column site_stores[] = {
	PART("------- Store Refs ------", 3, "L1 Hit", STORE_L1_HIT),
	PART(NULL, 0, "L1 Miss", STORE_L1_MISS),
	PART(NULL, 0, "N/A", STORE_NO_LEVEL),
	{"--------- Data address ---------", 3, "Offset", 18, add_offset, 0, false},
	{NULL, 0, "Node", 4, add_memory_node, 0, false},
	{NULL, 0, "PA cnt", 6, add_pages, 0, false},
};

static const struct c2c_column site_pid = {"", 1, "Pid", 7, add_pid, 0, false};
static const struct c2c_column site_tid = {"", 1, "Tid", 12, add_tid, 0, false};
static const struct c2c_column site_code = {"", 1, "Code address", 18, add_code, 0, false};

static const struct c2c_column cost_hitm[] = {
	COST("---------- cycles ----------", 3, "rmt hitm", REMOTE_HITM),
	COST(NULL, 0, "lcl hitm", LOCAL_HITM),
	COST(NULL, 0, "load", LOAD),
};

static const struct c2c_column cost_peer[] = {
	COST("---------- cycles ----------", 3, "rmt peer", REMOTE_PEER),
	COST(NULL, 0, "lcl peer", LOCAL_PEER),
	COST(NULL, 0, "load", LOAD),
};

static const struct c2c_column site_last[] = {
	{"Total", 1, "records", 7, add_sum, SUM_RECORDS, false},
	{"cpu", 1, "cnt", 8, add_nr_cpus, 0, false},
};

static const struct c2c_column site_symbol = {"", 1, "Symbol", 0, add_symbol, 0, true};
static const struct c2c_column site_file = {"Shared", 1, "Object", 0, add_file, 0, true};
static const struct c2c_column site_line = {"", 1, "Source:Line", 0, add_line, 0, true};

static void add_columns(struct c2c_table *table, const struct c2c_column *columns, size_t nr)
{
	memcpy(table->columns + table->nr, columns, nr * sizeof(*columns));
	table->nr += (int)nr;
}

#define ADD(table, columns) add_columns(table, columns, TALLY_ARRAY_SIZE(columns))

void c2c_line_columns(const struct c2c_config *config, struct c2c_table *table)
{
	static const char *const tops[] = {
		[C2C_DISPLAY_TOTAL] = "Tot",
		[C2C_DISPLAY_LOCAL] = "Lcl",
		[C2C_DISPLAY_REMOTE] = "Rmt",
		[C2C_DISPLAY_PEER] = "Peer",
	};
	const struct c2c_column share = {tops[config->display],
					 1,
					 table->is_peer ? "Snoop" : "Hitm",
					 7,
					 add_share,
					 0,
					 false};

	ADD(table, line_first);
	add_columns(table, &share, 1);
	if (table->is_peer)
		ADD(table, line_peer);
	else
		ADD(table, line_hitm);
	ADD(table, line_last);
}

void c2c_site_columns(const struct c2c_config *config, struct c2c_table *table)
{
	static const char *const nodes[] = {"Node", "Node{cpus %hitms %stores}", "Node{cpu list}"};
	const struct c2c_column node = {
		"", 1, nodes[TALLY_MIN(config->node_info, 2)], 0, add_cpu_nodes, 0, true};

	if (table->is_peer)
		ADD(table, site_peer);
	else
		ADD(table, site_hitm);
	ADD(table, site_stores);
	if (config->by & TALLY_SHARING_BY_PID)
		add_columns(table, &site_pid, 1);
	if (config->by & TALLY_SHARING_BY_TID)
		add_columns(table, &site_tid, 1);
	if (config->by & TALLY_SHARING_BY_CODE)
		add_columns(table, &site_code, 1);
	if (table->is_peer)
		ADD(table, cost_peer);
	else
		ADD(table, cost_hitm);
	ADD(table, site_last);
	if (config->by & TALLY_SHARING_BY_CODE)
		add_columns(table, &site_symbol, 1);
	if (config->by & (TALLY_SHARING_BY_CODE | TALLY_SHARING_BY_FILE))
		add_columns(table, &site_file, 1);
	if (config->by & TALLY_SHARING_BY_CODE && !config->no_source)
		add_columns(table, &site_line, 1);
	add_columns(table, &node, 1);
}

int c2c_offset_column(const struct c2c_table *table)
{
	int i = 0;

	while (table->columns[i].add != add_offset)
		i++;
	return i;
}
