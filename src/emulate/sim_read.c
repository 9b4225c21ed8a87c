/* SPDX-License-Identifier: BSD-2-Clause */
/* Replace the values that read(2) returned with the script's sequences of values. */
#include <string.h>

#include "base/arith.h"
#include "emulate/emulate_sim_private.h"
#include "tally/abi.h"

/* Get the next value in an event's sequence; the last value is repeated. Returns false if the event
 * has no sequence. */
static bool next_value(const struct tally_script *script, struct emulated_event *event,
		       uint64_t *ret_value)
{
	const struct tally_script_event *scripted = event->scripted;

	if (!scripted || !scripted->nr)
		return false;
	*ret_value = script->sequence[scripted->first + TALLY_MIN(event->reads, scripted->nr - 1)];
	event->reads += event->reads < scripted->nr;
	return true;
}

/* Replace a group's values: first the leader's, then the members' in the order in which they were
 * opened. */
static void read_group(struct emulated_machine *machine, struct emulated_event *leader,
		       uint64_t *values, size_t nr)
{
	uint64_t format = leader->read_format;
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t step = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	size_t at = 1 + times;

	tally_list_for_each (link, &machine->opened) {
		struct emulated_event *event =
			tally_container_of(link, struct emulated_event, link);

		if (event->leader != leader || at >= nr)
			continue;
		next_value(machine->script, event, &values[at]);
		at += step;
	}
}

void emulated_read_scripted(struct emulated_machine *machine, struct emulated_event *event,
			    void *values, size_t len)
{
	if (!machine->script->nr_sequence || len < sizeof(uint64_t))
		return;
	if (event->read_format & PERF_FORMAT_GROUP)
		read_group(machine, event, values, len / sizeof(uint64_t));
	else
		next_value(machine->script, event, values);
}
