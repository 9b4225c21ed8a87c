/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses to listen on, written as text. */
#ifndef TALLY_HTTP_ADDRESS_H
#define TALLY_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/str.h"

struct tally_http_address {
	struct sockaddr_storage socket; /* sockaddr_in or sockaddr_in6 */
	socklen_t len;
};

/* Parse "PORT", ":PORT", "HOST:PORT", "HOST" or "[IPv6]:PORT". Without a host, the address is
 * 127.0.0.1; without a port, it has the port `port`. A host is an IPv4 address, an IPv6 address in
 * brackets, or "localhost", which is 127.0.0.1. Other names are not resolved: an address to listen
 * on must be one of this machine's own, and a static program has no resolver. Returns 0, or -EINVAL
 * if `text` has another form. */
int tally_http_address_parse(const char *text, uint16_t port,
			     struct tally_http_address *ret_address);

/* Return true if only programs on this machine can connect to the address. */
bool tally_http_address_is_loopback(const struct tally_http_address *address);

/* Append the address as it is written in a URL: "127.0.0.1:80" or "[::1]:80". */
void tally_http_address_format(const struct tally_http_address *address, struct tally_str *out);

#endif
