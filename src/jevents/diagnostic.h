/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages about the event descriptions being read: file, line, column, problem, and consequence.
 * The library passes messages to its caller; only programs print them.
 */
#ifndef TALLY_JEVENTS_DIAGNOSTIC_H
#define TALLY_JEVENTS_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_diagnostic_kind {
	TALLY_DIAGNOSTIC_WARNING, /* the input is used anyway */
	TALLY_DIAGNOSTIC_ERROR,   /* the input is not used: the run fails or omits the file */
	TALLY_DIAGNOSTIC_NOTE,    /* a table or map was created */
	TALLY_DIAGNOSTIC_DETAIL,  /* a file was read */
};

struct tally_diagnostic {
	enum tally_diagnostic_kind kind;
	const char *path;      /* valid only during the call, like all other strings */
	uint32_t line, column; /* from 1; 0 if the message is about the whole file */
	const char *what, *why;
};

/* A receiver of messages, and the numbers of errors and warnings so far. `emit` may be NULL. Not
 * thread-safe. */
struct tally_diagnostics {
	void (*emit)(void *context, const struct tally_diagnostic *message);
	void *context;
	size_t errors, warnings;
	enum tally_diagnostic_kind most; /* most detailed kind to emit: NOTE or DETAIL */
};

/* A file's contents, which messages can refer to. */
struct tally_source {
	const char *path;
	const char *text;
	size_t len;
	struct tally_diagnostics *messages;
	size_t *errors; /* counts the errors in this source; NULL to disable counting */
};

/* Return true if the source counts its errors and has any. */
static inline bool tally_source_is_wrong(const struct tally_source *source)
{
	return source->errors && *source->errors;
}

/* Emit a message about the byte at `offset` in `source`, or about the whole file if `offset` is
 * TALLY_SOURCE_WHOLE. `why` is a constant string, `what` a format string. */
#define TALLY_SOURCE_WHOLE SIZE_MAX
void tally_source_emit(const struct tally_source *source, enum tally_diagnostic_kind kind,
		       size_t offset, const char *why, const char *what, ...)
	__attribute__((format(printf, 5, 6)));

#endif
