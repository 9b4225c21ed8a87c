/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for the arguments of a print fmt: C expressions with REC->field. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "printfmt/printfmt.h"
#include "printfmt/printfmt_compile.h"

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static size_t word_length(const struct tally_tp_compiler *c)
{
	const char *at = c->at;

	while (at < c->end && is_word(*at))
		at++;
	return (size_t)(at - c->at);
}

static int number_new(struct tally_tp_compiler *c, uint64_t value, const char *text, size_t len,
		      struct tally_tp_node **ret_node)
{
	struct tally_tp_node *node = tally_tp_node_new(c, TP_NUM);

	if (!node)
		return tally_tp_no_memory(c);
	node->value = value;
	node->text = tally_arena_strndup(&c->print->arena, text, len);
	node->len = (uint32_t)len;
	*ret_node = node;
	return node->text ? 0 : tally_tp_no_memory(c);
}

/* Parse a number such as 12, 0x1f or 017, with any suffix made up of u and l. */
static int number_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	size_t len = word_length(c);
	char digits[32];
	int ret;

	if (len >= sizeof(digits))
		return tally_tp_fail(c, -EOPNOTSUPP, "number too long");
	memcpy(digits, c->at, len);
	digits[len] = '\0';
	ret = number_new(c, strtoull(digits, NULL, 0), c->at, len, ret_node);
	c->at += len;
	return ret;
}

/* Parse a character. As in perf, a digit in quotes is a number, but other characters such as 'A'
 * are not. */
static int char_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const char *close = memchr(c->at + 1, '\'', (size_t)(c->end - c->at - 1));
	bool digit;
	int ret;

	if (!close)
		return tally_tp_fail(c, -EINVAL, "missing closing quote after a character");
	digit = close == c->at + 2 && isdigit((unsigned char)c->at[1]);
	ret = number_new(c, digit ? (uint64_t)(c->at[1] - '0') : 0, c->at + 1,
			 (size_t)(close - c->at - 1), ret_node);
	if (!ret)
		(*ret_node)->name = !digit;
	c->at = close + 1;
	return ret;
}

static int field_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const struct tally_tp_field *field;
	struct tally_tp_node *node;
	char name[128];
	size_t len;

	tally_tp_blanks(c);
	len = word_length(c);
	if (!len || len >= sizeof(name))
		return tally_tp_fail(c, -EOPNOTSUPP, "expected a field name");
	memcpy(name, c->at, len);
	name[len] = '\0';
	field = tally_tp_format_find(c->format, name);
	if (!field)
		return tally_tp_fail(c, -EOPNOTSUPP, "no such field");
	c->at += len;
	node = tally_tp_node_new(c, TP_FIELD);
	if (!node)
		return tally_tp_no_memory(c);
	node->offset = field->offset;
	node->size = field->size;
	node->element_size = field->element_size;
	node->array = field->is_array;
	node->relative = field->is_relative;
	node->pointer = field->is_dynamic; /* makes tally_tp_bytes() follow the loc word */
	*ret_node = node;
	return 0;
}

/* Parse a name: a function call, or a kernel constant of unknown value. */
static int name_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const struct tally_tp_node *call;
	const char *name = c->at;
	size_t len = word_length(c);
	int ret;

	c->at += len;
	if (len == 3 && !memcmp(name, "REC", 3) && tally_tp_accept(c, "->"))
		return field_parse(c, ret_node);
	if (tally_tp_accept(c, "(")) {
		ret = tally_tp_call_parse(c, name, len, &call);
		if (ret == -ENOENT) {
			c->at = name;
			return tally_tp_fail(c, -EOPNOTSUPP, "unknown function");
		}
		if (!ret)
			*ret_node = (struct tally_tp_node *)(uintptr_t)call;
		return ret;
	}
	if (len == 6 && !memcmp(name, "sizeof", 6)) {
		c->at = name;
		return tally_tp_fail(c, -EOPNOTSUPP, "sizeof without parentheses");
	}
	ret = number_new(c, 0, name, len, ret_node);
	if (!ret)
		(*ret_node)->name = true;
	return ret;
}

/* ---- casts ------------------------------------------------------------------------- */

/* Return a mask of the bits in a type, or all bits for an unknown type. As perf never sign-extends,
 * a cast keeps only these bits. */
static uint64_t type_mask(const char *type, size_t len, unsigned long_size, uint32_t *ret_size)
{
	static const struct {
		const char *name;
		uint8_t size;
	} types[] = {
		{"u8", 1},
		{"s8", 1},
		{"u16", 2},
		{"s16", 2},
		{"u32", 4},
		{"s32", 4},
		{"u64", 8},
		{"s64", 8},
		{"char", 1},
		{"short", 2},
		{"int", 4},
		{"long", 0},
		{"long long", 8},
		{"unsigned char", 1},
		{"unsigned short", 2},
		{"unsigned int", 4},
		{"unsigned long", 0},
		{"unsigned long long", 8},
	};

	*ret_size = 0;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(types); i++) {
		unsigned size = types[i].size ? types[i].size : long_size;

		if (strlen(types[i].name) != len || memcmp(types[i].name, type, len))
			continue;
		*ret_size = size;
		return ~0ull >> (64 - 8 * size);
	}
	return ~0ull;
}

/* Read the type between parentheses, with single blanks between words. `*ret_pointer` is set if the
 * type ends with a star. Returns false if it is not a type. */
static bool type_read(struct tally_tp_compiler *c, char *type, size_t cap, bool *ret_pointer)
{
	size_t used = 0, len;

	*ret_pointer = false;
	for (;;) {
		tally_tp_blanks(c);
		len = word_length(c);
		if (!len || isdigit((unsigned char)*c->at) || used + len + 2 > cap)
			break;
		if (*ret_pointer)
			return false;
		if (len == 3 && !memcmp(c->at, "REC", 3))
			return false;
		if (used)
			type[used++] = ' ';
		memcpy(type + used, c->at, len);
		used += len;
		c->at += len;
		while (tally_tp_accept(c, "*"))
			*ret_pointer = true;
	}
	type[used] = '\0';
	return used && tally_tp_accept(c, ")");
}

int tally_tp_sizeof_type(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const char *start = c->at;
	uint32_t size;
	bool pointer;
	char type[64];

	if (type_read(c, type, sizeof(type), &pointer)) {
		type_mask(type, strlen(type), c->print->target.long_size, &size);
		if (pointer)
			size = c->print->target.long_size;
		if (size)
			return number_new(c, size, "", 0, ret_node);
	}
	c->at = start;
	return 1;
}

/* Parse "(type) operand" after the opening parenthesis. Returns 1 if it was parsed, 0 without
 * moving the cursor if it is not a cast, or an error. */
static int cast_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const char *start = c->at;
	struct tally_tp_node *node, *inner;
	uint32_t size;
	bool pointer;
	char type[64];
	int ret;

	if (!type_read(c, type, sizeof(type), &pointer)) {
		c->at = start;
		return 0;
	}
	tally_tp_blanks(c);
	if (c->at >= c->end || (!is_word(*c->at) && *c->at != '(' && *c->at != '"')) {
		/* A name in parentheses. perf also treats "(u32)" as a name if a minus sign
		 * follows. */
		ret = number_new(c, 0, type, strlen(type), ret_node);
		if (!ret)
			(*ret_node)->name = true;
		return ret ? ret : 1;
	}
	ret = tally_tp_operand_parse(c, &inner);
	if (ret)
		return ret;
	node = tally_tp_node_new(c, TP_CAST);
	if (!node)
		return tally_tp_no_memory(c);
	node->a = inner;
	node->value = type_mask(type, strlen(type), c->print->target.long_size, &size);
	node->size = size;
	node->pointer = pointer;
	if (pointer)
		node->value = ~0ull;
	*ret_node = node;
	return 1;
}

/* ---- operators ---------------------------------------------------------------------- */

static int paren_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	const struct tally_tp_node *inner;
	int ret;

	if (++c->depth > TALLY_TP_MAX_DEPTH)
		return tally_tp_fail(c, -EOPNOTSUPP, "expression nested too deeply");
	ret = cast_parse(c, ret_node);
	if (!ret) {
		ret = tally_tp_expr_parse(c, &inner);
		if (!ret && !tally_tp_accept(c, ")"))
			ret = tally_tp_fail(c, -EOPNOTSUPP, "expected a closing parenthesis");
		if (!ret)
			*ret_node = (struct tally_tp_node *)(uintptr_t)inner;
	}
	c->depth--;
	return TALLY_MIN(ret, 0);
}

static int text_new(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	struct tally_tp_node *node = tally_tp_node_new(c, TP_TEXT);
	int ret = node ? tally_tp_text_parse(c, &node->text, &node->len) : tally_tp_no_memory(c);

	if (!ret)
		*ret_node = node;
	return ret;
}

/* Parse base[index]. For dynamic arrays, perf's index counts bytes rather than elements. */
static int index_parse(struct tally_tp_compiler *c, struct tally_tp_node **node)
{
	struct tally_tp_node *operand = NULL, *whole;
	const struct tally_tp_node *base = *node, *index;
	uint32_t cast = 0;
	int ret;

	/* perf does not support operators in an index. */
	if (c->print->target.beyond_perf)
		ret = tally_tp_expr_parse(c, &index);
	else
		ret = tally_tp_operand_parse(c, &operand);
	if (ret)
		return ret;
	if (operand)
		index = operand;
	if (!tally_tp_accept(c, "]"))
		return tally_tp_fail(c, -EOPNOTSUPP, "expected a closing bracket");
	if (base->op == TP_CAST && base->pointer) {
		cast = base->size;
		base = base->a;
	}
	whole = tally_tp_node_new(c, TP_INDEX);
	if (!whole)
		return tally_tp_no_memory(c);
	if (base->op == TP_FIELD) {
		whole->size = base->element_size;
		whole->element_size = base->element_size;
	} else if (base->op == TP_DYN && cast) {
		whole->size = cast;
		whole->element_size = 1;
	} else {
		return tally_tp_fail(c, -EOPNOTSUPP, "indexed expression is not an array");
	}
	whole->a = base;
	whole->b = index;
	*node = whole;
	return 0;
}

static int primary_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	int ret;

	tally_tp_blanks(c);
	if (c->at >= c->end)
		return tally_tp_fail(c, -EOPNOTSUPP, "expected an argument");
	if (*c->at == '"')
		ret = text_new(c, ret_node);
	else if (*c->at == '\'')
		ret = char_parse(c, ret_node);
	else if (isdigit((unsigned char)*c->at))
		ret = number_parse(c, ret_node);
	else if (is_word(*c->at))
		ret = name_parse(c, ret_node);
	else if (tally_tp_accept(c, "("))
		ret = paren_parse(c, ret_node);
	else
		ret = tally_tp_fail(c, -EOPNOTSUPP, "unknown operator");
	while (!ret && tally_tp_accept(c, "["))
		ret = index_parse(c, ret_node);
	return ret;
}

int tally_tp_operand_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node)
{
	static const struct {
		char sign;
		uint8_t op;
	} signs[] = {{'!', TP_NOT}, {'~', TP_INVERT}, {'-', TP_NEGATE}};
	struct tally_tp_node *inner = NULL, *node;
	int ret;

	tally_tp_blanks(c);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(signs); i++) {
		if (c->at >= c->end || *c->at != signs[i].sign)
			continue;
		if (++c->depth > TALLY_TP_MAX_DEPTH)
			return tally_tp_fail(c, -EOPNOTSUPP, "expression nested too deeply");
		c->at++;
		ret = tally_tp_operand_parse(c, &inner);
		c->depth--;
		if (ret)
			return ret;
		node = tally_tp_node_new(c, signs[i].op);
		if (!node)
			return tally_tp_no_memory(c);
		node->a = inner;
		*ret_node = node;
		return 0;
	}
	return primary_parse(c, ret_node);
}
