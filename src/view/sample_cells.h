/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cells that are computed from a sample; see view/sample_labels.h. Each function appends one cell,
 * in perf's words where perf has that sort key. "N/A" is appended if the sample does not have the
 * field.
 */
#ifndef TALLY_VIEW_SAMPLE_CELLS_H
#define TALLY_VIEW_SAMPLE_CELLS_H

#include "view/view.h"

#define TALLY_CELL_NONE "N/A"

/* The formatted output of a tracepoint. */
tally_cell_fn tally_cell_trace;

/* The value of one field of a tracepoint, or "N/A". */
void tally_cell_field(struct tally_labels *labels, const struct tally_view_field *field,
		      const struct tally_feed_sample *sample, struct tally_str *out);

/* Time (rounded down), address of the instruction, socket, cgroup, transaction. */
tally_cell_fn tally_cell_time, tally_cell_ip, tally_cell_symbol_iaddr, tally_cell_dso_size,
	tally_cell_socket, tally_cell_cgroup, tally_cell_cgroup_id, tally_cell_transaction,
	tally_cell_code_page_size, tally_cell_comm_nodigit;

/* The parts of the weight: cost in cycles, latency of the instruction, third part. */
tally_cell_fn tally_cell_weight, tally_cell_weight2, tally_cell_weight3;

/* Memory access: the data's address, and the parts of the data source. */
tally_cell_fn tally_cell_op, tally_cell_mem, tally_cell_snoop, tally_cell_tlb, tally_cell_locked,
	tally_cell_blocked, tally_cell_symbol_daddr, tally_cell_dso_daddr, tally_cell_dcacheline,
	tally_cell_phys_daddr, tally_cell_data_page_size;

/* The type of the data that the instruction accesses; the same with the offset and the member. */
tally_cell_fn tally_cell_type, tally_cell_typeoff, tally_cell_typecln;

/* The number of threads that were running; PERF_RECORD_MISC_* of the address space. */
tally_cell_fn tally_cell_parallelism, tally_cell_mode;

/* Parts of a row's period or weight (struct tally_view_column), by the text of such a cell. */
uint64_t tally_part_latency(const char *cell, uint64_t nr, uint64_t period);
uint64_t tally_part_kernel(const char *cell, uint64_t nr, uint64_t period);
uint64_t tally_part_user(const char *cell, uint64_t nr, uint64_t period);
uint64_t tally_part_guest_kernel(const char *cell, uint64_t nr, uint64_t period);
uint64_t tally_part_guest_user(const char *cell, uint64_t nr, uint64_t period);
uint64_t tally_part_weight(const char *cell, uint64_t nr, uint64_t period);

/* A branch: needs samples with `branch`. */
tally_cell_fn tally_cell_dso_from, tally_cell_dso_to, tally_cell_symbol_from, tally_cell_symbol_to,
	tally_cell_addr_from, tally_cell_addr_to, tally_cell_srcline_from, tally_cell_srcline_to,
	tally_cell_mispredict, tally_cell_in_tx, tally_cell_abort, tally_cell_cycles;

#endif
