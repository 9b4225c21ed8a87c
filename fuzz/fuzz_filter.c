/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoint filters: the input up to the first NUL is the filter, followed by the raw data on
 * which the filter is evaluated. A filter that parses must evaluate, and its negation must have the
 * opposite result.
 */
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 512 };

static const struct tally_core_field fields[] = {
	{"a", 0, 4, true, false},  {"b", 4, 8, false, false},     {"c", 12, 1, false, false},
	{"d", 13, 2, true, false}, {"name", 15, 16, false, true}, {"late", 4000, 8, false, false},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);
	size_t raw_len = size > len ? size - len - 1 : 0;
	char *text = malloc(len + 1);
	uint8_t *raw = malloc(raw_len + 1);
	struct tally_core_filter *filter =
		calloc(1, sizeof(*filter) + NODES * sizeof(filter->nodes[0]));
	struct tally_error err;
	bool passes;

	if (!text || !raw || !filter)
		abort();
	memcpy(text, data, len);
	memcpy(raw, data + size - raw_len, raw_len);
	filter->text = text;
	if (!tally_filter_parse(fields, sizeof(fields) / sizeof(fields[0]), text, len,
				filter->nodes, NODES - 1, &filter->nr, &err)) {
		passes = tally_filter_passes(filter, raw, (uint32_t)raw_len);
		filter->nodes[filter->nr++].kind = TALLY_FILTER_NOT;
		if (tally_filter_passes(filter, raw, (uint32_t)raw_len) == passes)
			abort();
	} else if (err.offset > len || !err.text) {
		abort();
	}
	free(filter);
	free(raw);
	free(text);
	return 0;
}
