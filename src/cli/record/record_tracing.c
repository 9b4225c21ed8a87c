/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracing data for a recording that contains tracepoints: the format descriptions from tracefs,
 * which allow decoding the payloads on any machine. As in perf, the data has the format of the
 * trace.dat header.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/main/print.h"
#include "cli/record/record_tracing.h"

enum { FILE_MAX = 16 << 20, PATH_ROOM = 1024 };

/* A tracepoint's name, split into the names of its system and event directories below events/. */
struct trace_name {
	char *system; /* owns the string; `event` points past its first NUL */
	const char *event;
};

struct blob {
	struct tally_str out;
	const char *root;
	TALLY_VEC(struct trace_name) names;
};

static void put_u32(struct tally_str *out, uint32_t value)
{
	tally_str_add_bytes(out, &value, sizeof(value));
}

static void put_u64(struct tally_str *out, uint64_t value)
{
	tally_str_add_bytes(out, &value, sizeof(value));
}

static void put_text(struct tally_str *out, const char *text)
{
	tally_str_add_bytes(out, text, strlen(text) + 1);
}

/* Append a file below the tracefs root, preceded by its size in 4 or 8 bytes. If the file cannot be
 * read, append an empty file. */
static void put_file(struct blob *blob, const char *name, bool wide)
{
	char path[PATH_ROOM], *text = NULL;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", blob->root, name);
	if (tally_file_read(path, FILE_MAX, &text, &len)) {
		text = NULL;
		len = 0;
	}
	if (wide)
		put_u64(&blob->out, len);
	else
		put_u32(&blob->out, (uint32_t)len);
	if (len)
		tally_str_add_bytes(&blob->out, text, len);
	free(text);
}

/* Add a name such as "sched:sched_switch:u", split into system and event. Ignore a user-defined
 * name without a colon. */
static int add_name(struct blob *blob, const char *text)
{
	struct trace_name name = {.system = strdup(text)};
	char *colon;

	if (!name.system)
		return -ENOMEM;
	colon = strchr(name.system, ':');
	if (colon) {
		*colon = '\0';
		name.event = colon + 1;
		name.system[strlen(text)] = '\0';
		*strchrnul(colon + 1, ':') = '\0';
	}
	if (!colon || tally_vec_push(&blob->names, name)) {
		free(name.system);
		return colon ? -ENOMEM : 0;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct trace_name *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->event, y->event);
}

static bool same_name(const struct trace_name *a, const struct trace_name *b)
{
	return !by_name(a, b);
}

/* Return the number of distinct events in the same system as the name at index `at`, which must be
 * the first name in its system. */
static uint32_t count_system(const struct blob *blob, size_t at)
{
	const struct trace_name *first = &blob->names.data[at];
	uint32_t nr = 0;

	for (; at < blob->names.len && !strcmp(blob->names.data[at].system, first->system); at++)
		nr += at + 1 == blob->names.len ||
		      !same_name(&blob->names.data[at], &blob->names.data[at + 1]);
	return nr;
}

static uint32_t count_systems(const struct blob *blob)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < blob->names.len; i++)
		nr += !i || strcmp(blob->names.data[i].system, blob->names.data[i - 1].system) != 0;
	return nr;
}

static void put_formats(struct blob *blob)
{
	char path[PATH_ROOM];

	put_u32(&blob->out, 0); /* number of ftrace's own events */
	put_u32(&blob->out, count_systems(blob));
	for (size_t i = 0; i < blob->names.len; i++) {
		const struct trace_name *name = &blob->names.data[i];

		if (!i || strcmp(name->system, name[-1].system) != 0) {
			put_text(&blob->out, name->system);
			put_u32(&blob->out, count_system(blob, i));
		}
		if (i && same_name(name, name - 1))
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/format", name->system, name->event);
		put_file(blob, path, true);
	}
}

static void put_all(struct blob *blob)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct tally_str *out = &blob->out;

	tally_str_add_bytes(out, magic, sizeof(magic) - 1);
	put_text(out, "0.6");
	tally_str_add_char(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tally_str_add_char(out, (char)sizeof(long));
	put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	put_text(out, "header_page");
	put_file(blob, "events/header_page", true);
	put_text(out, "header_event");
	put_file(blob, "events/header_event", true);
	put_formats(blob);
	put_u32(out, 0); /* size of kallsyms; readers use their own kallsyms */
	put_file(blob, "printk_formats", false);
	put_file(blob, "saved_cmdlines", true);
}

int record_tracing(struct record *record)
{
	struct blob blob = {0};
	int ret = 0;

	for (size_t i = 0; !ret && i < record->sampler.specs.len; i++) {
		const struct tally_event_spec *spec = &record->sampler.specs.data[i];

		if (spec->attr.type == PERF_TYPE_TRACEPOINT && spec->name)
			ret = add_name(&blob, spec->name);
	}
	if (!ret && blob.names.len)
		ret = tally_events_tracefs(record->sampler.events, &blob.root, NULL);
	if (!ret && blob.names.len) {
		qsort(blob.names.data, blob.names.len, sizeof(*blob.names.data), by_name);
		put_all(&blob);
		ret = tally_str_error(&blob.out);
		if (!ret)
			ret = tally_perfdata_writer_tracing(record->output.writer, blob.out.data,
							    blob.out.len);
	}
	tally_vec_for_each (name, &blob.names)
		free(name->system);
	tally_vec_free(&blob.names);
	tally_str_free(&blob.out);
	return ret;
}
