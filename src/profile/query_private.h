/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal representation of a parsed query. */
#ifndef TALLY_PROFILE_QUERY_PRIVATE_H
#define TALLY_PROFILE_QUERY_PRIVATE_H

#include "base/ranges.h"
#include "profile/pattern.h"
#include "profile/query.h"
#include "profile/time_range.h"

enum query_kind {
	QUERY_ANY, /* comm, or a function or file on the callchain */
	QUERY_COMM,
	QUERY_PID,
	QUERY_TID,
	QUERY_CPU,
	QUERY_TIME,
	QUERY_SYM,
	QUERY_DSO,
	QUERY_SELF_SYM,
	QUERY_SELF_DSO,
	QUERY_KINDS,
};

struct query_word {
	enum query_kind kind;
	bool is_negated;
	struct tally_pattern pattern; /* for names */
	struct tally_ranges numbers;
	struct tally_time_range time;
};

struct tally_query {
	struct query_word words[TALLY_QUERY_WORDS_MAX];
	uint32_t nr;
};

#endif
