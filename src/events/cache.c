/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware cache names: TYPE[-OP][-RESULT], each part in several spellings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "events/names.h"

enum { READ = 1 << 0, WRITE = 1 << 1, PREFETCH = 1 << 2 };

/* Spellings in order of preference; the first is shown. */
static const struct {
	const char *names[6];
	uint8_t ops;
} caches[PERF_COUNT_HW_CACHE_MAX] = {
	{{"L1-dcache", "l1-d", "l1d", "L1-data"}, READ | WRITE | PREFETCH},
	{{"L1-icache", "l1-i", "l1i", "L1-instruction"}, READ | PREFETCH},
	{{"LLC", "L2"}, READ | WRITE | PREFETCH},
	{{"dTLB", "d-tlb", "Data-TLB"}, READ | WRITE | PREFETCH},
	{{"iTLB", "i-tlb", "Instruction-TLB"}, READ},
	{{"branch", "branches", "bpu", "btb", "bpc"}, READ},
	{{"node"}, READ | WRITE | PREFETCH},
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

/* Length of the longest spelling that starts `text` as a whole part, 0 if none does. */
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
		size_t n = spelling_match(caches[i].names, text, len);

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

bool tally_cache_valid(uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff;

	return cache < PERF_COUNT_HW_CACHE_MAX && op < PERF_COUNT_HW_CACHE_OP_MAX &&
	       config >> 16 < PERF_COUNT_HW_CACHE_RESULT_MAX && caches[cache].ops & 1u << op;
}

int tally_cache_name(uint64_t config, char out[TALLY_CACHE_NAME_MAX])
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (!tally_cache_valid(config))
		return -EINVAL;
	if (result)
		snprintf(out, TALLY_CACHE_NAME_MAX, "%s-%s-%s", caches[cache].names[0], ops[op][0],
			 results[result][0]);
	else
		snprintf(out, TALLY_CACHE_NAME_MAX, "%s-%s", caches[cache].names[0], ops[op][1]);
	return 0;
}
