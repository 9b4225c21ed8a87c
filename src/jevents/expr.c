/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "jevents/expr.h"
#include "jevents/expr_lex.h"
#include "jevents/expr_ops.h"

enum {
	EXPR_DEPTH = 100,  /* maximum nesting depth, for example of parentheses */
	EXPR_CHAIN = 1000, /* height of the operator tree; for a + b + ..., the number of '+' */
	EXPR_SIZE = 64 << 10,
};

struct expr_parser {
	const char *text;
	size_t len;
	struct tally_expr_token token; /* next token */
	TALLY_VEC(struct tally_expr_node) nodes;
	struct tally_error *err;
	int depth;
};

static void token_next(struct expr_parser *parser)
{
	parser->token =
		tally_expr_token(parser->text, parser->len, parser->token.at + parser->token.len);
}

static bool token_is(const struct expr_parser *parser, const char *word)
{
	return tally_expr_token_is(&parser->token, parser->text, word);
}

static int parse_error(const struct expr_parser *parser, const char *text)
{
	return tally_error_at(parser->err, -EINVAL, text, parser->token.at);
}

static int token_expect(struct expr_parser *parser, const char *mark, const char *text)
{
	if (!token_is(parser, mark))
		return parse_error(parser, text);
	token_next(parser);
	return 0;
}

/* Add a node and return its index. */
static int node_add(struct expr_parser *parser, struct tally_expr_node node, uint32_t *ret_index)
{
	int ret;

	for (int i = 0; i < 3 && parser->nodes.len; i++)
		node.depth = TALLY_MAX(node.depth, parser->nodes.data[node.operands[i]].depth + 1);
	if (node.depth > EXPR_CHAIN)
		return tally_error_at(parser->err, -E2BIG, "too many operators in a chain",
				      parser->token.at);
	ret = tally_vec_push(&parser->nodes, node);
	if (!ret)
		*ret_index = parser->nodes.len - 1;
	return ret;
}

static int expr_parse(struct expr_parser *parser, int level, uint32_t *ret_index);

/* Parse the parenthesized operands after a function name. */
static int call_parse(struct expr_parser *parser, const struct tally_expr_call *call,
		      uint32_t *ret_index)
{
	struct tally_expr_node node = {.op = call->op};
	int ret = token_expect(parser, "(", "expected a parenthesis after the function name");

	for (int i = 0; i < call->operands && !ret; i++) {
		if (i)
			ret = token_expect(parser, ",", "expected a comma and a second operand");
		if (!ret)
			ret = expr_parse(parser, 0, &node.operands[i]);
		if (!ret && call->named &&
		    parser->nodes.data[node.operands[i]].op != TALLY_EXPR_NAME &&
		    parser->nodes.data[node.operands[i]].op != TALLY_EXPR_NUMBER)
			ret = parse_error(parser, "this function takes a name");
	}
	if (!ret)
		ret = token_expect(parser, ")", "missing closing parenthesis");
	return ret ? ret : node_add(parser, node, ret_index);
}

/* Parse a number, name or literal. */
static int leaf_parse(struct expr_parser *parser, uint32_t *ret_index)
{
	const struct tally_expr_token token = parser->token;
	struct tally_expr_node node = {TALLY_EXPR_NUMBER, {0}, token.number, token.at, token.len};
	const struct tally_expr_call *call;

	if (token.kind == TALLY_TOKEN_BAD)
		return parse_error(parser, "expected a number or name");
	if (token.kind == TALLY_TOKEN_END || token.kind == TALLY_TOKEN_MARK)
		return parse_error(parser, "expected a value");
	token_next(parser);
	if (token.kind == TALLY_TOKEN_LITERAL)
		node.op = TALLY_EXPR_LITERAL;
	if (token.kind == TALLY_TOKEN_NAME) {
		call = tally_expr_call_find(parser->text + token.at, token.len);
		if (call && token_is(parser, "("))
			return call_parse(parser, call, ret_index);
		node.op = TALLY_EXPR_NAME;
	}
	return node_add(parser, node, ret_index);
}

static int unary_parse(struct expr_parser *parser, uint32_t *ret_index)
{
	struct tally_expr_node node = {.op = TALLY_EXPR_NEG};
	int ret;

	if (token_is(parser, "-")) {
		token_next(parser);
		ret = expr_parse(parser, TALLY_EXPR_LEVEL_UNARY, &node.operands[0]);
		return ret ? ret : node_add(parser, node, ret_index);
	}
	if (!token_is(parser, "("))
		return leaf_parse(parser, ret_index);
	token_next(parser);
	ret = expr_parse(parser, 0, ret_index);
	return ret ? ret : token_expect(parser, ")", "missing closing parenthesis");
}

/* Parse "if c else b" after a value. The last operand may be another condition. */
static int condition_parse(struct expr_parser *parser, uint32_t *index)
{
	struct tally_expr_node node = {.op = TALLY_EXPR_IF, .operands = {*index}};
	int ret;

	token_next(parser);
	ret = expr_parse(parser, TALLY_EXPR_LEVEL_IF + 1, &node.operands[1]);
	if (!ret)
		ret = token_expect(parser, "else", "expected else after if");
	if (!ret)
		ret = expr_parse(parser, TALLY_EXPR_LEVEL_IF, &node.operands[2]);
	return ret ? ret : node_add(parser, node, index);
}

static int binary_parse(struct expr_parser *parser, int level, uint32_t *index)
{
	const struct tally_expr_binary *binary;
	int ret = 0;

	while (!ret) {
		struct tally_expr_node node = {.operands = {*index}};

		if (token_is(parser, "if") && level <= TALLY_EXPR_LEVEL_IF)
			return condition_parse(parser, index);
		binary = parser->token.kind == TALLY_TOKEN_MARK
				 ? tally_expr_binary_find(parser->text[parser->token.at])
				 : NULL;
		if (!binary || binary->level < level)
			break;
		node.op = binary->op;
		token_next(parser);
		ret = expr_parse(parser, binary->level + 1, &node.operands[1]);
		if (!ret)
			ret = node_add(parser, node, index);
	}
	return ret;
}

/* Parse an expression with operators that bind at least as tightly as `level`. */
static int expr_parse(struct expr_parser *parser, int level, uint32_t *ret_index)
{
	uint32_t index;
	int ret;

	if (parser->depth == EXPR_DEPTH)
		return tally_error_at(parser->err, -E2BIG, "nested too deeply", parser->token.at);
	parser->depth++;
	ret = unary_parse(parser, &index);
	if (!ret)
		ret = binary_parse(parser, level, &index);
	parser->depth--;
	if (!ret)
		*ret_index = index;
	return ret;
}

static int expr_finish(struct expr_parser *parser, struct tally_expr **ret_expr)
{
	struct tally_expr *expr = calloc(1, sizeof(*expr));

	if (!expr)
		return -ENOMEM;
	expr->text = malloc(parser->len + 1);
	if (!expr->text) {
		free(expr);
		return -ENOMEM;
	}
	memcpy(expr->text, parser->text, parser->len);
	expr->text[parser->len] = '\0';
	expr->nodes = parser->nodes.data;
	expr->nr = parser->nodes.len;
	parser->nodes.data = NULL;
	*ret_expr = expr;
	return 0;
}

int tally_expr_parse(const char *text, size_t len, struct tally_expr **ret_expr,
		     struct tally_error *err)
{
	struct expr_parser parser = {.text = text, .len = len, .err = err};
	uint32_t root;
	int ret;

	if (len > EXPR_SIZE)
		return tally_error_at(err, -E2BIG, "expression exceeds the limit of 64 KiB",
				      EXPR_SIZE);
	token_next(&parser);
	ret = expr_parse(&parser, 0, &root);
	if (!ret && parser.token.kind != TALLY_TOKEN_END)
		ret = parse_error(&parser, "expected an operator");
	if (!ret)
		ret = expr_finish(&parser, ret_expr);
	if (ret == -ENOMEM)
		tally_error_at(err, ret, "out of memory", 0);
	tally_vec_free(&parser.nodes);
	return ret;
}

void tally_expr_free(struct tally_expr *expr)
{
	if (!expr)
		return;
	free(expr->text);
	free(expr->nodes);
	free(expr);
}
