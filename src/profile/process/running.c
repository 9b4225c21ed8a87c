/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/running.h"

#include "abi/abi_record.h"
#include "base/arith.h"

static int set_running(struct tally_running *running, int32_t tid, bool runs)
{
	if (tid > 0 && runs)
		return tally_map_set(&running->threads, (uint32_t)tid, 1);
	(void)tally_map_remove(&running->threads, (uint32_t)tid);
	return 0;
}

static int switch_record(struct tally_running *running, const struct tally_sample_layout *layout,
			 const void *record, size_t size)
{
	struct tally_sample from = {0};

	if (!layout || tally_trailer_decode(layout, record, size, &from, NULL) ||
	    !(from.present & PERF_SAMPLE_TID))
		return 0;
	running->has_switches = true;
	return set_running(running, from.tid,
			   !(tally_record_header(record).misc & PERF_RECORD_MISC_SWITCH_OUT));
}

int tally_running_record(struct tally_running *running, const struct tally_sample_layout *layout,
			 const void *record, size_t size)
{
	struct tally_task task;

	switch (tally_record_header(record).type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return switch_record(running, layout, record, size);
	case PERF_RECORD_EXIT:
		return tally_record_task(record, size, &task)
			       ? 0
			       : set_running(running, task.tid, false);
	default: return 0;
	}
}

int tally_running_sample(struct tally_running *running, int32_t tid, size_t *ret_nr)
{
	int ret = set_running(running, tid, true);

	*ret_nr = TALLY_MAX(running->threads.len, (size_t)1);
	return ret;
}

void tally_running_free(struct tally_running *running)
{
	tally_map_free(&running->threads);
}
