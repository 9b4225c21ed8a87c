/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of one field of a tracepoint. */
#include <string.h>

#include "session/session_tracing.h"

/* Return the value in a text like "name=value name2=value2", or NULL. */
static const char *find_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += len)
		if ((at == text || at[-1] == ' ') && at[len] == '=')
			return at + len + 1;
	return NULL;
}

/* Return the length of a field's value in the text of all fields. It may contain blanks. */
static size_t value_len(const struct tally_tp_format *format, const struct tally_tp_field *field,
			const char *value)
{
	const struct tally_tp_field *next = field + 1;
	const char *end;

	if (next == format->fields + format->nr_fields)
		return strlen(value);
	end = find_value(value, next->name);
	return end ? (size_t)(end - value) - strlen(next->name) - 2 : strlen(value);
}

/* Append the value that the print format shows. Returns false if it does not show the field. */
static bool add_formatted(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			  const struct tally_sample *sample, const char *name,
			  struct tally_str *out)
{
	struct tally_str text = {0};
	const char *value;

	tally_tracing_print(tracing, attr, sample, &text);
	value = find_value(tally_str_text(&text), name);
	if (value)
		tally_str_add_bytes(out, value, strcspn(value, " "));
	out->failed |= text.failed;
	tally_str_free(&text);
	return value;
}

static void add_raw(struct tally_tracing *tracing, const struct tally_tp_format *format,
		    const struct perf_event_attr *attr, const struct tally_sample *sample,
		    const struct tally_tp_field *field, struct tally_str *out)
{
	struct tally_str text = {0};
	const char *value;

	tally_tracing_print_fields(tracing, attr, sample, &text);
	value = find_value(tally_str_text(&text), field->name);
	if (value)
		tally_str_add_bytes(out, value, value_len(format, field, value));
	out->failed |= text.failed;
	tally_str_free(&text);
}

bool tally_tracing_has_field(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			     const char *name)
{
	const struct tally_tp_format *format = tally_tracing_format(tracing, attr);

	return format && tally_tp_format_find(format, name);
}

bool tally_tracing_print_field(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			       const struct tally_sample *sample, const char *name, bool is_raw,
			       struct tally_str *out)
{
	const struct tally_tp_format *format = tally_tracing_format(tracing, attr);
	const struct tally_tp_field *field = format ? tally_tp_format_find(format, name) : NULL;

	if (!field)
		return false;
	if (is_raw || !add_formatted(tracing, attr, sample, name, out))
		add_raw(tracing, format, attr, sample, field, out);
	return true;
}
