/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/event_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sampler/privileges.h"

static void emit_diagnostic(const struct tally_events_diagnostic *diagnostic, void *messages)
{
	enum tally_message_kind kind =
		diagnostic->error ? TALLY_MESSAGE_ERROR : TALLY_MESSAGE_WARNING;

	if (diagnostic->line)
		tally_message_emit(messages, kind, "%s:%u:%u: %s (%s)", diagnostic->path,
				   (unsigned)diagnostic->line, (unsigned)diagnostic->column,
				   diagnostic->what, diagnostic->why);
	else
		tally_message_emit(messages, kind, "%s: %s (%s)", diagnostic->path,
				   diagnostic->what, diagnostic->why);
}

static const char *from_environment(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

static int configure(struct tally_events *events, const char *dir, const char *cpuid,
		     const struct tally_messages *messages)
{
	const char *here = from_environment("PERF_CPUID");
	int ret = 0;

	if (dir)
		ret = tally_privileges_drop_before(dir, messages);
	if (dir && !ret)
		ret = tally_events_set_tables(events, dir, emit_diagnostic, (void *)messages);
	if (!ret && cpuid)
		ret = tally_events_set_cpu(events, TALLY_CPU_OTHER, cpuid);
	else if (!ret && here)
		ret = tally_events_set_cpu(events, TALLY_CPU_THIS, here);
	return ret;
}

/* Check that the requested table and CPU exist. */
static int check(struct tally_events *events, const char *dir, const char *cpuid,
		 const struct tally_messages *messages)
{
	struct tally_events_table table;
	int ret = tally_events_table_get(events, &table);

	if (ret == -ENOENT && !access(dir, F_OK))
		tally_message_error(messages, "%s: no event table for this CPU", dir);
	else if (ret)
		tally_message_error(messages, "%s: %s", dir ? dir : "event tables",
				    ret == -EINVAL ? "no event tables" : strerror(-ret));
	if (ret)
		return ret;
	if (!cpuid || *table.name)
		return 0;
	tally_message_error(messages, "no event table for CPU '%s'", cpuid);
	tally_message_hint(messages, "use an identifier from mapfile.csv, such as "
				     "GenuineIntel-6-8F-8, or a table name, such as silvermont");
	return -EINVAL;
}

int tally_event_source_open(const struct tally_event_source *source,
			    const struct tally_messages *messages, struct tally_events **ret_events)
{
	const char *dir = source->dir ? source->dir : from_environment("TALLY_EVENTS_DIR");
	struct tally_events *events;
	int ret = tally_events_new(NULL, NULL, &events);

	if (ret)
		return ret;
	ret = configure(events, dir, source->cpuid, messages);
	if (!ret && (dir || source->cpuid))
		ret = check(events, dir, source->cpuid, messages);
	if (ret)
		tally_events_free(events);
	else
		*ret_events = events;
	return ret;
}

void tally_event_source_warn(struct tally_events *events, const struct tally_messages *messages)
{
	struct tally_events_table table;

	if (tally_events_table_get(events, &table))
		return;
	if (!*table.name)
		tally_message_warn(messages, "no event table for CPU '%s'", table.cpuid);
	else if (table.architectural)
		tally_message_warn(
			messages,
			"no event table for CPU '%s': using the events of its architecture (%s)",
			table.cpuid, table.name);
}

void tally_event_error_emit(const char *text, const struct tally_event_error *err,
			    const struct tally_messages *messages)
{
	tally_message_error(messages, "%s: %s at '%s'", text,
			    err->text ? err->text : "cannot be parsed", err->slice);
	if (err->nr_near)
		tally_message_hint(messages, "did you mean '%s'?", err->near[0]);
	if (*err->fix)
		tally_message_hint(messages, "%s", err->fix);
}
