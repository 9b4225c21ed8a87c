/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"

static void say(const char *prefix, const char *format, va_list args)
{
	struct tally_str text = {0};

	/* What was printed so far comes first, where both go to the same place. */
	fflush(stdout);
	tally_str_addv(&text, format, args);
	tally_str_escape(&text, 0);
	fprintf(stderr, "%s%s\n", prefix, tally_str_text(&text));
	tally_str_free(&text);
}

#define DEFINE_SAY(name, prefix)           \
	void name(const char *format, ...) \
	{                                  \
		va_list args;              \
                                           \
		va_start(args, format);    \
		say(prefix, format, args); \
		va_end(args);              \
	}

DEFINE_SAY(tally_say_error, "tally: ")
DEFINE_SAY(tally_say_warning, "tally: warning: ")
DEFINE_SAY(tally_say_detail, "  ")
DEFINE_SAY(tally_say_hint, "  hint: ")

void tally_say_parse_error(const char *path, int code, const struct tally_error *err)
{
	if (err && err->text && code == -EINVAL)
		tally_say_error("%s: %s (at byte %" PRIu64 ")", path, err->text, err->offset);
	else if (err && err->text)
		tally_say_error("%s: %s: %s", path, err->text, strerror(-code));
	else
		tally_say_error("%s: %s", path, strerror(-code));
}
