/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses to listen on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arith.h"
#include "http/http_address.h"

static const struct {
	const char *text, *url;
	bool is_loopback;
} valid[] = {
	{"", "127.0.0.1:18255", true},
	{"9000", "127.0.0.1:9000", true},
	{":9000", "127.0.0.1:9000", true},
	{"0", "127.0.0.1:0", true},
	{"localhost:65535", "127.0.0.1:65535", true},
	{"localhost", "127.0.0.1:18255", true},
	{"127.1.2.3:1", "127.1.2.3:1", true},
	{"192.0.2.1", "192.0.2.1:18255", false},
	{"0.0.0.0:80", "0.0.0.0:80", false},
	{"[::]:80", "[::]:80", false},
	{"[::1]:80", "[::1]:80", true},
	{"[::1]", "[::1]:18255", true},
	{"[2001:db8::1]:443", "[2001:db8::1]:443", false},
};

static const char *const invalid[] = {
	":",
	"65536",
	"99999999999999999999",
	"-1",
	"+1",
	" 80",
	"80 ",
	"host",
	"host:80",
	"::1:80",
	"[::1",
	"::1]",
	"[]:80",
	"[127.0.0.1]:80",
	"[::1]80",
	"[::1]:",
	"127.0.0.1:",
	"127.1:80",
	"1.2.3.4.5:80",
	"0x50",
	"*:80",
	"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]:80",
};

static void reads_addresses(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(valid); i++) {
		struct tally_http_address address;
		struct tally_str url = {0};

		assert_int_equal(tally_http_address_parse(valid[i].text, 18255, &address), 0);
		tally_http_address_format(&address, &url);
		assert_string_equal(url.data, valid[i].url);
		assert_int_equal(tally_http_address_is_loopback(&address), valid[i].is_loopback);
		tally_str_free(&url);
	}
}

static void refuses_other_texts(void **state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(invalid); i++) {
		struct tally_http_address address = {.len = 77};

		if (tally_http_address_parse(invalid[i], 18255, &address) != -EINVAL)
			fail_msg("%s", invalid[i]);
		assert_int_equal(address.len, 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(refuses_other_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
