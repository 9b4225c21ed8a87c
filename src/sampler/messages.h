/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this room has to tell people goes to a function of the caller's: a library does not print.
 * A message is one line; details and hints belong to the error or warning before them. Whoever
 * passes NULL is told nothing and has the error codes.
 */
#ifndef TALLY_SAMPLER_MESSAGES_H
#define TALLY_SAMPLER_MESSAGES_H

enum tally_message_kind {
	TALLY_MESSAGE_ERROR,   /* something failed, and an error is returned */
	TALLY_MESSAGE_WARNING, /* something is not as asked for, and it goes on */
	TALLY_MESSAGE_INFO,    /* what was chosen */
	TALLY_MESSAGE_DETAIL,  /* more about the line before */
	TALLY_MESSAGE_HINT,    /* what to do about it */
};

struct tally_messages {
	/* `text` is raw: it may have names of files and tasks in it, and is gone on return. */
	void (*emit)(void *data, enum tally_message_kind kind, const char *text);
	void *data;
};

/* Format a line and hand it over. Out of memory it is lost. */
void tally_message_emit(const struct tally_messages *to, enum tally_message_kind kind,
			const char *format, ...) __attribute__((format(printf, 3, 4)));

#define tally_message_error(to, ...)  tally_message_emit(to, TALLY_MESSAGE_ERROR, __VA_ARGS__)
#define tally_message_warn(to, ...)   tally_message_emit(to, TALLY_MESSAGE_WARNING, __VA_ARGS__)
#define tally_message_info(to, ...)   tally_message_emit(to, TALLY_MESSAGE_INFO, __VA_ARGS__)
#define tally_message_detail(to, ...) tally_message_emit(to, TALLY_MESSAGE_DETAIL, __VA_ARGS__)
#define tally_message_hint(to, ...)   tally_message_emit(to, TALLY_MESSAGE_HINT, __VA_ARGS__)

#endif
