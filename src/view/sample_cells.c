/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells about the sample itself and its memory access. */
#include "view/sample_cells.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/arith.h"
#include "base/size.h"
#include "symbols/symbols.h"
#include "view/data_src_text.h"
#include "view/sample_labels.h"
#include "view/sample_place.h"

enum { NSEC_PER_SEC = 1000000000 };

static bool has(const struct tally_feed_sample *sample, uint64_t field, struct tally_str *out)
{
	if (sample->sample.present & field)
		return true;
	tally_str_add(out, TALLY_CELL_NONE);
	return false;
}

void tally_cell_time(struct tally_labels *labels, const struct tally_feed_sample *sample,
		     struct tally_str *out)
{
	uint64_t time, quantum = TALLY_MAX(labels->time_quantum_ns, (uint64_t)1);

	if (!has(sample, PERF_SAMPLE_TIME, out))
		return;
	time = sample->sample.time - sample->sample.time % quantum;
	tally_str_addf(out, "%5" PRIu64 ".", time / NSEC_PER_SEC);
	if (labels->nanoseconds)
		tally_str_addf(out, "%09" PRIu64, time % NSEC_PER_SEC);
	else
		tally_str_addf(out, "%06" PRIu64, time % NSEC_PER_SEC / 1000);
}

void tally_cell_ip(struct tally_labels *labels, const struct tally_feed_sample *sample,
		   struct tally_str *out)
{
	(void)labels;
	tally_str_addf(out, "0x%" PRIx64, sample->sample.ip);
}

void tally_cell_symbol_iaddr(struct tally_labels *labels, const struct tally_feed_sample *sample,
			     struct tally_str *out)
{
	tally_place_add_symbol(labels->machine, sample->thread, sample->cpumode, sample->sample.ip,
			       TALLY_PLACE_OFFSET, out);
}

void tally_cell_dso_size(struct tally_labels *labels, const struct tally_feed_sample *sample,
			 struct tally_str *out)
{
	uint64_t size = tally_machine_mapped_size(labels->machine, sample->thread, sample->cpumode,
						  sample->sample.ip);

	if (size)
		tally_str_add_u64(out, size);
	else
		tally_str_add(out, "unknown");
}

void tally_cell_socket(struct tally_labels *labels, const struct tally_feed_sample *sample,
		       struct tally_str *out)
{
	const struct tally_perfdata_env *env = tally_labels_env(labels);
	uint32_t cpu = sample->sample.cpu;

	if (env && cpu < env->nr_cpus && env->cpus[cpu].socket_id >= 0)
		tally_str_addf(out, "%03" PRId32, env->cpus[cpu].socket_id);
	else
		tally_str_add(out, TALLY_CELL_NONE);
}

void tally_cell_cgroup(struct tally_labels *labels, const struct tally_feed_sample *sample,
		       struct tally_str *out)
{
	const char *path;

	if (!has(sample, PERF_SAMPLE_CGROUP, out))
		return;
	path = tally_labels_cgroup(labels, sample->sample.cgroup);
	tally_str_add(out, path ? path : "unknown");
}

void tally_cell_cgroup_id(struct tally_labels *labels, const struct tally_feed_sample *sample,
			  struct tally_str *out)
{
	const struct tally_cgroup_namespace *space =
		tally_labels_namespace(labels, (uint32_t)sample->sample.tid);

	if (space)
		tally_str_addf(out, "%" PRIu64 "/0x%" PRIx64, space->dev, space->ino);
	else
		tally_str_add(out, TALLY_CELL_NONE);
}

void tally_cell_transaction(struct tally_labels *labels, const struct tally_feed_sample *sample,
			    struct tally_str *out)
{
	static const char *const names[] = {"EL ",    "TX ",  "SYNC ",      "ASYNC ",
					    "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ "};
	uint64_t flags = sample->sample.transaction;

	(void)labels;
	if (!has(sample, PERF_SAMPLE_TRANSACTION, out))
		return;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++)
		if (flags >> i & 1)
			tally_str_add(out, names[i]);
	if (flags && !(flags & 3))
		tally_str_add(out, "NEITHER ");
	if (flags >> 32)
		tally_str_addf(out, ":%" PRIx64, flags >> 32);
}

static void add_page_size(struct tally_str *out, uint64_t size)
{
	if (size)
		tally_size_add(out, size);
	else
		tally_str_add(out, TALLY_CELL_NONE);
}

void tally_cell_code_page_size(struct tally_labels *labels, const struct tally_feed_sample *sample,
			       struct tally_str *out)
{
	(void)labels;
	if (has(sample, PERF_SAMPLE_CODE_PAGE_SIZE, out))
		add_page_size(out, sample->sample.code_page_size);
}

void tally_cell_data_page_size(struct tally_labels *labels, const struct tally_feed_sample *sample,
			       struct tally_str *out)
{
	(void)labels;
	if (has(sample, PERF_SAMPLE_DATA_PAGE_SIZE, out))
		add_page_size(out, sample->sample.data_page_size);
}

/* Append the thread's name with "<N>" for each number, so that the threads of a pool are one
 * row. */
void tally_cell_comm_nodigit(struct tally_labels *labels, const struct tally_feed_sample *sample,
			     struct tally_str *out)
{
	const char *at = tally_machine_comm(labels->machine, sample->thread);

	while (*at) {
		if (!isdigit((unsigned char)*at)) {
			tally_str_add_char(out, *at++);
			continue;
		}
		tally_str_add(out, "<N>");
		while (isdigit((unsigned char)*at))
			at++;
	}
}

/* ---- weights -------------------------------------------------------------- */

static void add_weight(const struct tally_feed_sample *sample, int shift, uint64_t mask,
		       struct tally_str *out)
{
	uint64_t weight = sample->sample.weight;

	if (!has(sample, PERF_SAMPLE_WEIGHT_TYPE, out))
		return;
	if (!(sample->sample.present & PERF_SAMPLE_WEIGHT_STRUCT))
		tally_str_add_u64(out, shift ? 0 : weight);
	else
		tally_str_add_u64(out, weight >> shift & mask);
}

void tally_cell_weight(struct tally_labels *labels, const struct tally_feed_sample *sample,
		       struct tally_str *out)
{
	(void)labels;
	add_weight(sample, 0, UINT32_MAX, out);
}

void tally_cell_weight2(struct tally_labels *labels, const struct tally_feed_sample *sample,
			struct tally_str *out)
{
	(void)labels;
	add_weight(sample, 32, UINT16_MAX, out);
}

void tally_cell_weight3(struct tally_labels *labels, const struct tally_feed_sample *sample,
			struct tally_str *out)
{
	(void)labels;
	add_weight(sample, 48, UINT16_MAX, out);
}

/* ---- memory access -------------------------------------------------------- */

/* Define the cell of one part of the data source. */
#define DATA_SRC_CELL(cell, add)                                                       \
	void cell(struct tally_labels *labels, const struct tally_feed_sample *sample, \
		  struct tally_str *out)                                               \
	{                                                                              \
		const union perf_mem_data_src src = {.val = sample->sample.data_src};  \
                                                                                       \
		(void)labels;                                                          \
		if (has(sample, PERF_SAMPLE_DATA_SRC, out))                            \
			add(out, &src);                                                \
	}

DATA_SRC_CELL(tally_cell_op, tally_data_src_add_op)
DATA_SRC_CELL(tally_cell_mem, tally_data_src_add_level)
DATA_SRC_CELL(tally_cell_snoop, tally_data_src_add_snoop)
DATA_SRC_CELL(tally_cell_tlb, tally_data_src_add_tlb)
DATA_SRC_CELL(tally_cell_locked, tally_data_src_add_lock)
DATA_SRC_CELL(tally_cell_blocked, tally_data_src_add_block)

void tally_cell_symbol_daddr(struct tally_labels *labels, const struct tally_feed_sample *sample,
			     struct tally_str *out)
{
	if (has(sample, PERF_SAMPLE_ADDR, out))
		tally_place_add_symbol(labels->machine, sample->thread, sample->cpumode,
				       sample->sample.addr, TALLY_PLACE_OFFSET, out);
}

void tally_cell_dso_daddr(struct tally_labels *labels, const struct tally_feed_sample *sample,
			  struct tally_str *out)
{
	if (has(sample, PERF_SAMPLE_ADDR, out))
		tally_place_add_file(labels->machine, sample->thread, sample->cpumode,
				     sample->sample.addr, out);
}

void tally_cell_dcacheline(struct tally_labels *labels, const struct tally_feed_sample *sample,
			   struct tally_str *out)
{
	uint64_t size = tally_line_size(tally_labels_env(labels));

	if (has(sample, PERF_SAMPLE_ADDR, out))
		tally_place_add_symbol(labels->machine, sample->thread, sample->cpumode,
				       sample->sample.addr - sample->sample.addr % size,
				       TALLY_PLACE_OFFSET, out);
}

void tally_cell_phys_daddr(struct tally_labels *labels, const struct tally_feed_sample *sample,
			   struct tally_str *out)
{
	(void)labels;
	if (has(sample, PERF_SAMPLE_PHYS_ADDR, out))
		tally_str_addf(out, "[p] 0x%" PRIx64, sample->sample.phys_addr);
}
