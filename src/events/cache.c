/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware cache names: TYPE[-OP][-RESULT]. Each part has several spellings. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "abi/attr_name.h"
#include "base/arith.h"
#include "events/names.h"

/* Alternative spellings, in addition to the displayed one. */
static const char *const cache_spellings[PERF_COUNT_HW_CACHE_MAX][5] = {
	{"l1-d", "l1d", "L1-data"},
	{"l1-i", "l1i", "L1-instruction"},
	{"L2"},
	{"d-tlb", "Data-TLB"},
	{"i-tlb", "Instruction-TLB"},
	{"branches", "bpu", "btb", "bpc"},
};

static const char *const ops[PERF_COUNT_HW_CACHE_OP_MAX][5] = {
	{"load", "loads", "read"},
	{"store", "stores", "write"},
	{"prefetch", "prefetches", "speculative-read", "speculative-load"},
};

static const char *const results[PERF_COUNT_HW_CACHE_RESULT_MAX][5] = {
	{"refs", "Reference", "ops", "access"},
	{"misses", "miss"},
};

/* Return the length of the longest spelling that matches `text` up to a '-' or up to its end.
 * Returns 0 if no spelling matches. */
static size_t spelling_match(const char *const *names, const char *text, size_t len)
{
	size_t best = 0;

	for (; *names; names++) {
		size_t n = strlen(*names);

		if (n > best && n <= len && !strncasecmp(*names, text, n) &&
		    (n == len || text[n] == '-'))
			best = n;
	}
	return best;
}

static size_t op_or_result_match(const char *text, size_t len, int *op, int *result)
{
	size_t n;

	for (int i = 0; i < PERF_COUNT_HW_CACHE_OP_MAX && *op < 0; i++) {
		n = spelling_match(ops[i], text, len);
		if (n) {
			*op = i;
			return n;
		}
	}
	for (int i = 0; i < PERF_COUNT_HW_CACHE_RESULT_MAX && *result < 0; i++) {
		n = spelling_match(results[i], text, len);
		if (n) {
			*result = i;
			return n;
		}
	}
	return 0;
}

static size_t cache_match(const char *text, size_t len, int *ret_cache)
{
	size_t best = 0;

	for (int i = 0; i < PERF_COUNT_HW_CACHE_MAX; i++) {
		const char *const shown[] = {tally_caches[i].name, NULL};
		size_t n = spelling_match(shown, text, len);

		n = TALLY_MAX(n, spelling_match(cache_spellings[i], text, len));
		if (n > best) {
			best = n;
			*ret_cache = i;
		}
	}
	return best;
}

int tally_cache_parse(const char *text, size_t len, uint64_t *ret_config)
{
	int cache = -1, op = -1, result = -1;
	size_t at = cache_match(text, len, &cache);
	uint64_t config;

	if (!at)
		return -ENOENT;
	while (at < len) {
		size_t n = op_or_result_match(text + at + 1, len - at - 1, &op, &result);

		if (!n)
			return -ENOENT;
		at += 1 + n;
	}
	config = (uint64_t)cache | (uint64_t)TALLY_MAX(op, 0) << 8 |
		 (uint64_t)TALLY_MAX(result, 0) << 16;
	if (!tally_cache_valid(config))
		return -EOPNOTSUPP;
	*ret_config = config;
	return 0;
}
