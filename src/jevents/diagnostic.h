/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the reader of event descriptions has to say about its input: file, line, column, what is
 * wrong and why that matters. The library hands messages to its caller; only programs print.
 */
#ifndef TALLY_JEVENTS_DIAGNOSTIC_H
#define TALLY_JEVENTS_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tally_diagnostic_kind {
	TALLY_DIAGNOSTIC_WARNING, /* read nevertheless */
	TALLY_DIAGNOSTIC_ERROR,   /* not read: the run fails in the end, or leaves the file out */
	TALLY_DIAGNOSTIC_NOTE,    /* what was made: a table, a map */
	TALLY_DIAGNOSTIC_DETAIL,  /* what was read: a file */
};

struct tally_diagnostic {
	enum tally_diagnostic_kind kind;
	const char *path;      /* valid during the call, as the other texts */
	uint32_t line, column; /* from 1; 0 where the message is about the whole file */
	const char *what, *why;
};

/* Where messages go, and how many there were. `emit` may be NULL. Not thread-safe. */
struct tally_diagnostics {
	void (*emit)(void *context, const struct tally_diagnostic *message);
	void *context;
	size_t errors, warnings;
	enum tally_diagnostic_kind most; /* NOTE or DETAIL: notes are emitted, up to this kind */
};

/* A text that messages can point into. */
struct tally_source {
	const char *path;
	const char *text;
	size_t len;
	struct tally_diagnostics *messages;
	size_t *errors; /* number of errors in this source; NULL: not counted */
};

/* Whether an error was emitted about a source that counts them. */
static inline bool tally_source_is_wrong(const struct tally_source *source)
{
	return source->errors && *source->errors;
}

/* Tell about the byte at `offset` of `source`, or about the file as a whole with
 * TALLY_SOURCE_WHOLE; `why` is constant, `what` formatted. */
#define TALLY_SOURCE_WHOLE SIZE_MAX
void tally_source_emit(const struct tally_source *source, enum tally_diagnostic_kind kind,
		       size_t offset, const char *why, const char *what, ...)
	__attribute__((format(printf, 5, 6)));

#endif
