/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/names.h"

#include "abi/attr_name.h"
#include "base/arith.h"
#include "base/text.h"

#define HW(id, name, alias, text) {name, alias, text, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, 0},
#define SW(id, name, alias, text) {name, alias, text, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 0},
#define TOOL(id, name, text) \
	{name, NULL, text, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, TALLY_TOOL_##id},
#define TOOL_EVENTS(X)                                                                     \
	X(DURATION_TIME, "duration_time", "wall-clock time of the run in ns")              \
	X(USER_TIME, "user_time", "time in user mode in ns")                               \
	X(SYSTEM_TIME, "system_time", "time in kernel mode in ns")                         \
	X(NUM_CPUS, "num_cpus", "number of CPUs, including CPUs that are offline")         \
	X(NUM_CPUS_ONLINE, "num_cpus_online", "number of CPUs that are online")            \
	X(NUM_CORES, "num_cores", "number of cores")                                       \
	X(NUM_DIES, "num_dies", "number of dies")                                          \
	X(NUM_PACKAGES, "num_packages", "number of sockets")                               \
	X(SMT_ON, "smt_on", "1 if cores run several threads, otherwise 0")                 \
	X(SYSTEM_TSC_FREQ, "system_tsc_freq", "frequency of the time stamp counter in Hz") \
	X(HAS_PMEM, "has_pmem", "1 if there is persistent memory, otherwise 0")

const struct tally_generic_event tally_generic_events[] = {
	TALLY_HARDWARE_EVENTS(HW) TALLY_SOFTWARE_EVENTS(SW) TOOL_EVENTS(TOOL)};
const size_t tally_nr_generic_events = TALLY_ARRAY_SIZE(tally_generic_events);

const struct tally_generic_event *tally_generic_find(const char *text, size_t len)
{
	for (size_t i = 0; i < tally_nr_generic_events; i++) {
		const struct tally_generic_event *event = &tally_generic_events[i];

		if (tally_text_is(event->name, text, len) || tally_text_is(event->alias, text, len))
			return event;
	}
	return NULL;
}
