/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to printfmt/: a compiled print fmt. It is a list of conversions, each with the text
 * before it. Conversion arguments are small expression trees, evaluated for each payload.
 *
 * The output is the same as from libtraceevent 1.7 (and thus from perf script), including its
 * deviations from C: values are unsigned and never sign-extended, operators of equal precedence are
 * right-associative, and unknown names are 0 (or -1 in tables of flags and symbols).
 */
#ifndef TALLY_PRINTFMT_PRINTFMT_H
#define TALLY_PRINTFMT_PRINTFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "tally/events.h"

enum tally_tp_op {
	TP_NUM,   /* value; `text` is the number as written, for %s */
	TP_TEXT,  /* a string literal */
	TP_FIELD, /* `size` bytes at `offset` */
	TP_DYN,   /* data that the loc word at `offset` refers to */
	TP_DYN_LEN,
	TP_STR,      /* __get_str */
	TP_BITMASK,  /* __get_bitmask */
	TP_CPUMASK,  /* __get_cpumask */
	TP_FLAGS,    /* names of the flags in a, from a table; `text` is the delimiter */
	TP_SYMBOLIC, /* name of the value a, from a table */
	TP_HEX,      /* b bytes of a, separated by `text` */
	TP_ARRAY,    /* b elements of a, c bytes each */
	TP_CAST,     /* a & value */
	TP_INDEX,    /* element b of a; `size` is the element size */
	TP_COND,     /* a ? b : c */
	TP_NOT,
	TP_INVERT,
	TP_NEGATE,
	TP_MUL,
	TP_DIV,
	TP_MOD,
	TP_ADD,
	TP_SUB,
	TP_SHL,
	TP_SHR,
	TP_LT,
	TP_LE,
	TP_GT,
	TP_GE,
	TP_EQ,
	TP_NE,
	TP_AND,
	TP_XOR,
	TP_OR,
	TP_LAND,
	TP_LOR,
};

struct tally_tp_entry {
	uint64_t value;
	bool negative; /* also true for unknown names, which perf treats as -1 */
	uint32_t len;
	const char *text;
};

struct tally_tp_node {
	uint8_t op;    /* enum tally_tp_op */
	bool relative; /* __rel_loc */
	bool array;
	bool pointer; /* TP_CAST: cast to a pointer */
	bool name;    /* TP_NUM: an unknown identifier rather than a number */
	uint32_t offset, size;
	uint32_t element_size;
	uint64_t value;
	const struct tally_tp_node *a, *b, *c;
	const char *text;
	uint32_t len; /* length of text */
	uint32_t nr_entries;
	const struct tally_tp_entry *entries;
};

enum tally_tp_piece_kind {
	TP_NOTHING, /* only text, without a conversion */
	TP_SIGNED,
	TP_UNSIGNED,
	TP_LOWER_HEX,
	TP_PRINTF, /* a number with flags, printed with `spec` */
	TP_POINTER,
	TP_STRING,
	TP_FUNCTION,        /* %ps */
	TP_FUNCTION_OFFSET, /* %pS */
	TP_IP4,
	TP_IP6,
	TP_SOCKADDR,
	TP_MAC,
	TP_UUID,
};

/* Text is padded to a multiple of this size, so it can be copied in whole blocks. */
#define TALLY_TP_BLOCK 16

/* A conversion and the text before it. */
struct tally_tp_piece {
	const char *before; /* padded to whole blocks */
	uint32_t before_len;
	uint8_t kind; /* enum tally_tp_piece_kind */
	int8_t size;  /* size of the number: 1, 2, 4 or 8 bytes */
	char style;   /* for addresses, the letter that selects the format */
	bool small_i; /* %pi4 instead of %pI4 */
	bool port;
	bool left;
	bool has_precision;
	bool signed_conversion;
	const struct tally_tp_node *star_width, *star_precision;
	int width, precision;
	char spec[48];
	const char *text; /* source text of a conversion with a star */
	uint32_t len;
	const struct tally_tp_node *arg;
};

struct tally_tp_print {
	struct tally_arena arena;
	struct tally_tp_target target;
	TALLY_VEC(struct tally_tp_piece) pieces;
};

/* ---- execution -------------------------------------------------------------------- */

struct tally_tp_run {
	const struct tally_tp_print *print;
	const uint8_t *data;
	size_t len;
	const struct tally_tp_env *env;
	struct tally_str *out;
	bool short_payload;
	size_t limit; /* maximum length of `out`; no text is added beyond it */
};

/* Return the maximum length of `out` for text that starts at `start`. It allows one byte more than
 * will be displayed, to detect truncation. */
static inline size_t tally_tp_limit(const struct tally_tp_env *env, size_t start)
{
	size_t max_len = env ? env->max_len : 0;

	return max_len && max_len < SIZE_MAX - 1 - start ? start + max_len + 1 : SIZE_MAX;
}

static inline bool tally_tp_is_full(const struct tally_str *out, size_t limit)
{
	return out->len >= limit;
}

/* Append text up to the limit. */
static inline void tally_tp_add(struct tally_str *out, size_t limit, const void *bytes, size_t len)
{
	size_t room = tally_tp_is_full(out, limit) ? 0 : limit - out->len;

	tally_str_add_bytes(out, bytes, len < room ? len : room);
}

/* Truncate `out` if it has reached the limit. Returns 0, or -E2BIG if it was truncated. */
int tally_tp_truncate(struct tally_str *out, size_t limit);

uint64_t tally_tp_eval(struct tally_tp_run *run, const struct tally_tp_node *node);

/* Apply `op` to two numbers. Division by 0 and unknown operators result in 0. */
uint64_t tally_tp_arith(enum tally_tp_op op, uint64_t a, uint64_t b);

/* Get the bytes that a TP_FIELD, TP_DYN, TP_STR or mask node refers to. The length is 0 if they are
 * outside the payload. */
const uint8_t *tally_tp_bytes(struct tally_tp_run *run, const struct tally_tp_node *node,
			      size_t *ret_len);

/* Load an unsigned integer of 1, 2, 4 or 8 bytes at `offset` in the payload. Returns 0 for other
 * sizes. */
uint64_t tally_tp_load(struct tally_tp_run *run, uint64_t offset, uint32_t size);

/* Print %s and addresses. */
void tally_tp_text_run(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const struct tally_tp_node *node);
void tally_tp_address_run(struct tally_tp_run *run, const struct tally_tp_piece *piece);

#endif
