/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages and progress for the user. They are passed to callbacks, because a library does not
 * print. A message is one line; details and hints belong to the preceding error or warning. If a
 * struct tally_messages or struct tally_progress is NULL, messages or progress are dropped, and
 * callers get only error codes.
 */
#ifndef TALLY_BASE_MESSAGES_H
#define TALLY_BASE_MESSAGES_H

#include <stdint.h>

#include "base/error.h"

enum tally_message_kind {
	TALLY_MESSAGE_ERROR,   /* a failure; the function returns an error */
	TALLY_MESSAGE_WARNING, /* something differs from the request; the operation continues */
	TALLY_MESSAGE_INFO,    /* a choice made, or a result, that the user should know */
	TALLY_MESSAGE_DETAIL,  /* more detail about the previous line */
	TALLY_MESSAGE_HINT,    /* possible fix */
};

struct tally_messages {
	/* `text` is not escaped: it may contain file and task names. It is valid only during the
	 * call. */
	void (*emit)(void *data, enum tally_message_kind kind, const char *text);
	void *data;
};

/* Format a line and emit it. If memory allocation fails, the message is dropped. */
void tally_message_emit(const struct tally_messages *to, enum tally_message_kind kind,
			const char *format, ...) __attribute__((format(printf, 3, 4)));

#define tally_message_error(to, ...)  tally_message_emit(to, TALLY_MESSAGE_ERROR, __VA_ARGS__)
#define tally_message_warn(to, ...)   tally_message_emit(to, TALLY_MESSAGE_WARNING, __VA_ARGS__)
#define tally_message_info(to, ...)   tally_message_emit(to, TALLY_MESSAGE_INFO, __VA_ARGS__)
#define tally_message_detail(to, ...) tally_message_emit(to, TALLY_MESSAGE_DETAIL, __VA_ARGS__)
#define tally_message_hint(to, ...)   tally_message_emit(to, TALLY_MESSAGE_HINT, __VA_ARGS__)

/* Emit a parser error about the file `path`: the text of `err`, if any, and its offset for -EINVAL,
 * or strerror() of `code` otherwise. */
void tally_message_parse_error(const struct tally_messages *to, const char *path, int code,
			       const struct tally_error *err);

/* Progress of an operation that may take long. */
struct tally_progress {
	/* Called repeatedly during an operation, such as "reading" "perf.data"; `done` of `all`
	 * units are done, and `all` is 0 if it is unknown. `verb` is NULL when the operation
	 * ends. */
	void (*at)(void *data, const char *verb, const char *what, uint64_t done, uint64_t all);
	void *data;
};

void tally_progress_at(const struct tally_progress *to, const char *verb, const char *what,
		       uint64_t done, uint64_t all);
void tally_progress_end(const struct tally_progress *to);

#endif
