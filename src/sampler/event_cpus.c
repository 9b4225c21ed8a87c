/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/event_cpus.h"

#include <string.h>

static bool same_cpus(const struct tally_cpus *a, const struct tally_cpus *b)
{
	return a->nr == b->nr && !memcmp(a->cpu, b->cpu, a->nr * sizeof(a->cpu[0]));
}

void tally_event_cpus_warn(const struct tally_counters *counters,
			   const struct tally_event_list *list, const char *done,
			   const struct tally_messages *messages)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct tally_event_spec *spec = &list->specs[i];
		const struct tally_cpus *cpus = tally_counters_cpus(counters, i);

		if (!cpus->nr)
			tally_message_warn(messages, "%s is not %s: none of its CPUs is selected",
					   spec->name, done);
		else if (spec->in_braces && spec->leader < list->nr &&
			 !same_cpus(cpus, tally_counters_cpus(counters, spec->leader)))
			tally_message_warn(messages,
					   "%s is %s separately from its group, which is on "
					   "other CPUs",
					   spec->name, done);
	}
}
