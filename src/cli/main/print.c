/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/print.h"

#include <stdarg.h>

#include "base/escape.h"

static const char *const prefixes[] = {
	[TALLY_MESSAGE_ERROR] = "tally: ", [TALLY_MESSAGE_WARNING] = "tally: warning: ",
	[TALLY_MESSAGE_INFO] = "",         [TALLY_MESSAGE_DETAIL] = "  ",
	[TALLY_MESSAGE_HINT] = "  hint: ",
};

static void print_message(void *data, enum tally_message_kind kind, const char *raw)
{
	struct tally_str text = {0};

	/* Flush stdout first, to keep the output in order if both streams go to the same file. */
	fflush(stdout);
	tally_str_add(&text, raw);
	tally_str_escape(&text, 0);
	fprintf(stderr, "%s%s\n", prefixes[kind], tally_str_text(&text));
	tally_str_free(&text);
}

const struct tally_messages tally_print_messages = {.emit = print_message};

static void print_line(enum tally_message_kind kind, const char *format, va_list args)
{
	struct tally_str text = {0};

	tally_str_addv(&text, format, args);
	print_message(NULL, kind, tally_str_text(&text));
	tally_str_free(&text);
}

void tally_print_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(TALLY_MESSAGE_ERROR, format, args);
	va_end(args);
}

void tally_print_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(TALLY_MESSAGE_WARNING, format, args);
	va_end(args);
}

void tally_print_detail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(TALLY_MESSAGE_DETAIL, format, args);
	va_end(args);
}

void tally_print_hint(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(TALLY_MESSAGE_HINT, format, args);
	va_end(args);
}

void tally_print_parse_error(const char *path, int code, const struct tally_error *err)
{
	tally_message_parse_error(&tally_print_messages, path, code, err);
}

bool tally_print_typo(const struct tally_suggest *suggest)
{
	const char *name = tally_suggest_typo(suggest);

	if (name)
		tally_print_hint("did you mean '%s'?", name);
	return name != NULL;
}
