/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/perfdata_names.h"

#include <errno.h>

#include "perfdata/reader.h"

const char *tally_names_copy(struct tally_perfdata *data, const void *name, size_t len)
{
	if (len > TALLY_EVENT_NAME_MAX) {
		len = TALLY_EVENT_NAME_MAX;
		tally_reader_add_note(data, (struct tally_perfdata_note){
						    .kind = TALLY_NOTE_LIMIT,
						    .offset = data->input.at,
						    .text = "an event name is longer than the "
							    "limit of 1023 bytes: truncated"});
	}
	return tally_arena_strndup(&data->events.texts, name, len);
}

/* Count another event checked for a name. Return false if the limit has been reached. */
static bool naming_is_allowed(struct tally_perfdata *data)
{
	if (data->names.namings < TALLY_NAMINGS_MAX) {
		data->names.namings++;
		return true;
	}
	tally_reader_add_note(data, (struct tally_perfdata_note){
					    .kind = TALLY_NOTE_LIMIT,
					    .offset = data->input.at,
					    .text = "more names for the same events than the limit "
						    "of 4194304: further names are ignored"});
	return false;
}

int tally_names_by_config(struct tally_perfdata *data, uint32_t type, uint64_t config,
			  enum tally_name_rank rank, struct tally_perfdata_slice name)
{
	struct tally_perfdata_events *events = &data->events;
	struct tally_event *event = tally_perfdata_events_by_config(events, config);
	const char *copy = NULL;

	for (; event; event = tally_perfdata_events_same_config(events, event)) {
		if (!naming_is_allowed(data))
			break;
		if ((type != TALLY_ANY_TYPE && event->pub.attr.type != type) || rank < event->rank)
			continue;
		if (!copy)
			copy = tally_names_copy(data, name.data, name.len);
		if (!copy)
			return -ENOMEM;
		tally_perfdata_events_name(event, rank, copy);
	}
	return 0;
}

void tally_names_free(struct tally_names *names)
{
	tally_vec_free(&names->descs.entries);
	tally_map_free(&names->descs.by_id);
	tally_map_free(&names->formats);
	tally_vec_free(&names->tracepoints);
}
