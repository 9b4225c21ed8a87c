/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parse the head of an HTTP/1.x request (RFC 9112). The bytes are untrusted. A server of one page
 * needs the method, the path and the types that the client accepts. Not supported: requests with
 * content, folded fields, persistent connections.
 */
#ifndef TALLY_HTTP_REQUEST_H
#define TALLY_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { TALLY_HTTP_HEAD_MAX = 8192 }; /* bytes of the request line and all fields */

/* The status of a response. */
enum tally_http_status {
	TALLY_HTTP_OK = 200,
	TALLY_HTTP_BAD_REQUEST = 400,
	TALLY_HTTP_NOT_FOUND = 404,
	TALLY_HTTP_METHOD_NOT_ALLOWED = 405,
	TALLY_HTTP_TIMEOUT = 408,
	TALLY_HTTP_CONTENT_TOO_LARGE = 413,
	TALLY_HTTP_MISDIRECTED = 421,
	TALLY_HTTP_HEAD_TOO_LARGE = 431,
	TALLY_HTTP_ERROR = 500,
	TALLY_HTTP_UNAVAILABLE = 503,
	TALLY_HTTP_VERSION = 505,
};

/* A request. The strings are parts of the parsed bytes and are not NUL-terminated. */
struct tally_http_request {
	enum tally_http_status status; /* the response to an invalid request, or OK */
	bool is_head;                  /* HEAD, not GET */
	const char *path;              /* begins with "/" if the status is OK; without the query */
	size_t path_len;
	const char *host; /* value of the field Host, or NULL */
	size_t host_len;
	const char *fields; /* the lines after the request line */
	size_t fields_len;
};

/* Parse the head of a request. Returns 0, or -EAGAIN if the head is incomplete. A head that does
 * not end within TALLY_HTTP_HEAD_MAX bytes has the status HEAD_TOO_LARGE. Bytes after the head are
 * ignored. Pure. */
int tally_http_request_parse(const char *bytes, size_t len, struct tally_http_request *ret_request);

/* Return the preference of a valid request for the media type `type`, such as "text/plain": the
 * parameter q in thousandths (0: not acceptable; -1: the request does not name the type). A range
 * such as "text" with a wildcard does not name a type. If `version` is not NULL, ranges with
 * another value of the parameter `version` are ignored. Pure. */
int tally_http_request_accepts(const struct tally_http_request *request, const char *type,
			       const char *version);

/* Return true if a valid request is addressed to "localhost" or to an IP address. A web page
 * that lets its own name resolve to this machine (DNS rebinding) sends that name. Pure. */
bool tally_http_request_is_local(const struct tally_http_request *request);

#endif
