/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An HTTP/1.1 server for small pages, driven by the caller's poll loop. It never blocks and has no
 * threads. Clients are untrusted: the size of a request, the number of connections, the bytes of
 * unsent responses and the time of each connection are limited. When all connections are in use,
 * slow clients have less time and new clients wait in the backlog. Each connection serves one
 * request. Not supported: TLS, authentication, persistent connections, compression.
 */
#ifndef TALLY_HTTP_SERVER_H
#define TALLY_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "http/http_address.h"
#include "http/http_request.h"

enum { TALLY_HTTP_CONNECTIONS_MAX = 32 };

struct tally_http_response {
	enum tally_http_status status;
	const char *type;      /* constant string for Content-Type */
	struct tally_str body; /* if empty, the name of the status */
};

/* Answers a valid request. `response` is a response with the status OK and the type text/plain, to
 * be filled. The server frees the body. */
typedef void tally_http_answer_fn(void *arg, const struct tally_http_request *request,
				  struct tally_http_response *response);

struct http_connection;

struct tally_http_server {
	int fd; /* readable if tally_http_server_run() has something to do */
	struct tally_http_address address; /* with the port that was chosen */
	/* Private: */
	int listen_fd, timer_fd;
	int spare_fd; /* closed to accept a client if the process has no more descriptors, or -1 */
	tally_http_answer_fn *answer;
	void *arg;
	struct http_connection *connections; /* TALLY_HTTP_CONNECTIONS_MAX of them */
	size_t nr_open;
	uint64_t retry_at; /* accept no clients until then; 0 if they are accepted */
};

/* Listen on an address. A loopback address answers only requests to "localhost" or to an IP
 * address, because a web page in a browser on this machine could send others. Returns 0, or
 * -errno. */
int tally_http_server_open(const struct tally_http_address *address, tally_http_answer_fn *answer,
			   void *arg, struct tally_http_server **ret_server);

/* Accept clients, read requests, answer them, write responses, and close connections after their
 * time limit, as far as possible without waiting. The amount of work is bounded. */
void tally_http_server_run(struct tally_http_server *server);

/* Close all connections. NULL is allowed. */
void tally_http_server_close(struct tally_http_server *server);

#endif
