/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/size.h"

#include <inttypes.h>
#include <string.h>

#include "base/scan.h"

static const char units[] = "BKMGT";

bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes)
{
	const char *found;
	struct tally_scan scan = tally_scan_of(text, strlen(text));
	uint64_t value, scale = unit;
	const char *end;

	if (tally_scan_number(&scan, 10, &value))
		return false;
	end = scan.at;
	found = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (*end && (!found || end[1]))
		return false;
	if (found)
		scale = 1ull << 10 * (found - units);
	return !__builtin_mul_overflow(value, scale, ret_bytes);
}

void tally_size_add(struct tally_str *out, uint64_t bytes)
{
	const char *unit = units;

	for (; bytes && !(bytes & 1023) && unit[1]; unit++)
		bytes >>= 10;
	tally_str_addf(out, "%" PRIu64 "%c", bytes, *unit);
}
