/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection to an HTTP client. */
#ifndef TALLY_HTTP_CONNECTION_H
#define TALLY_HTTP_CONNECTION_H

#include "http/http_server.h"

enum http_phase {
	HTTP_READING,  /* reads the head of the request */
	HTTP_WRITING,  /* writes the response */
	HTTP_DRAINING, /* discards input: closing at once could destroy a response in transit */
};

struct http_connection {
	int fd; /* nonblocking; -1 if the connection is not in use */
	enum http_phase phase;
	uint64_t since; /* start of the phase, CLOCK_MONOTONIC ns */
	char head[TALLY_HTTP_HEAD_MAX];
	size_t head_len;
	struct tally_str out;
	size_t sent; /* bytes of `out` */
};

/* Read or write as far as possible without waiting. `is_busy` answers valid requests with
 * UNAVAILABLE. Returns false if the connection is finished or broken. */
bool http_connection_step(struct http_connection *connection,
			  const struct tally_http_server *server, bool is_busy);

/* Handle a phase that takes too long: answer an incomplete request with TIMEOUT, or give up.
 * Returns false if the connection is to be closed. */
bool http_connection_expire(struct http_connection *connection);

#endif
