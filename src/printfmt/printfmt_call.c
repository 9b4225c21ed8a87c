/* SPDX-License-Identifier: BSD-2-Clause */
/* Helper functions in print fmts, such as __print_flags(...) and __get_str(...). */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/text.h"
#include "printfmt/printfmt.h"
#include "printfmt/printfmt_compile.h"

static int expect_close(struct tally_tp_compiler *c)
{
	return tally_tp_accept(c, ")")
		       ? 0
		       : tally_tp_fail(c, -EOPNOTSUPP,
				       "expected the end of a function's arguments");
}

static int expect_comma(struct tally_tp_compiler *c)
{
	return tally_tp_accept(c, ",") ? 0 : tally_tp_fail(c, -EOPNOTSUPP, "expected a comma");
}

/* Parse __get_xxx(field). */
static int field_call(struct tally_tp_compiler *c, enum tally_tp_op op,
		      const struct tally_tp_node **ret_node)
{
	const struct tally_tp_field *field;
	struct tally_tp_node *node;
	char name[128];
	size_t len;

	tally_tp_blanks(c);
	len = strcspn(c->at, " \t)");
	if (!len || len >= sizeof(name))
		return tally_tp_fail(c, -EOPNOTSUPP, "expected a field name");
	memcpy(name, c->at, len);
	name[len] = '\0';
	field = tally_tp_format_find(c->format, name);
	if (!field || !field->is_dynamic || field->size != 4)
		return tally_tp_fail(c, -EOPNOTSUPP, "no such dynamic field");
	c->at += len;
	node = tally_tp_node_new(c, op);
	if (!node)
		return tally_tp_no_memory(c);
	node->offset = field->offset;
	node->size = field->size;
	node->relative = field->is_relative;
	*ret_node = node;
	return expect_close(c);
}

/* Get the value of an identifier that perf knows. */
static bool known_name(const struct tally_tp_node *node, uint64_t *ret_value)
{
	static const struct {
		const char *name;
		uint8_t value;
	} names[] = {
		{"HI_SOFTIRQ", 0},      {"TIMER_SOFTIRQ", 1},     {"NET_TX_SOFTIRQ", 2},
		{"NET_RX_SOFTIRQ", 3},  {"BLOCK_SOFTIRQ", 4},     {"IRQ_POLL_SOFTIRQ", 5},
		{"TASKLET_SOFTIRQ", 6}, {"SCHED_SOFTIRQ", 7},     {"HRTIMER_SOFTIRQ", 8},
		{"RCU_SOFTIRQ", 9},     {"HRTIMER_NORESTART", 0}, {"HRTIMER_RESTART", 1},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		if (!tally_text_is(names[i].name, node->text, node->len))
			continue;
		*ret_value = names[i].value;
		return true;
	}
	return false;
}

static int64_t signed_arith(enum tally_tp_op op, int64_t a, int64_t b)
{
	switch (op) {
	case TP_SHR: return a >> (b & 63);
	case TP_LT: return a < b;
	case TP_LE: return a <= b;
	case TP_GT: return a > b;
	case TP_GE: return a >= b;
	default: return (int64_t)tally_tp_arith(op, (uint64_t)a, (uint64_t)b);
	}
}

/* Evaluate a constant in a table as perf does: values are signed, and casts have no effect. Returns
 * 0, or -EINVAL for fields and for operators that are not allowed in tables. */
static int constant_value(const struct tally_tp_node *node, int64_t *ret_value)
{
	int64_t a = 0, b = 0;

	if (node->op == TP_NUM) {
		*ret_value = (int64_t)node->value;
		return 0;
	}
	if (node->op != TP_CAST && node->op < TP_INVERT)
		return -EINVAL;
	if (node->op == TP_MUL || node->op == TP_DIV || node->op == TP_MOD)
		return -EINVAL;
	if (constant_value(node->a, &a) || (node->b && constant_value(node->b, &b)))
		return -EINVAL;
	if (node->op == TP_INVERT)
		*ret_value = ~a;
	else if (node->op == TP_NEGATE)
		*ret_value = (int64_t) - (uint64_t)a;
	else
		*ret_value = node->op == TP_CAST ? a : signed_arith(node->op, a, b);
	return 0;
}

/* Get the value of a table row according to perf's rules: an unknown name, and any negative result
 * of an operator, is -1. */
static int entry_value(struct tally_tp_compiler *c, const struct tally_tp_node *node,
		       struct tally_tp_entry *entry)
{
	bool literal = node->op == TP_NUM && node->len;
	int64_t value;

	if (constant_value(node, &value))
		return tally_tp_fail(c, -EOPNOTSUPP, "a table value is not constant");
	entry->value = (uint64_t)value;
	if (node->op == TP_NUM && node->name && !known_name(node, &entry->value))
		entry->value = UINT64_MAX;
	entry->negative = (int64_t)entry->value < 0;
	if (entry->negative && !literal)
		entry->value = UINT64_MAX;
	return 0;
}

static int entry_text(struct tally_tp_compiler *c, const struct tally_tp_node *node,
		      struct tally_tp_entry *entry)
{
	if (node->op == TP_CAST) /* ((void *)0) ends the table */
		node = node->a;
	if (node->op != TP_TEXT && node->op != TP_NUM)
		return tally_tp_fail(c, -EOPNOTSUPP, "a table entry is not a string");
	entry->text = node->text;
	entry->len = node->len;
	return 0;
}

/* Parse a row { value, "text" } after the opening brace. */
static int entry_parse(struct tally_tp_compiler *c, struct tally_tp_entry *entry)
{
	const struct tally_tp_node *node;
	int ret = tally_tp_expr_parse(c, &node);

	if (!ret)
		ret = entry_value(c, node, entry);
	if (!ret)
		ret = expect_comma(c);
	if (!ret)
		ret = tally_tp_expr_parse(c, &node);
	if (!ret)
		ret = entry_text(c, node, entry);
	if (!ret && !tally_tp_accept(c, "}"))
		ret = tally_tp_fail(c, -EOPNOTSUPP, "expected the end of a table row");
	return ret;
}

static int table_parse(struct tally_tp_compiler *c, struct tally_tp_node *node)
{
	TALLY_VEC(struct tally_tp_entry) rows = {0};
	struct tally_tp_entry *copy = NULL;
	int ret = 0;

	while (!ret && tally_tp_accept(c, "{")) {
		struct tally_tp_entry entry = {0};

		ret = entry_parse(c, &entry);
		if (!ret && tally_vec_push(&rows, entry))
			ret = tally_tp_no_memory(c);
		tally_tp_accept(c, ",");
	}
	if (!ret && !rows.len)
		ret = tally_tp_fail(c, -EOPNOTSUPP, "table without rows");
	if (!ret) {
		copy = tally_arena_alloc(&c->print->arena, rows.len * sizeof(*copy));
		ret = copy ? 0 : tally_tp_no_memory(c);
	}
	if (!ret) {
		memcpy(copy, rows.data, rows.len * sizeof(*copy));
		node->entries = copy;
		node->nr_entries = (uint32_t)rows.len;
	}
	tally_vec_free(&rows);
	return ret ? ret : expect_close(c);
}

static int table_call(struct tally_tp_compiler *c, enum tally_tp_op op,
		      const struct tally_tp_node **ret_node)
{
	struct tally_tp_node *node = tally_tp_node_new(c, op);
	const struct tally_tp_node *delimiter;
	int ret = node ? tally_tp_expr_parse(c, &node->a) : tally_tp_no_memory(c);

	if (!ret)
		ret = expect_comma(c);
	if (!ret && op == TP_FLAGS) {
		ret = tally_tp_expr_parse(c, &delimiter);
		if (!ret && delimiter->op != TP_TEXT && delimiter->op != TP_NUM)
			ret = tally_tp_fail(c, -EOPNOTSUPP, "delimiter is not a string");
		if (!ret) {
			node->text = delimiter->text;
			node->len = delimiter->len;
			ret = expect_comma(c);
		}
	}
	if (!ret)
		ret = table_parse(c, node);
	if (!ret)
		*ret_node = node;
	return ret;
}

/* Parse __print_hex(array, length) or __print_array(array, count, size). */
static int array_call(struct tally_tp_compiler *c, enum tally_tp_op op, const char *between,
		      const struct tally_tp_node **ret_node)
{
	struct tally_tp_node *node = tally_tp_node_new(c, op);
	int ret = node ? tally_tp_expr_parse(c, &node->a) : tally_tp_no_memory(c);

	if (!ret)
		ret = expect_comma(c);
	if (!ret)
		ret = tally_tp_expr_parse(c, &node->b);
	if (!ret && op == TP_ARRAY) {
		ret = expect_comma(c);
		if (!ret)
			ret = tally_tp_expr_parse(c, &node->c);
	}
	if (!ret)
		ret = expect_close(c);
	if (ret)
		return ret;
	if (node->a->op != TP_FIELD && node->a->op != TP_DYN)
		return tally_tp_fail(c, -EOPNOTSUPP, "array argument is not a field");
	node->text = between;
	node->len = (uint32_t)strlen(between);
	*ret_node = node;
	return 0;
}

/* Parse __builtin_expect(value, expected), which is replaced by `value`. */
static int expect_call(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node)
{
	const struct tally_tp_node *ignored;
	int ret = tally_tp_expr_parse(c, ret_node);

	if (!ret)
		ret = expect_comma(c);
	if (!ret)
		ret = tally_tp_expr_parse(c, &ignored);
	return ret ? ret : expect_close(c);
}

/* Parse sizeof(REC->field) or sizeof(type). This is an extension: perf does not support sizeof. */
static int sizeof_call(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node)
{
	const struct tally_tp_node *of;
	struct tally_tp_node *node;
	int ret;

	ret = tally_tp_sizeof_type(c, &node);
	if (ret <= 0) {
		if (!ret)
			*ret_node = node;
		return ret;
	}
	ret = tally_tp_expr_parse(c, &of);
	if (ret)
		return ret;
	node = tally_tp_node_new(c, TP_NUM);
	if (!node)
		return tally_tp_no_memory(c);
	if (of->op != TP_FIELD && of->op != TP_INDEX)
		return tally_tp_fail(c, -EOPNOTSUPP, "sizeof argument is not a field");
	node->value = of->size;
	node->text = "";
	*ret_node = node;
	return expect_close(c);
}

enum call_kind { CALL_FIELD, CALL_TABLE, CALL_ARRAY, CALL_EXPECT, CALL_SIZEOF };

static const struct {
	const char *name;
	uint8_t kind; /* enum call_kind */
	uint8_t op;
	bool beyond_perf;
	const char *between;
} calls[] = {
	{"__get_str", CALL_FIELD, TP_STR},
	{"__get_rel_str", CALL_FIELD, TP_STR},
	{"__get_dynamic_array", CALL_FIELD, TP_DYN},
	{"__get_rel_dynamic_array", CALL_FIELD, TP_DYN},
	{"__get_dynamic_array_len", CALL_FIELD, TP_DYN_LEN},
	{"__get_rel_dynamic_array_len", CALL_FIELD, TP_DYN_LEN, .beyond_perf = true},
	{"__get_sockaddr", CALL_FIELD, TP_DYN},
	{"__get_rel_sockaddr", CALL_FIELD, TP_DYN},
	{"__get_bitmask", CALL_FIELD, TP_BITMASK},
	{"__get_rel_bitmask", CALL_FIELD, TP_BITMASK},
	{"__get_cpumask", CALL_FIELD, TP_CPUMASK},
	{"__get_rel_cpumask", CALL_FIELD, TP_CPUMASK},
	{"__print_flags", CALL_TABLE, TP_FLAGS},
	{"__print_flags_u64", CALL_TABLE, TP_FLAGS, true},
	{"__print_symbolic", CALL_TABLE, TP_SYMBOLIC},
	{"__print_symbolic_u64", CALL_TABLE, TP_SYMBOLIC, true},
	{"__print_hex", CALL_ARRAY, TP_HEX, .between = " "},
	{"__print_hex_str", CALL_ARRAY, TP_HEX, .between = ""},
	{"__print_array", CALL_ARRAY, TP_ARRAY, .between = " "},
	{"__builtin_expect", CALL_EXPECT, 0},
	{"sizeof", CALL_SIZEOF, 0, true},
};

int tally_tp_call_parse(struct tally_tp_compiler *c, const char *name, size_t len,
			const struct tally_tp_node **ret_node)
{
	size_t i;

	for (i = 0; i < TALLY_ARRAY_SIZE(calls); i++)
		if (tally_text_is(calls[i].name, name, len))
			break;
	if (i == TALLY_ARRAY_SIZE(calls) || (calls[i].beyond_perf && !c->print->target.beyond_perf))
		return -ENOENT;
	switch ((enum call_kind)calls[i].kind) {
	case CALL_FIELD: return field_call(c, calls[i].op, ret_node);
	case CALL_TABLE: return table_call(c, calls[i].op, ret_node);
	case CALL_ARRAY: return array_call(c, calls[i].op, calls[i].between, ret_node);
	case CALL_EXPECT: return expect_call(c, ret_node);
	case CALL_SIZEOF: return sizeof_call(c, ret_node);
	}
	return -ENOENT;
}
