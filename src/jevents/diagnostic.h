/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages about event descriptions that are read: file, line, column, the problem, and its
 * consequence. The library passes messages to its caller; only programs print them.
 */
#ifndef TALLY_JEVENTS_DIAGNOSTIC_H
#define TALLY_JEVENTS_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_diagnostic_kind {
	TALLY_DIAGNOSTIC_WARNING, /* the input is used nevertheless */
	TALLY_DIAGNOSTIC_ERROR,   /* the input is not used: the run fails, or omits the file */
	TALLY_DIAGNOSTIC_NOTE,    /* a table or map was made */
	TALLY_DIAGNOSTIC_DETAIL,  /* a file was read */
};

struct tally_diagnostic {
	enum tally_diagnostic_kind kind;
	const char *path;      /* valid during the call, like the other texts */
	uint32_t line, column; /* from 1; 0 if the message is about the whole file */
	const char *what, *why;
};

/* Receiver of messages, and their number. `emit` may be NULL. Not thread-safe. */
struct tally_diagnostics {
	void (*emit)(void *context, const struct tally_diagnostic *message);
	void *context;
	size_t errors, warnings;
	enum tally_diagnostic_kind most; /* NOTE or DETAIL: emit notes up to this kind */
};

/* A text that messages can refer to. */
struct tally_source {
	const char *path;
	const char *text;
	size_t len;
	struct tally_diagnostics *messages;
	size_t *errors; /* number of errors in this source; NULL: not counted */
};

/* Return true if a source that counts its errors has any. */
static inline bool tally_source_is_wrong(const struct tally_source *source)
{
	return source->errors && *source->errors;
}

/* Emit a message about the byte at `offset` of `source`, or about the whole file if `offset` is
 * TALLY_SOURCE_WHOLE. `why` is a constant text, `what` a format. */
#define TALLY_SOURCE_WHOLE SIZE_MAX
void tally_source_emit(const struct tally_source *source, enum tally_diagnostic_kind kind,
		       size_t offset, const char *why, const char *what, ...)
	__attribute__((format(printf, 5, 6)));

#endif
