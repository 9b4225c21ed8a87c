/* SPDX-License-Identifier: BSD-2-Clause */
#include "http/http_connection.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

#include "base/arith.h"
#include "base/clock.h"

/* ---- response ------------------------------------------------------------- */

static const struct {
	enum tally_http_status status;
	const char *name;
} statuses[] = {
	{TALLY_HTTP_OK, "OK"},
	{TALLY_HTTP_BAD_REQUEST, "Bad Request"},
	{TALLY_HTTP_NOT_FOUND, "Not Found"},
	{TALLY_HTTP_METHOD_NOT_ALLOWED, "Method Not Allowed"},
	{TALLY_HTTP_TIMEOUT, "Request Timeout"},
	{TALLY_HTTP_CONTENT_TOO_LARGE, "Content Too Large"},
	{TALLY_HTTP_MISDIRECTED, "Misdirected Request"},
	{TALLY_HTTP_HEAD_TOO_LARGE, "Request Header Fields Too Large"},
	{TALLY_HTTP_ERROR, "Internal Server Error"},
	{TALLY_HTTP_UNAVAILABLE, "Service Unavailable"},
	{TALLY_HTTP_VERSION, "HTTP Version Not Supported"},
};

static const char *status_name(enum tally_http_status status)
{
	size_t i = 0;

	while (i + 1 < TALLY_ARRAY_SIZE(statuses) && statuses[i].status != status)
		i++;
	return statuses[i].name;
}

static void add_date(struct tally_str *out)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm))
		tally_str_addf(out, "Date: %s\r\n", text);
}

/* Begin to write a response. */
static void connection_respond(struct http_connection *connection,
			       const struct tally_http_response *response, bool is_head)
{
	struct tally_str *out = &connection->out;
	const char *name = status_name(response->status);
	size_t len = response->body.len ? response->body.len : strlen(name) + 1;

	tally_str_addf(out, "HTTP/1.1 %d %s\r\n", (int)response->status, name);
	add_date(out);
	tally_str_addf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n", response->type, len);
	if (response->status == TALLY_HTTP_METHOD_NOT_ALLOWED)
		tally_str_add(out, "Allow: GET, HEAD\r\n");
	tally_str_add(out, "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
			   "Connection: close\r\n\r\n");
	if (!is_head && response->body.len)
		tally_str_add_bytes(out, response->body.data, len);
	else if (!is_head)
		tally_str_addf(out, "%s\n", name);
	connection->phase = HTTP_WRITING;
	connection->since = tally_clock_now();
}

static struct tally_http_response response_of(enum tally_http_status status)
{
	return (struct tally_http_response){.status = status, .type = "text/plain; charset=utf-8"};
}

static void connection_answer(struct http_connection *connection,
			      const struct tally_http_server *server,
			      const struct tally_http_request *request, bool is_busy)
{
	struct tally_http_response response = response_of(request->status);

	if (request->status == TALLY_HTTP_OK && is_busy)
		response.status = TALLY_HTTP_UNAVAILABLE;
	else if (request->status == TALLY_HTTP_OK &&
		 tally_http_address_is_loopback(&server->address) &&
		 !tally_http_request_is_local(request))
		response.status = TALLY_HTTP_MISDIRECTED;
	else if (request->status == TALLY_HTTP_OK)
		server->answer(server->arg, request, &response);
	if (tally_str_error(&response.body)) {
		tally_str_free(&response.body);
		response = response_of(TALLY_HTTP_ERROR);
	}
	connection_respond(connection, &response, request->is_head);
	tally_str_free(&response.body);
}

/* ---- phases --------------------------------------------------------------- */

static bool is_temporary(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static bool connection_read(struct http_connection *connection,
			    const struct tally_http_server *server, bool is_busy)
{
	struct tally_http_request request;
	ssize_t nr = recv(connection->fd, connection->head + connection->head_len,
			  sizeof(connection->head) - connection->head_len, 0);

	if (nr < 0)
		return is_temporary();
	connection->head_len += (size_t)nr;
	if (!nr)
		return false;
	if (!tally_http_request_parse(connection->head, connection->head_len, &request))
		connection_answer(connection, server, &request, is_busy);
	return true;
}

static bool connection_write(struct http_connection *connection)
{
	struct tally_str *out = &connection->out;
	ssize_t nr;

	if (tally_str_error(out))
		return false;
	nr = send(connection->fd, out->data + connection->sent, out->len - connection->sent,
		  MSG_NOSIGNAL);
	if (nr < 0)
		return is_temporary();
	connection->sent += (size_t)nr;
	if (connection->sent < out->len)
		return true;
	tally_str_free(out);
	connection->phase = HTTP_DRAINING;
	connection->since = tally_clock_now();
	return !shutdown(connection->fd, SHUT_WR);
}

static bool connection_drain(struct http_connection *connection)
{
	char scratch[4096];
	ssize_t nr = recv(connection->fd, scratch, sizeof(scratch), 0);

	return nr < 0 ? is_temporary() : nr > 0;
}

bool http_connection_step(struct http_connection *connection,
			  const struct tally_http_server *server, bool is_busy)
{
	bool goes_on = true;

	if (connection->phase == HTTP_DRAINING)
		return connection_drain(connection);
	if (connection->phase == HTTP_READING)
		goes_on = connection_read(connection, server, is_busy);
	if (goes_on && connection->phase == HTTP_WRITING)
		goes_on = connection_write(connection);
	return goes_on;
}

bool http_connection_expire(struct http_connection *connection)
{
	struct tally_http_response late = response_of(TALLY_HTTP_TIMEOUT);

	if (connection->phase != HTTP_READING)
		return false;
	connection_respond(connection, &late, false);
	return connection_write(connection);
}
