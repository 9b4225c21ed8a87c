/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the reader of event descriptions has to say about its input: file, line, column, what is
 * wrong and why that matters. The library hands messages to its caller; only programs print.
 */
#ifndef TALLY_JEVENTS_DIAGNOSTIC_H
#define TALLY_JEVENTS_DIAGNOSTIC_H

#include <stddef.h>
#include <stdint.h>

enum tally_diagnostic_kind {
	TALLY_DIAGNOSTIC_WARNING, /* read nevertheless */
	TALLY_DIAGNOSTIC_ERROR,   /* not read: what was asked for fails in the end */
};

struct tally_diagnostic {
	enum tally_diagnostic_kind kind;
	const char *path;      /* valid during the call, as the other texts */
	uint32_t line, column; /* from 1; 0 where the message is about the whole file */
	const char *what, *why;
};

/* Where messages go, and how many there were. `tell` may be NULL. Not thread-safe. */
struct tally_diagnostics {
	void (*emit)(void *context, const struct tally_diagnostic *message);
	void *context;
	size_t errors, warnings;
};

/* A text that messages can point into. */
struct tally_source {
	const char *path;
	const char *text;
	size_t len;
	struct tally_diagnostics *messages;
};

/* Tell about the byte at `offset` of `source`, or about the file as a whole with
 * TALLY_SOURCE_WHOLE; `why` is constant, `what` formatted. */
#define TALLY_SOURCE_WHOLE SIZE_MAX
void tally_source_emit(const struct tally_source *source, enum tally_diagnostic_kind kind,
		       size_t offset, const char *why, const char *what, ...)
	__attribute__((format(printf, 5, 6)));

#endif
