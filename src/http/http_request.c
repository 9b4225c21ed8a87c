/* SPDX-License-Identifier: BSD-2-Clause */
#include "http/http_request.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "base/scan.h"

/* A part of the head. */
struct http_span {
	const char *at;
	size_t len;
};

static bool span_is(struct http_span span, const char *text)
{
	return span.len == strlen(text) && !strncasecmp(span.at, text, span.len);
}

static struct http_span span_trim(struct http_span span)
{
	while (span.len && (span.at[0] == ' ' || span.at[0] == '\t'))
		span.at++, span.len--;
	while (span.len && (span.at[span.len - 1] == ' ' || span.at[span.len - 1] == '\t'))
		span.len--;
	return span;
}

/* Remove the part before the first `c` outside of quotes from `*rest`, and the `c`. Return false at
 * the end. */
static bool span_next(struct http_span *rest, char c, struct http_span *ret_part)
{
	bool quoted = false;
	size_t i = 0;

	if (!rest->len)
		return false;
	for (; i < rest->len && (quoted || rest->at[i] != c); i++) {
		if (rest->at[i] == '"')
			quoted = !quoted;
		else if (quoted && rest->at[i] == '\\' && i + 1 < rest->len)
			i++;
	}
	*ret_part = (struct http_span){rest->at, i};
	i += i < rest->len;
	*rest = (struct http_span){rest->at + i, rest->len - i};
	return true;
}

/* ---- lines ---------------------------------------------------------------- */

/* Remove the first line from `*rest`. The line does not include its end, LF or CRLF. Return false
 * if the line is incomplete. */
static bool line_next(struct http_span *rest, struct http_span *ret_line)
{
	const char *end = memchr(rest->at, '\n', rest->len);
	size_t len = end ? (size_t)(end - rest->at) : 0;

	if (!end)
		return false;
	*ret_line = (struct http_span){rest->at, len && end[-1] == '\r' ? len - 1 : len};
	*rest = (struct http_span){end + 1, rest->len - len - 1};
	return true;
}

/* Return the length of the head including the empty line, or 0 if it is incomplete. */
static size_t head_length(struct http_span head)
{
	struct http_span rest = head, line;
	bool is_first = true;

	for (; line_next(&rest, &line); is_first = false) {
		if (!line.len && !is_first)
			return head.len - rest.len;
	}
	return 0;
}

static bool is_token(struct http_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		unsigned char c = (unsigned char)span.at[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	return span.len > 0;
}

/* Return true for text without control characters. */
static bool is_value(struct http_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		unsigned char c = (unsigned char)span.at[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Split a valid line into name and value. */
static bool field_split(struct http_span line, struct http_span *ret_name,
			struct http_span *ret_value)
{
	const char *colon = memchr(line.at, ':', line.len);
	size_t len = colon ? (size_t)(colon - line.at) : 0;

	if (!colon)
		return false;
	*ret_name = (struct http_span){line.at, len};
	*ret_value = span_trim((struct http_span){colon + 1, line.len - len - 1});
	return is_token(*ret_name) && is_value(*ret_value);
}

/* ---- request -------------------------------------------------------------- */

static enum tally_http_status check_version(struct http_span version)
{
	if (version.len != strlen("HTTP/1.1") || memcmp(version.at, "HTTP/", 5) != 0 ||
	    !tally_is_digit(version.at[5]) || version.at[6] != '.' ||
	    !tally_is_digit(version.at[7]))
		return TALLY_HTTP_BAD_REQUEST;
	return version.at[5] == '1' ? TALLY_HTTP_OK : TALLY_HTTP_VERSION;
}

static enum tally_http_status check_method(struct tally_http_request *request,
					   struct http_span method)
{
	request->is_head = method.len == 4 && !memcmp(method.at, "HEAD", 4);
	if (request->is_head || (method.len == 3 && !memcmp(method.at, "GET", 3)))
		return TALLY_HTTP_OK;
	return is_token(method) ? TALLY_HTTP_METHOD_NOT_ALLOWED : TALLY_HTTP_BAD_REQUEST;
}

/* Set the path from a target such as "/metrics?x=y", or from a URL as proxies send it. */
static enum tally_http_status set_path(struct tally_http_request *request, struct http_span target)
{
	static const char scheme[] = "http://";
	size_t skip = sizeof(scheme) - 1;
	const char *end;

	for (size_t i = 0; i < target.len; i++) {
		if ((unsigned char)target.at[i] <= ' ' || (unsigned char)target.at[i] >= 0x7f)
			return TALLY_HTTP_BAD_REQUEST;
	}
	if (target.len > skip && !strncasecmp(target.at, scheme, skip)) {
		end = memchr(target.at + skip, '/', target.len - skip);
		if (!end)
			return TALLY_HTTP_BAD_REQUEST;
		target.len -= (size_t)(end - target.at);
		target.at = end;
	}
	if (!target.len || target.at[0] != '/')
		return TALLY_HTTP_BAD_REQUEST;
	end = memchr(target.at, '?', target.len);
	request->path = target.at;
	request->path_len = end ? (size_t)(end - target.at) : target.len;
	return TALLY_HTTP_OK;
}

/* Parse "METHOD TARGET VERSION". */
static enum tally_http_status parse_line(struct tally_http_request *request, struct http_span line,
					 bool *ret_needs_host)
{
	const char *first = memchr(line.at, ' ', line.len), *last = memrchr(line.at, ' ', line.len);
	struct http_span method, target, version;
	enum tally_http_status status;

	if (!first || first == last)
		return TALLY_HTTP_BAD_REQUEST;
	method = (struct http_span){line.at, (size_t)(first - line.at)};
	target = (struct http_span){first + 1, (size_t)(last - first) - 1};
	version = (struct http_span){last + 1, (size_t)(line.at + line.len - last) - 1};
	status = check_version(version);
	if (status == TALLY_HTTP_OK)
		status = check_method(request, method);
	if (status == TALLY_HTTP_OK)
		status = set_path(request, target);
	*ret_needs_host = status == TALLY_HTTP_OK && version.at[7] != '0';
	return status;
}

static bool is_zero(struct http_span value)
{
	for (size_t i = 0; i < value.len; i++)
		if (value.at[i] != '0')
			return false;
	return value.len > 0;
}

/* Check a field, and note the host. */
static enum tally_http_status check_field(struct tally_http_request *request, struct http_span line)
{
	struct http_span name, value;

	if (!field_split(line, &name, &value))
		return TALLY_HTTP_BAD_REQUEST;
	if (span_is(name, "Host")) {
		if (request->host)
			return TALLY_HTTP_BAD_REQUEST;
		request->host = value.at;
		request->host_len = value.len;
	}
	if (span_is(name, "Transfer-Encoding") ||
	    (span_is(name, "Content-Length") && !is_zero(value)))
		return TALLY_HTTP_CONTENT_TOO_LARGE;
	return TALLY_HTTP_OK;
}

int tally_http_request_parse(const char *bytes, size_t len, struct tally_http_request *ret_request)
{
	struct tally_http_request request = {.status = TALLY_HTTP_HEAD_TOO_LARGE};
	struct http_span rest = {bytes, TALLY_MIN(len, (size_t)TALLY_HTTP_HEAD_MAX)};
	struct http_span line = {0};
	bool needs_host = false;

	rest.len = head_length(rest);
	if (!rest.len && len < TALLY_HTTP_HEAD_MAX)
		return -EAGAIN;
	if (rest.len) {
		line_next(&rest, &line);
		/* Clients may send an empty line before the request. */
		if (!line.len)
			line_next(&rest, &line);
		request.status = parse_line(&request, line, &needs_host);
		request.fields = rest.at;
		request.fields_len = rest.len;
	}
	while (request.status == TALLY_HTTP_OK && line_next(&rest, &line) && line.len)
		request.status = check_field(&request, line);
	if (request.status == TALLY_HTTP_OK && needs_host && !request.host)
		request.status = TALLY_HTTP_BAD_REQUEST;
	*ret_request = request;
	return 0;
}

/* ---- media types ---------------------------------------------------------- */

/* Return the value of q, such as "0.5", in thousandths, or 0 if it is invalid. */
static int quality_of(struct http_span value)
{
	struct tally_scan scan = tally_scan_of(value.at, value.len);
	uint64_t whole, part = 0;

	if (tally_scan_number(&scan, 10, &whole))
		return 0;
	if (tally_scan_char(&scan, '.'))
		part = tally_scan_fraction(&scan, 1000);
	if (scan.at != scan.end || whole > 1)
		return 0;
	return (int)TALLY_MIN(whole * 1000 + part, (uint64_t)1000);
}

/* Return the preference that one media range states for the type, or -1 if it names another. */
static int range_accepts(struct http_span range, const char *type, const char *version)
{
	struct http_span part, name, value;
	int quality = 1000;

	if (!span_next(&range, ';', &part) || !span_is(span_trim(part), type))
		return -1;
	while (span_next(&range, ';', &part)) {
		if (!span_next(&part, '=', &name))
			continue;
		value = span_trim(part);
		if (value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"')
			value = (struct http_span){value.at + 1, value.len - 2};
		if (span_is(span_trim(name), "q"))
			quality = quality_of(value);
		else if (version && span_is(span_trim(name), "version") && !span_is(value, version))
			return -1;
	}
	return quality;
}

int tally_http_request_accepts(const struct tally_http_request *request, const char *type,
			       const char *version)
{
	struct http_span rest = {request->fields, request->fields_len}, line, name, value, range;
	int best = -1, one;

	while (line_next(&rest, &line) && line.len) {
		if (!field_split(line, &name, &value) || !span_is(name, "Accept"))
			continue;
		while (span_next(&value, ',', &range)) {
			one = range_accepts(range, type, version);
			best = TALLY_MAX(best, one);
		}
	}
	return best;
}

/* Return true if a host begins like an IPv6 address in brackets. */
static bool is_bracketed(struct http_span host)
{
	for (size_t i = 1; i < host.len; i++) {
		if (host.at[i] == ']')
			return true;
		if (host.at[i] != ':' && host.at[i] != '.' && tally_digit(host.at[i]) > 15)
			return false;
	}
	return false;
}

bool tally_http_request_is_local(const struct tally_http_request *request)
{
	struct http_span host = {request->host, request->host_len};
	const char *colon;
	bool is_address = true;

	if (!host.len)
		return true;
	if (host.at[0] == '[')
		return is_bracketed(host);
	colon = memchr(host.at, ':', host.len);
	if (colon)
		host.len = (size_t)(colon - host.at);
	for (size_t i = 0; i < host.len; i++)
		is_address &= host.at[i] == '.' || tally_is_digit(host.at[i]);
	return is_address || span_is(host, "localhost");
}
