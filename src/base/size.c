/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/size.h"
#include "base/scan.h"

#include <string.h>

bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes)
{
	static const char units[] = "BKMGT";
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
