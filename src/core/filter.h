/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoint filters, set by IOC_SET_FILTER of perf_event_open(2). A filter compares fields with
 * constants, and combines the comparisons with &&, ||, ! and parentheses:
 *
 *	prev_prio < 100 && (next_comm ~ "kworker*" || flags & 0x10)
 */
#ifndef TALLY_CORE_FILTER_H
#define TALLY_CORE_FILTER_H

#include "base/error.h"
#include "core/core_private.h"

enum tally_filter_kind {
	TALLY_FILTER_AND,
	TALLY_FILTER_OR,
	TALLY_FILTER_NOT,
	TALLY_FILTER_NUMBER, /* comparison with a number */
	TALLY_FILTER_STRING,
};

/* One node of the expression, which is stored in postfix order. */
struct tally_filter_node {
	uint8_t kind, op; /* op: enum tally_filter_op */
	const struct tally_core_field *field;
	uint64_t number;
	uint32_t text, text_len; /* strings: offset in filter->text and length */
};

struct tally_core_filter {
	uint32_t nr, size; /* number of nodes; size of the whole object in bytes */
	const char *text;  /* stored after the nodes */
	struct tally_filter_node nodes[];
};

enum {
	TALLY_FILTER_DEPTH = 32,
	TALLY_FILTER_TRUTHS = 64, /* maximum stack depth: one truth value per bit of a word */
	TALLY_FILTER_TEXT_MAX = 4096,
	TALLY_FILTER_STRING_MAX = 255
};

/* Operators, stored in tally_filter_node.op. */
enum tally_filter_op {
	TALLY_FILTER_EQ,
	TALLY_FILTER_NE,
	TALLY_FILTER_LE,
	TALLY_FILTER_LT,
	TALLY_FILTER_GE,
	TALLY_FILTER_GT,
	TALLY_FILTER_BITS,
	TALLY_FILTER_LIKE,
	TALLY_FILTER_OPS
};

/*
 * Compile the `len` bytes of `text` into `nodes`, which has space for `max` nodes. String nodes
 * refer to `text`. Return 0 and the number of nodes in *ret_nr. On failure, return -EINVAL, -EPERM,
 * -ENOENT or -ESRCH in the same cases as Linux, with the reason and the offset in *err, or -E2BIG
 * if the filter needs too many nodes or levels.
 */
int tally_filter_parse(const struct tally_core_field *fields, uint32_t nr_fields, const char *text,
		       size_t len, struct tally_filter_node *nodes, uint32_t max, uint32_t *ret_nr,
		       struct tally_error *err);

/* Return true if the raw data passes the filter. Fields beyond the end of the data are 0 or
 * empty. */
bool tally_filter_passes(const struct tally_core_filter *filter, const void *raw, uint32_t len);

/* Apply IOC_SET_FILTER with the string at user address `user_text`. Return NULL or the reason for
 * failure. Called without locks. */
const struct tally_core_refusal *tally_filter_set(struct tally_core_event *event,
						  const char *user_text);

/* Free the filter of an event that is about to be freed. */
#if TALLY_CORE_TRACEPOINTS
void tally_filter_free(struct tally_core_event *event);
#else
static inline void tally_filter_free(struct tally_core_event *event)
{
}
#endif

#endif
