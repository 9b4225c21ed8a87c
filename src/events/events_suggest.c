/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the event names most similar to an unknown name. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "events/names.h"
#include "events/parse.h"
#include "events/events_suggest.h"
#include "events/tracefs.h"
#include "events/events_error.h"

static int offer_info(const struct tally_event_info *info, void *data)
{
	tally_suggest_offer(data, info->name);
	if (info->alias)
		tally_suggest_offer(data, info->alias);
	return 0;
}

void tally_suggest_events(struct tally_event_parser *p, struct tally_word word)
{
	struct tally_suggest suggest;
	const tally_name_vec *names;
	const char *root;
	unsigned kinds = TALLY_EVENT_HARDWARE | TALLY_EVENT_SOFTWARE | TALLY_EVENT_CACHE;
	char full[128];

	tally_suggest_start(&suggest, word.text, word.len);
	/* Vendors use upper case in names, but the tables use lower case. Ignore the difference. */
	if (!strpbrk(suggest.word, "abcdefghijklmnopqrstuvwxyz"))
		for (char *at = suggest.word; *at; at++)
			*at = (char)tolower((unsigned char)*at);
	tally_events_each(p->events, kinds | TALLY_EVENT_PMU | TALLY_EVENT_TABLE, NULL, offer_info,
			  &suggest);
	/* Suggest tracepoints for a name without its system, such as sched_switch. */
	if (!tally_events_tracefs(p->events, &root, NULL))
		tally_tracepoint_offer(p->events, suggest.word, &suggest);
	if (!tally_pmu_names(p->events, &names)) {
		tally_vec_for_each (name, names) {
			snprintf(full, sizeof(full), "%.60s//", *name);
			tally_suggest_offer(&suggest, full);
		}
	}
	tally_error_near(p->err, &suggest);
}
