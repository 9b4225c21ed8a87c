/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells about one branch of a branch stack. */
#include "base/arith.h"
#include "view/sample_cells.h"
#include "view/sample_labels.h"
#include "view/sample_place.h"

/* Define the cell of an end of a branch; `add` appends the text for an address. */
#define BRANCH_END_CELL(cell, end, add, ...)                                           \
	void cell(struct tally_labels *labels, const struct tally_feed_sample *sample, \
		  struct tally_str *out)                                               \
	{                                                                              \
		if (sample->branch)                                                    \
			add(labels->machine, sample->thread, PERF_RECORD_MISC_USER,    \
			    sample->branch->end, __VA_ARGS__);                         \
		else                                                                   \
			tally_str_add(out, "N/A");                                     \
	}

BRANCH_END_CELL(tally_cell_dso_from, from, tally_place_add_file, out)
BRANCH_END_CELL(tally_cell_dso_to, to, tally_place_add_file, out)
BRANCH_END_CELL(tally_cell_symbol_from, from, tally_place_add_symbol, TALLY_PLACE_NAME, out)
BRANCH_END_CELL(tally_cell_symbol_to, to, tally_place_add_symbol, TALLY_PLACE_NAME, out)
BRANCH_END_CELL(tally_cell_addr_from, from, tally_place_add_symbol, TALLY_PLACE_OFFSET, out)
BRANCH_END_CELL(tally_cell_addr_to, to, tally_place_add_symbol, TALLY_PLACE_OFFSET, out)
BRANCH_END_CELL(tally_cell_srcline_from, from, tally_place_add_line, out)
BRANCH_END_CELL(tally_cell_srcline_to, to, tally_place_add_line, out)

void tally_cell_mispredict(struct tally_labels *labels, const struct tally_feed_sample *sample,
			   struct tally_str *out)
{
	const struct perf_branch_entry *branch = sample->branch;

	(void)labels;
	tally_str_add(out, !branch             ? "N/A"
			   : branch->predicted ? "N"
			   : branch->mispred   ? "Y"
					       : "N/A");
}

void tally_cell_in_tx(struct tally_labels *labels, const struct tally_feed_sample *sample,
		      struct tally_str *out)
{
	(void)labels;
	tally_str_add(out, !sample->branch ? "N/A" : sample->branch->in_tx ? "T" : ".");
}

void tally_cell_abort(struct tally_labels *labels, const struct tally_feed_sample *sample,
		      struct tally_str *out)
{
	(void)labels;
	tally_str_add(out, !sample->branch ? "N/A" : sample->branch->abort ? "A" : ".");
}

/* Append the cycles since the previous branch: those of the code between them. */
void tally_cell_cycles(struct tally_labels *labels, const struct tally_feed_sample *sample,
		       struct tally_str *out)
{
	(void)labels;
	if (!sample->branch)
		tally_str_add(out, "N/A");
	else if (!sample->branch->cycles)
		tally_str_add(out, "-");
	else
		tally_str_add_u64(out, sample->branch->cycles);
}
