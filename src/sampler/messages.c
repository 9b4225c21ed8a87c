/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/messages.h"

#include <stdarg.h>

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
