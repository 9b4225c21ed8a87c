/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries: the input up to the first NUL is the query, followed by a name to match with its
 * patterns. */
#include <stdlib.h>
#include <string.h>

#include "profile/pattern.h"
#include "profile/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_query(const char *text, size_t len)
{
	struct tally_query *query = NULL;
	struct tally_error err = {0};
	int ret = tally_query_parse(text, &query, &err);

	if (ret && (err.code != ret || !err.text || err.offset > len || query))
		abort();
	if (ret)
		return;
	tally_query_set_times(query, 1000, 2000);
	for (uint64_t time = 900; time < 2100; time += 100)
		(void)tally_query_matches_time(query, time);
	if (tally_query_by(query) >> 6 || (tally_query_has_relative_times(query) &&
					   !(tally_query_needs(query) & PERF_SAMPLE_TIME)))
		abort();
	tally_query_free(query);
}

static void check_pattern(enum tally_pattern_kind kind, const char *text, const char *name)
{
	struct tally_pattern pattern;
	const char *why = NULL;
	int ret = tally_pattern_init(kind, text, &pattern, &why);

	if (ret == -EINVAL && (!why || kind != TALLY_PATTERN_REGEX))
		abort();
	if (ret)
		return;
	(void)tally_pattern_matches(&pattern, name);
	if (kind == TALLY_PATTERN_WHOLE && strlen(text) < TALLY_PATTERN_NAME_MAX &&
	    !tally_pattern_matches(&pattern, text))
		abort();
	tally_pattern_free(&pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);
	size_t rest = size > len ? size - len - 1 : 0;
	char *text = malloc(len + 1), *name = malloc(rest + 1);

	if (!text || !name)
		abort();
	memcpy(text, data, len);
	memcpy(name, data + size - rest, rest);
	text[len] = name[rest] = '\0';
	check_query(text, len);
	for (int kind = TALLY_PATTERN_PART; kind <= TALLY_PATTERN_REGEX; kind++)
		check_pattern((enum tally_pattern_kind)kind, text, name);
	free(text);
	free(name);
	return 0;
}
