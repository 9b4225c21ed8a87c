/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler's messages to the user. They are passed to a callback, because a library does not
 * print. A message is one line; details and hints belong to the preceding error or warning. If the
 * struct tally_messages is NULL, messages are dropped and callers get only error codes.
 */
#ifndef TALLY_SAMPLER_MESSAGES_H
#define TALLY_SAMPLER_MESSAGES_H

enum tally_message_kind {
	TALLY_MESSAGE_ERROR,   /* a failure; the function returns an error */
	TALLY_MESSAGE_WARNING, /* something differs from the request; the operation continues */
	TALLY_MESSAGE_INFO,    /* a choice made by the sampler */
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

#endif
