/* SPDX-License-Identifier: BSD-2-Clause */
/* Recursive descent parser for filters. */
#include "core/filter.h"

#if TALLY_CORE_TRACEPOINTS

struct filter_parser {
	const struct tally_core_field *fields;
	uint32_t nr_fields;
	const char *text;
	size_t at, len;
	struct tally_filter_node *nodes;
	uint32_t nr, max, depth;
	uint32_t truths; /* truth values on the evaluator's stack after the last node */
	struct tally_error *err;
};

static int parse_fail(const struct filter_parser *p, int code, const char *text)
{
	return tally_error_at(p->err, code, text, p->at);
}

/* ---- characters ------------------------------------------------------------------------- */

static char peek_char(const struct filter_parser *p)
{
	return p->at < p->len ? p->text[p->at] : 0;
}

static void skip_blanks(struct filter_parser *p)
{
	while (peek_char(p) == ' ' || peek_char(p) == '\t' || peek_char(p) == '\n')
		p->at++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

static bool token_accept(struct filter_parser *p, const char *token)
{
	size_t n = 0;

	while (token[n] && p->at + n < p->len && p->text[p->at + n] == token[n])
		n++;
	if (token[n])
		return false;
	p->at += n;
	return true;
}

static int emit(struct filter_parser *p, struct tally_filter_node node)
{
	if (p->nr == p->max)
		return parse_fail(p, -E2BIG, "expression too long");
	if (node.kind == TALLY_FILTER_AND || node.kind == TALLY_FILTER_OR)
		p->truths--;
	else if (node.kind != TALLY_FILTER_NOT && p->truths++ == TALLY_FILTER_TRUTHS)
		return parse_fail(p, -E2BIG, "nested too deeply");
	p->nodes[p->nr++] = node;
	return 0;
}

/* ---- comparisons ------------------------------------------------------------------------ */

static const char *const operators[TALLY_FILTER_OPS] = {
	[TALLY_FILTER_EQ] = "==",  [TALLY_FILTER_NE] = "!=",  [TALLY_FILTER_LE] = "<=",
	[TALLY_FILTER_LT] = "<",   [TALLY_FILTER_GE] = ">=",  [TALLY_FILTER_GT] = ">",
	[TALLY_FILTER_BITS] = "&", [TALLY_FILTER_LIKE] = "~",
};

static bool name_equals(const char *name, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && name[i] == text[i])
		i++;
	return i == len && !name[len];
}

static int parse_field(struct filter_parser *p, struct tally_filter_node *node)
{
	size_t start = p->at;

	while (is_word(peek_char(p)))
		p->at++;
	for (uint32_t i = 0; i < p->nr_fields; i++) {
		if (name_equals(p->fields[i].name, p->text + start, p->at - start))
			node->field = &p->fields[i];
	}
	if (node->field)
		return 0;
	p->at = start;
	return parse_fail(p, -EINVAL, start < p->len ? "no such field" : "missing comparison");
}

static int parse_operator(struct filter_parser *p, struct tally_filter_node *node)
{
	skip_blanks(p);
	for (uint8_t op = 0; op < TALLY_FILTER_OPS; op++) {
		bool text_op =
			op == TALLY_FILTER_EQ || op == TALLY_FILTER_NE || op == TALLY_FILTER_LIKE;

		if (!token_accept(p, operators[op]))
			continue;
		node->op = op;
		if (node->field->is_string ? !text_op : op == TALLY_FILTER_LIKE)
			return parse_fail(p, -EINVAL,
					  "operator not supported for the field's type");
		return 0;
	}
	return parse_fail(p, -EINVAL, "missing operator");
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static int parse_number(struct filter_parser *p, struct tally_filter_node *node)
{
	bool negative = token_accept(p, "-");
	bool zero = peek_char(p) == '0';
	int base = token_accept(p, "0x") || token_accept(p, "0X") ? 16 : zero ? 8 : 10;
	size_t start = p->at;
	uint64_t value = 0;

	while (is_word(peek_char(p))) {
		int d = digit(peek_char(p));

		if (d >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)d, &value))
			return parse_fail(p, -EINVAL, "not a 64-bit number");
		p->at++;
	}
	if (p->at == start)
		return parse_fail(p, -EINVAL, "missing number");
	node->kind = TALLY_FILTER_NUMBER;
	node->number = negative ? 0 - value : value;
	return 0;
}

static int parse_string(struct filter_parser *p, struct tally_filter_node *node)
{
	char quote = peek_char(p);
	size_t start;

	if (quote != '"' && quote != '\'')
		return parse_fail(p, -EINVAL, "missing quoted string");
	start = ++p->at;
	while (p->at < p->len && p->text[p->at] != quote)
		p->at++;
	if (p->at == p->len)
		return parse_fail(p, -ESRCH, "unterminated string");
	if (p->at - start > TALLY_FILTER_STRING_MAX)
		return parse_fail(p, -EINVAL, "the string is too long");
	node->kind = TALLY_FILTER_STRING;
	node->text = (uint32_t)start;
	node->text_len = (uint32_t)(p->at - start);
	p->at++;
	return 0;
}

static int parse_comparison(struct filter_parser *p)
{
	struct tally_filter_node node = {0};
	int ret = parse_field(p, &node);

	if (!ret)
		ret = parse_operator(p, &node);
	if (ret)
		return ret;
	skip_blanks(p);
	ret = node.field->is_string ? parse_string(p, &node) : parse_number(p, &node);
	return ret ? ret : emit(p, node);
}

/* ---- combinations ----------------------------------------------------------------------- */

static int parse_or(struct filter_parser *p);
static int parse_unary(struct filter_parser *p);

static int parse_inner(struct filter_parser *p)
{
	int ret;

	if (token_accept(p, "!")) {
		ret = parse_unary(p);
		return ret ? ret : emit(p, (struct tally_filter_node){.kind = TALLY_FILTER_NOT});
	}
	if (!token_accept(p, "("))
		return parse_comparison(p);
	ret = parse_or(p);
	if (ret)
		return ret;
	skip_blanks(p);
	return token_accept(p, ")") ? 0 : parse_fail(p, -ENOENT, "missing closing parenthesis");
}

static int parse_unary(struct filter_parser *p)
{
	int ret;

	skip_blanks(p);
	if (p->depth == TALLY_FILTER_DEPTH)
		return parse_fail(p, -E2BIG, "nested too deeply");
	p->depth++;
	ret = parse_inner(p);
	p->depth--;
	return ret;
}

static int parse_and(struct filter_parser *p)
{
	int ret = parse_unary(p);

	for (skip_blanks(p); !ret && token_accept(p, "&&"); skip_blanks(p)) {
		ret = parse_unary(p);
		if (!ret)
			ret = emit(p, (struct tally_filter_node){.kind = TALLY_FILTER_AND});
	}
	return ret;
}

static int parse_or(struct filter_parser *p)
{
	int ret = parse_and(p);

	for (skip_blanks(p); !ret && token_accept(p, "||"); skip_blanks(p)) {
		ret = parse_and(p);
		if (!ret)
			ret = emit(p, (struct tally_filter_node){.kind = TALLY_FILTER_OR});
	}
	return ret;
}

int tally_filter_parse(const struct tally_core_field *fields, uint32_t nr_fields, const char *text,
		       size_t len, struct tally_filter_node *nodes, uint32_t max, uint32_t *ret_nr,
		       struct tally_error *err)
{
	struct filter_parser p = {fields, nr_fields, text, 0, len, nodes, 0, max, 0, 0, err};
	int ret = parse_or(&p);

	if (ret)
		return ret;
	skip_blanks(&p);
	if (p.at < p.len)
		return parse_fail(&p, -EPERM, "unexpected text after the expression");
	*ret_nr = p.nr;
	return 0;
}

#endif
