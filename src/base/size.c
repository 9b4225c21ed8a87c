/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool tally_size_parse(const char *text, uint64_t unit, uint64_t *ret_bytes)
{
	static const char units[] = "BKMGT";
	const char *found;
	uint64_t value, scale = unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	found = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (errno || (*end && (!found || end[1])))
		return false;
	if (found)
		scale = 1ull << 10 * (found - units);
	return !__builtin_mul_overflow(value, scale, ret_bytes);
}
