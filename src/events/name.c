/* SPDX-License-Identifier: BSD-2-Clause */
#include "abi/attr_name.h"
#include "base/str.h"
#include "tally/events.h"

void tally_event_name(const struct perf_event_attr *attr, struct tally_str *out)
{
	char name[TALLY_ATTR_NAME_MAX];

	tally_attr_name(attr, name);
	tally_str_add(out, name);
}
