/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sample_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "tally/abi.h"

enum { CONDITIONS_MAX = 64 };

/* ---- terms -------------------------------------------------------------------------- */

enum term {
	TERM_IP,
	TERM_ID,
	TERM_PID,
	TERM_TID,
	TERM_CPU,
	TERM_TIME,
	TERM_ADDRESS,
	TERM_PERIOD,
	TERM_TRANSACTION,
	TERM_WEIGHT,
	TERM_WEIGHT2,
	TERM_WEIGHT3,
	TERM_PHYSICAL,
	TERM_CODE_PAGE,
	TERM_DATA_PAGE,
	TERM_OPERATION,
	TERM_LEVEL,
	TERM_SNOOP,
	TERM_REMOTE,
	TERM_LOCK,
	TERM_TLB,
	TERM_BLOCK,
	TERM_HOPS,
};

#define WEIGHTS (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

static const struct {
	const char *name;
	enum term term;
	uint64_t needs; /* samples need one of these PERF_SAMPLE_* bits */
	const char *option;
} terms[] = {
	{"ip", TERM_IP, PERF_SAMPLE_IP, ""},
	{"id", TERM_ID, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, "a second event"},
	{"pid", TERM_PID, PERF_SAMPLE_TID, ""},
	{"tid", TERM_TID, PERF_SAMPLE_TID, ""},
	{"cpu", TERM_CPU, PERF_SAMPLE_CPU, "--sample-cpu"},
	{"time", TERM_TIME, PERF_SAMPLE_TIME, "--timestamp"},
	{"addr", TERM_ADDRESS, PERF_SAMPLE_ADDR, "--data"},
	{"period", TERM_PERIOD, PERF_SAMPLE_PERIOD, "--period"},
	{"txn", TERM_TRANSACTION, PERF_SAMPLE_TRANSACTION, "--transaction"},
	{"weight", TERM_WEIGHT, WEIGHTS, "--weight"},
	{"weight1", TERM_WEIGHT, WEIGHTS, "--weight"},
	{"weight2", TERM_WEIGHT2, PERF_SAMPLE_WEIGHT_STRUCT, "--weight"},
	{"weight3", TERM_WEIGHT3, PERF_SAMPLE_WEIGHT_STRUCT, "--weight"},
	{"ins_lat", TERM_WEIGHT2, PERF_SAMPLE_WEIGHT_STRUCT, "--weight"},
	{"p_stage_cyc", TERM_WEIGHT3, PERF_SAMPLE_WEIGHT_STRUCT, "--weight"},
	{"retire_lat", TERM_WEIGHT3, PERF_SAMPLE_WEIGHT_STRUCT, "--weight"},
	{"phys_addr", TERM_PHYSICAL, PERF_SAMPLE_PHYS_ADDR, "--phys-data"},
	{"code_pgsz", TERM_CODE_PAGE, PERF_SAMPLE_CODE_PAGE_SIZE, "--code-page-size"},
	{"data_pgsz", TERM_DATA_PAGE, PERF_SAMPLE_DATA_PAGE_SIZE, "--data-page-size"},
	{"mem_op", TERM_OPERATION, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_lvl", TERM_LEVEL, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_snoop", TERM_SNOOP, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_remote", TERM_REMOTE, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_lock", TERM_LOCK, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_dtlb", TERM_TLB, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_blk", TERM_BLOCK, PERF_SAMPLE_DATA_SRC, "--data"},
	{"mem_hops", TERM_HOPS, PERF_SAMPLE_DATA_SRC, "--data"},
};

static uint64_t source_value(enum term term, union perf_mem_data_src source)
{
	switch (term) {
	case TERM_OPERATION: return source.mem_op;
	case TERM_LEVEL: return source.mem_lvl_num;
	/* The two snoop fields have no bits in common in these values. */
	case TERM_SNOOP: return source.mem_snoop | (uint64_t)source.mem_snoopx << 5;
	case TERM_REMOTE: return source.mem_remote;
	case TERM_LOCK: return source.mem_lock;
	case TERM_TLB: return source.mem_dtlb;
	case TERM_BLOCK: return source.mem_blk;
	default: return source.mem_hops;
	}
}

static uint64_t value_of(enum term term, const struct tally_sample *sample)
{
	switch (term) {
	case TERM_IP: return sample->ip;
	case TERM_ID: return sample->id;
	case TERM_PID: return (uint32_t)sample->pid;
	case TERM_TID: return (uint32_t)sample->tid;
	case TERM_CPU: return sample->cpu;
	case TERM_TIME: return sample->time;
	case TERM_ADDRESS: return sample->addr;
	case TERM_PERIOD: return sample->period;
	case TERM_TRANSACTION: return sample->transaction;
	case TERM_WEIGHT:
		return sample->present & PERF_SAMPLE_WEIGHT_STRUCT ? (uint32_t)sample->weight
								   : sample->weight;
	case TERM_WEIGHT2: return sample->weight >> 32 & UINT16_MAX;
	case TERM_WEIGHT3: return sample->weight >> 48;
	case TERM_PHYSICAL: return sample->phys_addr;
	case TERM_CODE_PAGE: return sample->code_page_size;
	case TERM_DATA_PAGE: return sample->data_page_size;
	default: return source_value(term, (union perf_mem_data_src){.val = sample->data_src});
	}
}

/* ---- names of values ---------------------------------------------------------------- */

static const struct {
	enum term term;
	const char *name;
	uint64_t value; /* source: linux/perf_event.h */
} names[] = {
	{TERM_OPERATION, "na", 1},     {TERM_OPERATION, "load", 2},  {TERM_OPERATION, "store", 4},
	{TERM_OPERATION, "pfetch", 8}, {TERM_OPERATION, "exec", 16}, {TERM_LEVEL, "l1", 1},
	{TERM_LEVEL, "l2", 2},         {TERM_LEVEL, "l3", 3},        {TERM_LEVEL, "l4", 4},
	{TERM_LEVEL, "cxl", 9},        {TERM_LEVEL, "io", 10},       {TERM_LEVEL, "any_cache", 11},
	{TERM_LEVEL, "lfb", 12},       {TERM_LEVEL, "ram", 13},      {TERM_LEVEL, "pmem", 14},
	{TERM_LEVEL, "na", 15},        {TERM_SNOOP, "na", 1},        {TERM_SNOOP, "none", 2},
	{TERM_SNOOP, "hit", 4},        {TERM_SNOOP, "miss", 8},      {TERM_SNOOP, "hitm", 16},
	{TERM_SNOOP, "fwd", 32},       {TERM_SNOOP, "peer", 64},     {TERM_REMOTE, "remote", 1},
	{TERM_LOCK, "na", 1},          {TERM_LOCK, "locked", 2},     {TERM_TLB, "na", 1},
	{TERM_TLB, "l1_hit", 2 | 8},   {TERM_TLB, "l1_miss", 4 | 8}, {TERM_TLB, "l2_hit", 2 | 16},
	{TERM_TLB, "l2_miss", 4 | 16}, {TERM_TLB, "any_hit", 2},     {TERM_TLB, "any_miss", 4},
	{TERM_TLB, "walk", 32},        {TERM_TLB, "fault", 64},      {TERM_BLOCK, "na", 1},
	{TERM_BLOCK, "by_data", 2},    {TERM_BLOCK, "by_addr", 4},   {TERM_HOPS, "hops0", 1},
	{TERM_HOPS, "hops1", 2},       {TERM_HOPS, "hops2", 3},      {TERM_HOPS, "hops3", 4},
};

/* ---- parsing ------------------------------------------------------------------------ */

enum operator{
	IS_EQUAL,
	IS_UNEQUAL,
	IS_GREATER_EQUAL,
	IS_LESS_EQUAL,
	IS_GREATER,
	IS_LESS,
	HAS_BIT
};

struct condition {
	uint8_t term; /* index in `terms` */
	uint8_t op;   /* enum operator */
	bool is_or;   /* one of a group of alternatives, of which a later one follows */
	uint64_t value;
};

struct tally_sample_filter {
	struct condition conditions[CONDITIONS_MAX];
	size_t nr;
};

struct sample_filter_parser {
	const char *text, *at;
	struct tally_error *err;
};

static int fail(const struct sample_filter_parser *parser, const char *what)
{
	return tally_error_at(parser->err, -EINVAL, what, (uint64_t)(parser->at - parser->text));
}

static void skip_blanks(struct sample_filter_parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static size_t word_len(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

static bool word_is(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(at, word, len);
}

static int parse_term(struct sample_filter_parser *parser, struct condition *condition)
{
	size_t len;

	skip_blanks(parser);
	len = word_len(parser->at);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(terms); i++) {
		if (!word_is(parser->at, len, terms[i].name))
			continue;
		condition->term = (uint8_t)i;
		parser->at += len;
		return 0;
	}
	return fail(parser, "unknown term; known terms: ip id pid tid cpu time addr period txn "
			    "weight ins_lat phys_addr mem_op mem_lvl mem_snoop ...");
}

static int parse_operator(struct sample_filter_parser *parser, struct condition *condition)
{
	static const char *const texts[] = {
		[IS_EQUAL] = "==",      [IS_UNEQUAL] = "!=", [IS_GREATER_EQUAL] = ">=",
		[IS_LESS_EQUAL] = "<=", [IS_GREATER] = ">",  [IS_LESS] = "<",
		[HAS_BIT] = "&",
	};

	skip_blanks(parser);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(texts); i++) {
		if (strncmp(parser->at, texts[i], strlen(texts[i])) != 0)
			continue;
		condition->op = (uint8_t)i;
		parser->at += strlen(texts[i]);
		return 0;
	}
	return fail(parser, "expected an operator: == != >= <= > < &");
}

static int parse_value(struct sample_filter_parser *parser, struct condition *condition)
{
	enum term term = terms[condition->term].term;
	char *end;
	size_t len;

	skip_blanks(parser);
	len = word_len(parser->at);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (names[i].term != term || !word_is(parser->at, len, names[i].name))
			continue;
		condition->value = names[i].value;
		parser->at += len;
		return 0;
	}
	errno = 0;
	condition->value = strtoull(parser->at, &end, 0);
	if (!isdigit((unsigned char)*parser->at) || errno || end != parser->at + len)
		return fail(parser, "expected a number, or the name of a value of this term");
	parser->at = end;
	return 0;
}

/* Parse the separator after a condition. `*ret_more` is false at the end of the text. */
static int parse_separator(struct sample_filter_parser *parser, struct condition *condition,
			   bool *ret_more)
{
	skip_blanks(parser);
	*ret_more = *parser->at;
	if (!*parser->at)
		return 0;
	condition->is_or = !strncmp(parser->at, "||", 2);
	if (!condition->is_or && *parser->at != ',')
		return fail(parser, "expected ',' or '||'");
	parser->at += condition->is_or ? 2 : 1;
	return 0;
}

static int parse_all(struct sample_filter_parser *parser, struct tally_sample_filter *filter)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		struct condition *condition = &filter->conditions[filter->nr];

		if (filter->nr == CONDITIONS_MAX)
			return -E2BIG;
		filter->nr++;
		ret = parse_term(parser, condition);
		if (!ret)
			ret = parse_operator(parser, condition);
		if (!ret)
			ret = parse_value(parser, condition);
		if (!ret)
			ret = parse_separator(parser, condition, &more);
	}
	return ret;
}

int tally_sample_filter_parse(const char *text, struct tally_sample_filter **ret_filter,
			      struct tally_error *err)
{
	struct sample_filter_parser parser = {.text = text, .at = text, .err = err};
	struct tally_sample_filter *filter = calloc(1, sizeof(*filter));
	int ret = filter ? parse_all(&parser, filter) : -ENOMEM;

	if (ret)
		free(filter);
	else
		*ret_filter = filter;
	return ret;
}

const char *tally_sample_filter_lacks(const struct tally_sample_filter *filter,
				      uint64_t sample_type, const char **ret_option)
{
	for (size_t i = 0; i < filter->nr; i++) {
		uint8_t term = filter->conditions[i].term;

		if (sample_type & terms[term].needs)
			continue;
		*ret_option = terms[term].option;
		return terms[term].name;
	}
	return NULL;
}

/* ---- samples ------------------------------------------------------------------------ */

static bool holds(const struct condition *condition, const struct tally_sample *sample)
{
	uint64_t value = value_of(terms[condition->term].term, sample);

	switch (condition->op) {
	case IS_EQUAL: return value == condition->value;
	case IS_UNEQUAL: return value != condition->value;
	case IS_GREATER_EQUAL: return value >= condition->value;
	case IS_LESS_EQUAL: return value <= condition->value;
	case IS_GREATER: return value > condition->value;
	case IS_LESS: return value < condition->value;
	default: return value & condition->value;
	}
}

bool tally_sample_filter_passes(const struct tally_sample_filter *filter,
				const struct tally_sample *sample)
{
	bool passes = false; /* an alternative holds */

	for (size_t i = 0; i < filter->nr; i++) {
		passes |= holds(&filter->conditions[i], sample);
		if (filter->conditions[i].is_or)
			continue;
		if (!passes)
			return false;
		passes = false;
	}
	return true;
}

void tally_sample_filter_free(struct tally_sample_filter *filter)
{
	free(filter);
}
