/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of HTTP requests. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arith.h"
#include "http/http_request.h"

#define HOST "Host: a\r\n"

static const struct {
	const char *head;
	enum tally_http_status status;
	const char *path; /* if the status is OK */
} heads[] = {
	{"GET /metrics HTTP/1.1\r\n" HOST "\r\n", TALLY_HTTP_OK, "/metrics"},
	{"GET /metrics HTTP/1.0\r\n\r\n", TALLY_HTTP_OK, "/metrics"},
	{"GET /metrics HTTP/1.0\n\n", TALLY_HTTP_OK, "/metrics"},
	{"\r\nGET /metrics HTTP/1.0\r\n\r\n", TALLY_HTTP_OK, "/metrics"},
	{"HEAD /a?b/c HTTP/1.1\r\n" HOST "\r\nrest", TALLY_HTTP_OK, "/a"},
	{"GET http://x:1/m?q HTTP/1.1\r\nHOST:\t a \r\n\r\n", TALLY_HTTP_OK, "/m"},
	{"GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", TALLY_HTTP_OK, "/"},
	{"GET / HTTP/1.1\r\n" HOST "Name: \xff\xfe\r\n\r\n", TALLY_HTTP_OK, "/"},
	{"GET / HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\n", TALLY_HTTP_CONTENT_TOO_LARGE,
	 NULL},
	{"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
	 TALLY_HTTP_CONTENT_TOO_LARGE, NULL},
	{"POST / HTTP/1.1\r\n" HOST "\r\n", TALLY_HTTP_METHOD_NOT_ALLOWED, NULL},
	{"get / HTTP/1.1\r\n" HOST "\r\n", TALLY_HTTP_METHOD_NOT_ALLOWED, NULL},
	{"GET / HTTP/2.0\r\n\r\n", TALLY_HTTP_VERSION, NULL},
	{"GET / HTTP/1.1\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.1\r\n" HOST HOST "\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.1\r\nHost : a\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.1\r\n" HOST "Name: a\rb\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.1\r\n" HOST ": a\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET metrics HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET http://x HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET /a b HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET /\x01 HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET  HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET /\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"G@T / HTTP/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / HTTP/1.10\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"GET / http/1.0\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
	{"\r\n\r\n", TALLY_HTTP_BAD_REQUEST, NULL},
};

static void judges_heads(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(heads); i++) {
		const char *head = heads[i].head;
		struct tally_http_request request;

		assert_int_equal(tally_http_request_parse(head, strlen(head), &request), 0);
		if (request.status != heads[i].status)
			fail_msg("%s: status %d", head, (int)request.status);
		if (!heads[i].path)
			continue;
		assert_int_equal(request.path_len, strlen(heads[i].path));
		assert_memory_equal(request.path, heads[i].path, request.path_len);
		assert_int_equal(request.is_head, head[0] == 'H');
	}
}

static void waits_for_the_empty_line(void **state)
{
	static const char head[] = "GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: b\r\n\r\n";
	struct tally_http_request request;

	for (size_t len = 0; len < sizeof(head) - 1; len++)
		assert_int_equal(tally_http_request_parse(head, len, &request), -EAGAIN);
	assert_int_equal(tally_http_request_parse(head, sizeof(head) - 1, &request), 0);
}

static void limits_the_head(void **state)
{
	static const char end[] = "\r\n\r\n";
	char *head = malloc(TALLY_HTTP_HEAD_MAX + 1);
	size_t len = TALLY_HTTP_HEAD_MAX;
	struct tally_http_request request;

	assert_non_null(head);
	memset(head, 'a', len + 1);
	memcpy(head, "GET / HTTP/1.0\r\nA: ", 19);
	assert_int_equal(tally_http_request_parse(head, len - 1, &request), -EAGAIN);
	assert_int_equal(tally_http_request_parse(head, len, &request), 0);
	assert_int_equal(request.status, TALLY_HTTP_HEAD_TOO_LARGE);
	memcpy(head + len - 4, end, 4);
	assert_int_equal(tally_http_request_parse(head, len, &request), 0);
	assert_int_equal(request.status, TALLY_HTTP_OK);
	memcpy(head + len - 3, end, 4);
	assert_int_equal(tally_http_request_parse(head, len + 1, &request), 0);
	assert_int_equal(request.status, TALLY_HTTP_HEAD_TOO_LARGE);
	free(head);
}

/* ---- fields --------------------------------------------------------------- */

static struct tally_http_request with_fields(const char *fields)
{
	struct tally_http_request request;
	static char head[1024];

	strcpy(head, "GET / HTTP/1.0\r\n");
	strcat(strcat(head, fields), "\r\n");
	assert_int_equal(tally_http_request_parse(head, strlen(head), &request), 0);
	assert_int_equal(request.status, TALLY_HTTP_OK);
	return request;
}

#define OPEN "application/openmetrics-text"

static const struct {
	const char *fields;
	int quality;
} accepts[] = {
	{"", -1},
	{"Accept: */*\r\n", -1},
	{"Accept: " OPEN "\r\n", 1000},
	{"accept:" OPEN ";q=0.5\r\n", 500},
	{"Accept: " OPEN " ; version=1.0.0 ; q=0.25, text/plain\r\n", 250},
	{"Accept: text/plain;q=0.9," OPEN ";version=\"1.0.0\";q=0.125\r\n", 125},
	{"Accept: " OPEN ";version=0.0.1;q=0.9\r\n", -1},
	{"Accept: " OPEN ";version=0.0.1, " OPEN ";version=1.0.0;q=0.1\r\n", 100},
	{"Accept: text/html\r\nAccept: " OPEN ";q=0.001\r\n", 1},
	{"Accept: " OPEN ";q=0\r\n", 0},
	{"Accept: " OPEN ";q=x\r\n", 0},
	{"Accept: " OPEN ";q=99999999999999999999\r\n", 0},
	{"Accept: " OPEN ";q=1.5\r\n", 1000},
	{"Accept: a;b=\"," OPEN ",\\\"\"\r\n", -1},
	{"Accept: " OPEN "x, x" OPEN "\r\n", -1},
	{"Accept: " OPEN ";escaping=allow-utf-8\r\n", 1000},
	{"Accept: " OPEN ";q\r\n", 0},
	{"Accept: ,,;;,=;q=1\r\n", -1},
};

static void reads_preferences(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(accepts); i++) {
		struct tally_http_request request = with_fields(accepts[i].fields);
		int quality = tally_http_request_accepts(&request, OPEN, "1.0.0");

		if (quality != accepts[i].quality)
			fail_msg("%s: %d", accepts[i].fields, quality);
	}
}

static const struct {
	const char *fields;
	bool is_local;
} hosts[] = {
	{"", true},
	{"Host:\r\n", true},
	{"Host: localhost\r\n", true},
	{"Host: LocalHost:18255\r\n", true},
	{"Host: 127.0.0.1:18255\r\n", true},
	{"Host: [::1]:18255\r\n", true},
	{"Host: evil.example:18255\r\n", false},
	{"Host: localhost.evil.example\r\n", false},
	{"Host: 127.0.0.1.evil.example\r\n", false},
	{"Host: [evil.example\r\n", false},
	{"Host: [evil.example]\r\n", false},
	{"Host: [::1\r\n", false},
};

static void detects_rebound_names(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(hosts); i++) {
		struct tally_http_request request = with_fields(hosts[i].fields);

		if (tally_http_request_is_local(&request) != hosts[i].is_local)
			fail_msg("%s", hosts[i].fields);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_heads),          cmocka_unit_test(waits_for_the_empty_line),
		cmocka_unit_test(limits_the_head),       cmocka_unit_test(reads_preferences),
		cmocka_unit_test(detects_rebound_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
