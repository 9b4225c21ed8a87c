/* SPDX-License-Identifier: BSD-2-Clause */
#include "events/events_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"

_Static_assert(sizeof(((struct tally_event_error *)0)->near) ==
		       sizeof(((struct tally_suggest *)0)->near),
	       "the error holds what was found");

static int error_set(struct tally_event_error *err, int code, const char *text, size_t offset,
		     struct tally_word word)
{
	size_t shown = TALLY_MIN(word.len, sizeof(err->slice) - 1);

	memset(err, 0, sizeof(*err));
	err->code = code;
	err->text = text;
	err->offset = offset;
	if (shown)
		memcpy(err->slice, word.text, shown);
	return code;
}

int tally_parser_fail(struct tally_event_parser *p, int code, const char *text,
		      struct tally_word word)
{
	uintptr_t start = (uintptr_t)p->text, at = (uintptr_t)word.text;

	return error_set(p->err, code, text,
			 at >= start && at <= start + p->len ? at - start : p->at, word);
}

int tally_table_fail(struct tally_event_parser *p, int code, struct tally_word word)
{
	const char *path = p->events->tables.path;

	if (code == -ENOMEM)
		return code;
	tally_parser_fail(p, code, "cannot read the event tables", word);
	snprintf(p->err->fix, sizeof(p->err->fix), "%s: %s", path ? path : "built-in tables",
		 code == -EINVAL ? "invalid content" : strerror(-code));
	return code;
}

int tally_metric_fail(struct tally_metric_maker *maker, int code, const char *text,
		      struct tally_word word)
{
	return error_set(maker->err, code, text, (size_t)(word.text - maker->text), word);
}

void tally_error_near(struct tally_event_error *err, const struct tally_suggest *suggest)
{
	err->nr_near = suggest->nr;
	memcpy(err->near, suggest->near, sizeof(err->near));
}

void tally_error_fix(struct tally_event_error *err, const char *text)
{
	snprintf(err->fix, sizeof(err->fix), "%s", text);
}
