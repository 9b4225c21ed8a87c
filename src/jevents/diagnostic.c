/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <string.h>

#include "base/str.h"
#include "jevents/diagnostic.h"

/* Return the line and column of a byte, both counted from 1. Columns are counted in bytes. */
static void position_find(const struct tally_source *source, size_t offset, uint32_t *ret_line,
			  uint32_t *ret_column)
{
	const char *line = source->text, *at = source->text + offset, *newline;
	uint32_t number = 1;

	while ((newline = memchr(line, '\n', at - line))) {
		line = newline + 1;
		number++;
	}
	*ret_line = number;
	*ret_column = at - line + 1;
}

void tally_source_emit(const struct tally_source *source, enum tally_diagnostic_kind kind,
		       size_t offset, const char *why, const char *what, ...)
{
	struct tally_diagnostics *messages = source->messages;
	struct tally_diagnostic message = {.kind = kind, .path = source->path, .why = why};
	struct tally_str text = {0};
	va_list args;

	if (kind == TALLY_DIAGNOSTIC_ERROR && source->errors)
		++*source->errors;
	if (!messages)
		return;
	messages->errors += kind == TALLY_DIAGNOSTIC_ERROR;
	messages->warnings += kind == TALLY_DIAGNOSTIC_WARNING;
	if (!messages->emit || (kind >= TALLY_DIAGNOSTIC_NOTE && kind > messages->most))
		return;
	va_start(args, what);
	tally_str_addv(&text, what, args);
	va_end(args);
	message.what = tally_str_text(&text);
	if (offset != TALLY_SOURCE_WHOLE)
		position_find(source, offset, &message.line, &message.column);
	messages->emit(messages->context, &message);
	tally_str_free(&text);
}
