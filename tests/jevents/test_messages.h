/* SPDX-License-Identifier: BSD-2-Clause */
/* Collect messages as text for later checks, one "line:column: kind: what (why)" per line. */
#ifndef TALLY_TESTS_JEVENTS_MESSAGES_H
#define TALLY_TESTS_JEVENTS_MESSAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "jevents/diagnostic.h"

#include <cmocka.h>

struct told {
	struct tally_diagnostics messages;
	struct tally_str text;
};

static inline void told_emit(void *context, const struct tally_diagnostic *message)
{
	struct tally_str *text = context;

	tally_str_addf(text, "%u:%u: %s: %s (%s)\n", message->line, message->column,
		       message->kind == TALLY_DIAGNOSTIC_ERROR ? "error" : "warning", message->what,
		       message->why);
}

/* Initialize with an empty string and with told_emit() as the callback. */
static inline void told_init(struct told *told)
{
	*told = (struct told){.messages = {told_emit, &told->text}};
}

/* Check that the messages contain `want`, or that there are no messages if `want` is empty. */
static inline void told_has(const struct told *told, const char *want)
{
	const char *text = tally_str_text(&told->text);

	if (!*want)
		assert_string_equal(text, "");
	else if (!strstr(text, want))
		fail_msg("told '%s', wanted '%s'", text, want);
}

#endif
