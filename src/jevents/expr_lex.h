/* SPDX-License-Identifier: BSD-2-Clause */
/* Tokens in metric expressions. Internal to jevents. */
#ifndef TALLY_JEVENTS_EXPR_LEX_H
#define TALLY_JEVENTS_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum tally_expr_token_kind {
	TALLY_TOKEN_END,
	TALLY_TOKEN_NUMBER,
	TALLY_TOKEN_NAME,
	TALLY_TOKEN_LITERAL,
	TALLY_TOKEN_MARK, /* one character: operator, parenthesis, comma */
	TALLY_TOKEN_BAD,
};

struct tally_expr_token {
	enum tally_expr_token_kind kind;
	size_t at, len;
	double number;
};

/* Return the token at or after byte `at` of `text`. */
struct tally_expr_token tally_expr_token(const char *text, size_t len, size_t at);

/* Return true if the token is `word`. */
bool tally_expr_token_is(const struct tally_expr_token *token, const char *text, const char *word);

#endif
