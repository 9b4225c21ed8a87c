/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/names.h"

#include <string.h>

#include "base/arith.h"

#define HW(id, name, alias, text)                                            \
	{                                                                    \
		name, alias, text, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0 \
	}
#define SW(id, name, alias, text)                                            \
	{                                                                    \
		name, alias, text, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 0 \
	}
#define TOOL(id, name, text)                                                               \
	{                                                                                  \
		name, NULL, text, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, TALLY_TOOL_##id \
	}

/* The order is that of the constants; the first of several names for a config is shown. */
const struct tally_generic_event tally_generic_events[] = {
	HW(CPU_CYCLES, "cycles", "cpu-cycles", "cycles in which the CPU was not halted"),
	HW(INSTRUCTIONS, "instructions", NULL, "instructions retired"),
	HW(CACHE_REFERENCES, "cache-references", NULL, "accesses to the last-level cache"),
	HW(CACHE_MISSES, "cache-misses", NULL, "misses of the last-level cache"),
	HW(BRANCH_INSTRUCTIONS, "branches", "branch-instructions", "branches retired"),
	HW(BRANCH_MISSES, "branch-misses", NULL, "branches predicted wrongly"),
	HW(BUS_CYCLES, "bus-cycles", NULL, "bus cycles"),
	HW(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend",
	   "cycles in which no instruction could be issued"),
	HW(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend",
	   "cycles in which no instruction could retire"),
	HW(REF_CPU_CYCLES, "ref-cycles", NULL, "cycles at a constant rate, not halted"),
	SW(CPU_CLOCK, "cpu-clock", NULL, "time of the CPU, ns"),
	SW(TASK_CLOCK, "task-clock", NULL, "time the tasks ran, ns"),
	SW(PAGE_FAULTS, "page-faults", "faults", "page faults"),
	SW(CONTEXT_SWITCHES, "context-switches", "cs", "context switches"),
	SW(CPU_MIGRATIONS, "cpu-migrations", "migrations", "moves of tasks to other CPUs"),
	SW(PAGE_FAULTS_MIN, "minor-faults", NULL, "page faults without input or output"),
	SW(PAGE_FAULTS_MAJ, "major-faults", NULL, "page faults that waited for a device"),
	SW(ALIGNMENT_FAULTS, "alignment-faults", NULL, "unaligned accesses mended by the kernel"),
	SW(EMULATION_FAULTS, "emulation-faults", NULL, "instructions emulated by the kernel"),
	SW(DUMMY, "dummy", NULL, "counts nothing, carries the side-band records"),
	SW(BPF_OUTPUT, "bpf-output", NULL, "samples written by BPF programs"),
	SW(CGROUP_SWITCHES, "cgroup-switches", NULL, "context switches between cgroups"),
	TOOL(DURATION_TIME, "duration_time", "wall time of the run, ns"),
	TOOL(USER_TIME, "user_time", "time in user mode, ns"),
	TOOL(SYSTEM_TIME, "system_time", "time in kernel mode, ns"),
};
const size_t tally_nr_generic_events = TALLY_ARRAY_SIZE(tally_generic_events);

bool tally_name_is(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, text, len);
}

const struct tally_generic_event *tally_generic_find(const char *text, size_t len)
{
	for (size_t i = 0; i < tally_nr_generic_events; i++) {
		const struct tally_generic_event *event = &tally_generic_events[i];

		if (tally_name_is(event->name, text, len) || tally_name_is(event->alias, text, len))
			return event;
	}
	return NULL;
}

const struct tally_generic_event *tally_generic_by_config(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < tally_nr_generic_events; i++)
		if (tally_generic_events[i].type == type &&
		    tally_generic_events[i].config == config)
			return &tally_generic_events[i];
	return NULL;
}
