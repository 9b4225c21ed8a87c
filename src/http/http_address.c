/* SPDX-License-Identifier: BSD-2-Clause */
#include "http/http_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/scan.h"

static void set_v4(struct tally_http_address *address, struct in_addr host, uint16_t port)
{
	struct sockaddr_in socket = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = host};

	*address = (struct tally_http_address){.len = sizeof(socket)};
	memcpy(&address->socket, &socket, sizeof(socket));
}

static void set_v6(struct tally_http_address *address, struct in6_addr host, uint16_t port)
{
	struct sockaddr_in6 socket = {
		.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = host};

	*address = (struct tally_http_address){.len = sizeof(socket)};
	memcpy(&address->socket, &socket, sizeof(socket));
}

static int parse_port(const char *text, uint16_t *ret_port)
{
	struct tally_scan scan = tally_scan_of(text, strlen(text));
	uint64_t port;
	int ret = tally_scan_number(&scan, 10, &port);

	if (ret || scan.at != scan.end || port > UINT16_MAX)
		return -EINVAL;
	*ret_port = (uint16_t)port;
	return 0;
}

static int parse_host(const char *host, uint16_t port, struct tally_http_address *ret_address)
{
	struct in_addr v4 = {htonl(INADDR_LOOPBACK)};
	size_t len = strlen(host);
	char inner[INET6_ADDRSTRLEN];
	struct in6_addr v6;

	if (host[0] == '[') {
		if (len < 2 || host[len - 1] != ']' || len - 2 >= sizeof(inner))
			return -EINVAL;
		memcpy(inner, host + 1, len - 2);
		inner[len - 2] = '\0';
		if (inet_pton(AF_INET6, inner, &v6) != 1)
			return -EINVAL;
		set_v6(ret_address, v6, port);
		return 0;
	}
	if (len && strcmp(host, "localhost") != 0 && inet_pton(AF_INET, host, &v4) != 1)
		return -EINVAL;
	set_v4(ret_address, v4, port);
	return 0;
}

int tally_http_address_parse(const char *text, uint16_t port,
			     struct tally_http_address *ret_address)
{
	const char *bracket = strrchr(text, ']');
	const char *colon = strrchr(bracket ? bracket : text, ':');
	bool is_number = *text && strspn(text, "0123456789") == strlen(text);
	char host[INET6_ADDRSTRLEN + 2] = "";
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	int ret = 0;

	if (is_number) {
		ret = parse_port(text, &port);
		len = 0;
	} else if (colon) {
		ret = parse_port(colon + 1, &port);
	}
	if (ret || len >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, len);
	return parse_host(host, port, ret_address);
}

bool tally_http_address_is_loopback(const struct tally_http_address *address)
{
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	if (address->socket.ss_family == AF_INET6) {
		memcpy(&v6, &address->socket, sizeof(v6));
		return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
	}
	memcpy(&v4, &address->socket, sizeof(v4));
	return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
}

void tally_http_address_format(const struct tally_http_address *address, struct tally_str *out)
{
	bool is_v6 = address->socket.ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN] = "";
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	memcpy(&v6, &address->socket, sizeof(v6));
	memcpy(&v4, &address->socket, sizeof(v4));
	if (is_v6)
		inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof(host));
	else
		inet_ntop(AF_INET, &v4.sin_addr, host, sizeof(host));
	tally_str_addf(out, is_v6 ? "[%s]:%u" : "%s:%u", host,
		       ntohs(is_v6 ? v6.sin6_port : v4.sin_port));
}
