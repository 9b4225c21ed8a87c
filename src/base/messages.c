/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/str.h"

void tally_message_emit(const struct tally_messages *to, enum tally_message_kind kind,
			const char *format, ...)
{
	struct tally_str text = {0};
	va_list args;

	if (!to)
		return;
	va_start(args, format);
	tally_str_addv(&text, format, args);
	va_end(args);
	if (!tally_str_error(&text))
		to->emit(to->data, kind, tally_str_text(&text));
	tally_str_free(&text);
}

void tally_message_parse_error(const struct tally_messages *to, const char *path, int code,
			       const struct tally_error *err)
{
	if (err && err->text && code == -EINVAL)
		tally_message_error(to, "%s: %s (at byte %" PRIu64 ")", path, err->text,
				    err->offset);
	else if (err && err->text)
		tally_message_error(to, "%s: %s: %s", path, err->text, strerror(-code));
	else
		tally_message_error(to, "%s: %s", path, strerror(-code));
}

void tally_progress_at(const struct tally_progress *to, const char *verb, const char *what,
		       uint64_t done, uint64_t all)
{
	if (to)
		to->at(to->data, verb, what, done, all);
}

void tally_progress_end(const struct tally_progress *to)
{
	if (to)
		to->at(to->data, NULL, NULL, 0, 0);
}
