/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/event_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the length without modifiers: of "cycles" in "cycles:u", and of "cpu/cycles/" in
 * "cpu/cycles/u". */
static size_t plain_len(const char *name)
{
	size_t len = strlen(name), at = len;

	while (at && isalpha((unsigned char)name[at - 1]))
		at--;
	if (at && name[at - 1] == ':')
		return at - 1;
	return at && name[at - 1] == '/' ? at : len;
}

static bool differs_in_modifiers(const char *a, const char *b)
{
	size_t len = plain_len(a);

	return len == plain_len(b) && !memcmp(a, b, len);
}

static bool counts_the_same(const struct tally_event_name *known,
			    const struct perf_event_attr *attr)
{
	return known->type == attr->type && known->config == attr->config;
}

static const struct tally_event_name *find_name(const struct tally_event_names *names,
						const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->known[i].name, name))
			return &names->known[i];
	return NULL;
}

/* Find the only known event that counts the same. */
static const struct tally_event_name *find_same(const struct tally_event_names *names,
						const struct perf_event_attr *attr)
{
	const struct tally_event_name *found = NULL;

	for (size_t i = 0; i < names->nr; i++) {
		if (!counts_the_same(&names->known[i], attr))
			continue;
		if (found)
			return NULL;
		found = &names->known[i];
	}
	return found;
}

/* Return true if the recording has one event that counts the same, and no event with this name. */
static bool is_alone(const struct tally_session *session, const struct tally_event_name *known)
{
	const struct tally_perfdata_event *event;
	int nr = 0;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		nr += counts_the_same(known, &event->attr);
		if (!strcmp(event->name, known->name))
			return false;
	}
	return nr == 1;
}

int tally_event_names_match(struct tally_event_names *names, const struct tally_session *session,
			    const struct tally_perfdata_event *event, const char **ret_name)
{
	const struct tally_event_name *same;
	char *copy;

	if (names->nr == TALLY_EVENT_NAMES_MAX ||
	    tally_perfdata_nr_events(session->data) > TALLY_EVENT_NAMES_MAX ||
	    find_name(names, event->name)) {
		*ret_name = event->name;
		return 0;
	}
	same = find_same(names, &event->attr);
	if (same && differs_in_modifiers(event->name, same->name) && is_alone(session, same)) {
		tally_message_warn(session->options.messages,
				   "'%s' of %s is compared with '%s', which counts the same with "
				   "other modifiers",
				   event->name, session->name, same->name);
		*ret_name = same->name;
		return 0;
	}
	copy = strdup(event->name);
	if (!copy)
		return -ENOMEM;
	names->known[names->nr++] =
		(struct tally_event_name){copy, event->attr.type, event->attr.config};
	*ret_name = event->name;
	return 0;
}

void tally_event_names_free(struct tally_event_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->known[i].name);
	names->nr = 0;
}
