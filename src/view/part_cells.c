/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that decide to which sum of a row a sample adds; see struct tally_view_column. */
#include <stdlib.h>

#include "profile/frame_kind.h"
#include "view/sample_cells.h"
#include "view/sample_labels.h"

/* Each running thread accounts for an equal part of the elapsed time. */
void tally_cell_parallelism(struct tally_labels *labels, const struct tally_feed_sample *sample,
			    struct tally_str *out)
{
	size_t nr;

	if (tally_running_sample(&labels->running, sample->sample.tid, &nr))
		out->failed = true;
	else
		tally_str_add_u64(out, nr);
}

uint64_t tally_part_latency(const char *cell, uint64_t nr, uint64_t period)
{
	uint64_t threads = strtoull(cell, NULL, 10);

	(void)nr;
	return threads ? period / threads : 0;
}

void tally_cell_mode(struct tally_labels *labels, const struct tally_feed_sample *sample,
		     struct tally_str *out)
{
	(void)labels;
	tally_str_add_u64(out, sample->cpumode);
}

static uint64_t in_mode(const char *cell, unsigned mode, uint64_t period)
{
	return strtoul(cell, NULL, 10) == mode ? period : 0;
}

uint64_t tally_part_kernel(const char *cell, uint64_t nr, uint64_t period)
{
	(void)nr;
	return in_mode(cell, PERF_RECORD_MISC_KERNEL, period);
}

uint64_t tally_part_user(const char *cell, uint64_t nr, uint64_t period)
{
	(void)nr;
	return in_mode(cell, PERF_RECORD_MISC_USER, period);
}

uint64_t tally_part_guest_kernel(const char *cell, uint64_t nr, uint64_t period)
{
	(void)nr;
	return in_mode(cell, PERF_RECORD_MISC_GUEST_KERNEL, period);
}

uint64_t tally_part_guest_user(const char *cell, uint64_t nr, uint64_t period)
{
	(void)nr;
	return in_mode(cell, PERF_RECORD_MISC_GUEST_USER, period);
}

uint64_t tally_part_weight(const char *cell, uint64_t nr, uint64_t period)
{
	uint64_t weight = strtoull(cell, NULL, 10), sum;

	(void)period;
	return __builtin_mul_overflow(weight, nr, &sum) ? UINT64_MAX : sum;
}
