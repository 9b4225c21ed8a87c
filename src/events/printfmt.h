/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to events/: a compiled print fmt. It is a list of pieces (conversions and the text before
 * them) whose arguments are small trees, walked for each payload.
 *
 * Where libtraceevent 1.7 (that is, perf script) departs from C, so do we, as the text has to
 * be the same: values are unsigned and never sign-extended, operators of equal rank group from
 * the right, unknown names are 0 (or -1 in the tables of flags and symbols).
 */
#ifndef TALLY_EVENTS_PRINTFMT_H
#define TALLY_EVENTS_PRINTFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "tally/events.h"

enum tally_tp_op {
	TP_NUM,   /* value; text as written, for %s */
	TP_TEXT,  /* a string literal */
	TP_FIELD, /* bytes at offset, size */
	TP_DYN,   /* where the data of the loc word at offset are */
	TP_DYN_LEN,
	TP_STR,      /* __get_str */
	TP_BITMASK,  /* __get_bitmask */
	TP_CPUMASK,  /* __get_cpumask */
	TP_FLAGS,    /* table, of a; text is the delimiter */
	TP_SYMBOLIC, /* table, of a */
	TP_HEX,      /* bytes of a, as many as b, text between them */
	TP_ARRAY,    /* elements of a, as many as b, of c bytes */
	TP_CAST,     /* a and value */
	TP_INDEX,    /* size bytes of a at element b */
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
	bool negative; /* also what is not known here: perf takes it for -1 */
	uint32_t len;
	const char *text;
};

struct tally_tp_node {
	uint8_t op;    /* enum tally_tp_op */
	bool relative; /* __rel_loc */
	bool array;
	bool pointer; /* TP_CAST: to a pointer */
	bool name;    /* TP_NUM: an identifier nobody explained */
	uint32_t offset, size;
	uint32_t element_size;
	uint64_t value;
	const struct tally_tp_node *a, *b, *c;
	const char *text;
	uint32_t len; /* of text */
	uint32_t nr_entries;
	const struct tally_tp_entry *entries;
};

enum tally_tp_piece_kind {
	TP_NOTHING, /* only text before it */
	TP_SIGNED,
	TP_UNSIGNED,
	TP_LOWER_HEX,
	TP_PRINTF, /* a number with flags, by `spec` */
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

/* Text is kept in whole blocks of this many bytes, so that it can be copied in these. */
#define TALLY_TP_BLOCK 16

/* A conversion and the text before it. */
struct tally_tp_piece {
	const char *before; /* padded to whole blocks */
	uint32_t before_len;
	uint8_t kind; /* enum tally_tp_piece_kind */
	int8_t size;  /* of a number: 1, 2, 4, 8 bytes */
	char style;   /* of addresses: the letter that chooses the form */
	bool small_i; /* %pi4 instead of %pI4 */
	bool port;
	bool left;
	bool has_precision;
	bool signed_conversion;
	const struct tally_tp_node *star_width, *star_precision;
	int width, precision;
	char spec[48];
	const char *text; /* of a conversion with a star as it was written */
	uint32_t len;
	const struct tally_tp_node *arg;
};

struct tally_tp_print {
	struct tally_arena arena;
	struct tally_tp_target target;
	TALLY_VEC(struct tally_tp_piece) pieces;
};

/* ---- running ---------------------------------------------------------------------- */

struct tally_tp_run {
	const struct tally_tp_print *print;
	const uint8_t *data;
	size_t len;
	const struct tally_tp_env *env;
	struct tally_str *out;
	bool short_payload;
	size_t limit; /* length of `out` that is too much: nothing is added from there on */
};

/* How long `out` may become for a text that starts at `start`: one byte more than is shown of it,
 * which tells that it was cut. */
static inline size_t tally_tp_limit(const struct tally_tp_env *env, size_t start)
{
	size_t max_len = env ? env->max_len : 0;

	return max_len && max_len < SIZE_MAX - 1 - start ? start + max_len + 1 : SIZE_MAX;
}

static inline bool tally_tp_is_full(const struct tally_str *out, size_t limit)
{
	return out->len >= limit;
}

/* Append text of any length as far as there is room. */
static inline void tally_tp_add(struct tally_str *out, size_t limit, const void *bytes, size_t len)
{
	size_t room = tally_tp_is_full(out, limit) ? 0 : limit - out->len;

	tally_str_add_bytes(out, bytes, len < room ? len : room);
}

/* Cut what went over the limit: 0, or -E2BIG if there was anything. */
int tally_tp_cut(struct tally_str *out, size_t limit);

uint64_t tally_tp_eval(struct tally_tp_run *run, const struct tally_tp_node *node);

/* `op` on two numbers; what does not exist (division by 0) is 0. */
uint64_t tally_tp_arith(enum tally_tp_op op, uint64_t a, uint64_t b);

/* The bytes a TP_FIELD, TP_DYN, TP_STR or mask node speaks of; empty when outside. */
const uint8_t *tally_tp_bytes(struct tally_tp_run *run, const struct tally_tp_node *node,
			      size_t *ret_len);

/* Unsigned integer of 1, 2, 4 or 8 bytes (else 0) at `offset` of the payload. */
uint64_t tally_tp_load(struct tally_tp_run *run, uint64_t offset, uint32_t size);

/* %s and the addresses. */
void tally_tp_text_run(struct tally_tp_run *run, const struct tally_tp_piece *piece,
		       const struct tally_tp_node *node);
void tally_tp_address_run(struct tally_tp_run *run, const struct tally_tp_piece *piece);

#endif
