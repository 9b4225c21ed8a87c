/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/export_events.h"

#include "abi/attr.h"

static struct tally_export_event export_event(const struct tally_perfdata_event *event)
{
	return (struct tally_export_event){
		.number = event->index,
		.name = event->name,
		.is_time = tally_attr_is_clock(&event->attr),
		.period = event->attr.freq ? 0 : event->attr.sample_period,
		.frequency = event->attr.freq ? event->attr.sample_freq : 0,
	};
}

static bool has_samples(const struct tally_profile *profile, size_t event)
{
	return event < profile->totals.len && profile->totals.data[event].nr_shown;
}

size_t tally_export_events(const struct tally_perfdata *data, const struct tally_profile *profile,
			   uint64_t number, struct tally_export_event *events)
{
	const struct tally_perfdata_event *event;
	size_t nr = 0;

	for (size_t i = 0; (event = tally_perfdata_event(data, i)); i++) {
		if (has_samples(profile, i) && (!number || number == i + 1))
			events[nr++] = export_event(event);
	}
	event = tally_perfdata_event(data, number ? number - 1 : 0);
	if (!nr && event)
		events[nr++] = export_event(event);
	return nr;
}
