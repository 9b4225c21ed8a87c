/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluate the expressions of a compiled print fmt on a payload. */
#include "base/arith.h"
#include "base/endian.h"
#include "printfmt/printfmt.h"

uint64_t tally_tp_load(struct tally_tp_run *run, uint64_t offset, uint32_t size)
{
	bool swap = run->print->target.swap;
	const uint8_t *at = run->data + offset;

	if (!tally_range_ok(offset, size, run->len)) {
		run->short_payload = true;
		return 0;
	}
	switch (size) {
	case 1: return *at;
	case 2: return tally_load_u16(at, swap);
	case 4: return tally_load_u32(at, swap);
	case 8: return tally_load_u64(at, swap);
	default: return 0;
	}
}

/* Return the offset of the data that a loc word refers to. The upper half of the word contains the
 * length. */
static uint64_t loc_offset(const struct tally_tp_node *node, uint32_t loc)
{
	return (loc & 0xffff) + (node->relative ? node->offset + node->size : 0);
}

const uint8_t *tally_tp_bytes(struct tally_tp_run *run, const struct tally_tp_node *node,
			      size_t *ret_len)
{
	uint64_t offset = node->offset, len = node->size;
	uint32_t loc;

	if (node->op != TP_FIELD || node->pointer) {
		loc = (uint32_t)tally_tp_load(run, node->offset, 4);
		offset = loc_offset(node, loc);
		len = loc >> 16;
	}
	*ret_len = 0;
	if (!tally_range_ok(offset, len, run->len)) {
		run->short_payload = true;
		return run->data;
	}
	*ret_len = (size_t)len;
	return run->data + offset;
}

static uint64_t index_eval(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	uint64_t offset, index = tally_tp_eval(run, node->b);

	if (node->a->op == TP_DYN)
		offset = loc_offset(node->a, (uint32_t)tally_tp_load(run, node->a->offset, 4));
	else
		offset = node->a->offset;
	if (__builtin_mul_overflow(index, node->element_size, &index) ||
	    __builtin_add_overflow(offset, index, &offset)) {
		run->short_payload = true;
		return 0;
	}
	return tally_tp_load(run, offset, node->size);
}

uint64_t tally_tp_arith(enum tally_tp_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case TP_MUL: return a * b;
	case TP_DIV: return b ? a / b : 0;
	case TP_MOD: return b ? a % b : 0;
	case TP_ADD: return a + b;
	case TP_SUB: return a - b;
	case TP_SHL: return a << (b & 63);
	case TP_SHR: return a >> (b & 63);
	case TP_LT: return a < b;
	case TP_LE: return a <= b;
	case TP_GT: return a > b;
	case TP_GE: return a >= b;
	case TP_EQ: return a == b;
	case TP_NE: return a != b;
	case TP_AND: return a & b;
	case TP_XOR: return a ^ b;
	case TP_OR: return a | b;
	case TP_LAND: return a && b;
	case TP_LOR: return a || b;
	default: return 0;
	}
}

uint64_t tally_tp_eval(struct tally_tp_run *run, const struct tally_tp_node *node)
{
	switch ((enum tally_tp_op)node->op) {
	case TP_NUM: return node->value;
	case TP_FIELD: return tally_tp_load(run, node->offset, node->size);
	case TP_DYN_LEN: return tally_tp_load(run, node->offset, node->size) >> 16;
	case TP_CAST: return tally_tp_eval(run, node->a) & node->value;
	case TP_INDEX: return index_eval(run, node);
	case TP_COND: return tally_tp_eval(run, tally_tp_eval(run, node->a) ? node->b : node->c);
	case TP_NOT: return !tally_tp_eval(run, node->a);
	case TP_INVERT: return ~tally_tp_eval(run, node->a);
	case TP_NEGATE: return -tally_tp_eval(run, node->a);
	default:
		if (node->op < TP_MUL)
			return 0; /* a string has no numeric value */
		return tally_tp_arith(node->op, tally_tp_eval(run, node->a),
				      tally_tp_eval(run, node->b));
	}
}
