/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort keys that are fields of the recording's tracepoints. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"
#include "cli/report/report_fields.h"
#include "tally/events.h"

/* "sched:sched_switch.prev_comm", "prev_comm", or "trace_fields" for all fields; also with "/raw".
 * As in perf, the event can also be a part of a name, or a number: "switch.prev_comm",
 * "%1.prev_comm". */
struct field_word {
	const char *event, *name; /* `event` is NULL for any event */
	size_t event_len, len;
	bool is_all, raw;
};

static struct field_word field_word(const char *word, size_t len)
{
	static const char raw[] = "/raw";
	const size_t raw_len = sizeof(raw) - 1;
	bool is_raw = len > raw_len && !memcmp(word + len - raw_len, raw, raw_len);
	const char *dot = memchr(word, '.', len);
	struct field_word made = {.name = word, .raw = is_raw};

	len -= is_raw ? raw_len : 0;
	made.len = len;
	if (dot) {
		made.event = word;
		made.event_len = (size_t)(dot - word);
		made.name = dot + 1;
		made.len = len - made.event_len - 1;
	}
	made.is_all = dot ? made.len == 1 && *made.name == '*'
			  : len == 12 && !memcmp(word, "trace_fields", len);
	return made;
}

/* Names come from the recording, and become headings. */
static bool is_identifier(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

static bool is_wanted(const struct field_word *word, const char *name)
{
	return is_identifier(name) && (word->is_all || (strlen(name) == word->len &&
							!memcmp(name, word->name, word->len)));
}

static bool is_of_event(const struct field_word *word, const struct tally_perfdata_event *event,
			size_t number)
{
	char *end;

	if (!word->event)
		return true;
	if (*word->event == '%')
		return strtoull(word->event + 1, &end, 10) == number &&
		       end == word->event + word->event_len;
	if (!memchr(word->event, ':', word->event_len))
		return memmem(event->name, strlen(event->name), word->event, word->event_len);
	return strlen(event->name) == word->event_len &&
	       !memcmp(event->name, word->event, word->event_len);
}

/* Add the wanted fields of one tracepoint. */
static int add_fields(struct tally_row_options *options, const struct field_word *word,
		      const char *event, const struct tally_tp_format *format, bool *found)
{
	int ret = 0;

	for (size_t i = format->nr_common; i < format->nr_fields && !ret; i++) {
		const struct tally_view_field field = {word->event ? event : NULL,
						       format->fields[i].name, word->raw};

		if (!is_wanted(word, field.name))
			continue;
		ret = tally_row_options_field(options, &field);
		*found = true;
	}
	return ret;
}

int report_field_any(void *arg, struct tally_row_options *options, const char *word, size_t len)
{
	(void)arg;
	(void)options;
	(void)word;
	return len ? 0 : -ENOENT;
}

int report_field_find(void *arg, struct tally_row_options *options, const char *word, size_t len)
{
	struct tally_session *session = arg;
	const struct field_word wanted = field_word(word, len);
	const struct tally_perfdata_event *event;
	struct tally_tracing *tracing;
	bool found = false;
	int ret = tally_tracing_new(session, &tracing);

	for (size_t i = 0; !ret && (event = tally_perfdata_event(session->data, i)); i++) {
		const struct tally_tp_format *format = tally_tracing_format(tracing, &event->attr);

		if (format && is_of_event(&wanted, event, i + 1))
			ret = add_fields(options, &wanted, event->name, format, &found);
		if (found && !wanted.is_all)
			break;
	}
	if (ret != -ENOENT && ret != -EINVAL)
		tally_tracing_free(tracing);
	return ret ? ret : found ? 0 : -ENOENT;
}
