/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens, nodes and errors, for the parsers of a print fmt. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "printfmt/printfmt.h"
#include "printfmt/printfmt_compile.h"

enum { MAX_NODES_BYTES = 1 << 19 };

int tally_tp_fail(struct tally_tp_compiler *c, int code, const char *text)
{
	return tally_error_at(c->err, code, text, (uint64_t)(c->at - c->start));
}

int tally_tp_no_memory(struct tally_tp_compiler *c)
{
	return tally_tp_fail(c, -ENOMEM, "out of memory");
}

void tally_tp_blanks(struct tally_tp_compiler *c)
{
	while (c->at < c->end && isspace((unsigned char)*c->at))
		c->at++;
}

bool tally_tp_accept(struct tally_tp_compiler *c, const char *token)
{
	size_t len = strlen(token);

	tally_tp_blanks(c);
	if ((size_t)(c->end - c->at) < len || memcmp(c->at, token, len))
		return false;
	c->at += len;
	return true;
}

struct tally_tp_node *tally_tp_node_new(struct tally_tp_compiler *c, enum tally_tp_op op)
{
	struct tally_tp_node *node = NULL;

	if (c->print->arena.total < MAX_NODES_BYTES)
		node = tally_arena_alloc(&c->print->arena, sizeof(*node));
	if (!node)
		return NULL;
	memset(node, 0, sizeof(*node));
	node->op = (uint8_t)op;
	return node;
}

int tally_tp_text_parse(struct tally_tp_compiler *c, const char **ret_text, uint32_t *ret_len)
{
	struct tally_str text = {0};
	int ret = 0;

	while (tally_tp_accept(c, "\"")) {
		const char *start = c->at;

		while (c->at < c->end && *c->at != '"')
			c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
		if (c->at >= c->end) {
			ret = tally_tp_fail(c, -EINVAL, "missing closing quote after a string");
			break;
		}
		tally_str_add_bytes(&text, start, (size_t)(c->at - start));
		c->at++;
	}
	if (!ret) {
		*ret_text = tally_arena_strndup(&c->print->arena, tally_str_text(&text), text.len);
		*ret_len = (uint32_t)text.len;
		ret = *ret_text && !tally_str_error(&text) ? 0 : tally_tp_no_memory(c);
	}
	tally_str_free(&text);
	return ret;
}
