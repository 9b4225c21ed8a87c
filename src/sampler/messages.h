/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the sampler to the user. They are passed to a callback, because a library does not
 * print. A message is one line; details and hints belong to the error or warning before them. With
 * a NULL struct tally_messages, messages are dropped and callers only get error codes.
 */
#ifndef TALLY_SAMPLER_MESSAGES_H
#define TALLY_SAMPLER_MESSAGES_H

enum tally_message_kind {
	TALLY_MESSAGE_ERROR,   /* a failure; an error is returned */
	TALLY_MESSAGE_WARNING, /* something differs from the request; the operation goes on */
	TALLY_MESSAGE_INFO,    /* a choice that was made */
	TALLY_MESSAGE_DETAIL,  /* more detail about the previous line */
	TALLY_MESSAGE_HINT,    /* what to do about it */
};

struct tally_messages {
	/* `text` is not escaped: it may contain names of files and tasks. It is valid during the
	 * call. */
	void (*emit)(void *data, enum tally_message_kind kind, const char *text);
	void *data;
};

/* Format a line and emit it. If there is no memory, the message is dropped. */
void tally_message_emit(const struct tally_messages *to, enum tally_message_kind kind,
			const char *format, ...) __attribute__((format(printf, 3, 4)));

#define tally_message_error(to, ...)  tally_message_emit(to, TALLY_MESSAGE_ERROR, __VA_ARGS__)
#define tally_message_warn(to, ...)   tally_message_emit(to, TALLY_MESSAGE_WARNING, __VA_ARGS__)
#define tally_message_info(to, ...)   tally_message_emit(to, TALLY_MESSAGE_INFO, __VA_ARGS__)
#define tally_message_detail(to, ...) tally_message_emit(to, TALLY_MESSAGE_DETAIL, __VA_ARGS__)
#define tally_message_hint(to, ...)   tally_message_emit(to, TALLY_MESSAGE_HINT, __VA_ARGS__)

#endif
