/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <string.h>

#include "jevents/expr_lex.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == ':';
}

/* Multiply by a power of 10. Small powers are exact; large powers saturate as doubles do. */
static double scale(double value, int exponent)
{
	double power = 1, base = 10;
	unsigned left = exponent < 0 ? -(unsigned)exponent : (unsigned)exponent;

	for (left = left > 400 ? 400 : left; left; left >>= 1, base *= base)
		if (left & 1)
			power *= base;
	return exponent < 0 ? value / power : value * power;
}

static size_t exponent_len(const char *text, size_t len, size_t at, int *ret_exponent)
{
	size_t begin = at;
	bool negative = false;
	int exponent = 0;

	if (at == len || (text[at] | 0x20) != 'e')
		return 0;
	at++;
	if (at < len && (text[at] == '-' || text[at] == '+'))
		negative = text[at++] == '-';
	if (at == len || !is_digit(text[at]))
		return 0;
	for (; at < len && is_digit(text[at]); at++)
		exponent = exponent > 9999 ? exponent : exponent * 10 + text[at] - '0';
	*ret_exponent += negative ? -exponent : exponent;
	return at - begin;
}

/* Parse "12", "0.5" or "1e9" independently of the locale. Return the length, or 0 if it is not a
 * number. */
static size_t decimal_len(const char *text, size_t len, double *ret_number)
{
	uint64_t digits = 0;
	int exponent = 0;
	size_t at = 0, nr = 0;
	bool dot = false;

	for (; at < len && (is_digit(text[at]) || (text[at] == '.' && !dot)); at++) {
		if (text[at] == '.') {
			dot = true;
			continue;
		}
		nr++;
		if (digits < UINT64_MAX / 10 - 1) {
			digits = digits * 10 + (text[at] - '0');
			exponent -= dot;
		} else {
			exponent += !dot;
		}
	}
	if (!nr)
		return 0;
	at += exponent_len(text, len, at, &exponent);
	*ret_number = scale((double)digits, exponent);
	return at;
}

static size_t hex_len(const char *text, size_t len, double *ret_number)
{
	double value = 0;
	size_t at = 2;

	if (len < 3 || text[0] != '0' || (text[1] | 0x20) != 'x')
		return 0;
	for (; at < len; at++) {
		char lower = text[at] | 0x20;

		if (is_digit(text[at]))
			value = value * 16 + (text[at] - '0');
		else if (lower >= 'a' && lower <= 'f')
			value = value * 16 + (lower - 'a' + 10);
		else
			break;
	}
	*ret_number = value;
	return at == 2 ? 0 : at;
}

/* Return the length of a name, or 0 if an @ is not closed or if the last byte is a backslash. */
static size_t name_len(const char *text, size_t len)
{
	bool terms = false;
	size_t at = 0;

	for (; at < len; at++) {
		if (text[at] == '\\') {
			if (++at == len)
				return 0;
		} else if (text[at] == '@') {
			terms = !terms;
		} else if (!terms && !is_name(text[at])) {
			break;
		}
	}
	return terms ? 0 : at;
}

static struct tally_expr_token name_token(const char *text, size_t len, size_t at)
{
	struct tally_expr_token token = {TALLY_TOKEN_NAME, at, 0, 0};
	bool literal = text[at] == '#';

	token.len = name_len(text + at + literal, len - at - literal);
	if (!token.len)
		return (struct tally_expr_token){TALLY_TOKEN_BAD, at, 1, 0};
	token.len += literal;
	token.kind = literal ? TALLY_TOKEN_LITERAL : TALLY_TOKEN_NAME;
	return token;
}

struct tally_expr_token tally_expr_token(const char *text, size_t len, size_t at)
{
	struct tally_expr_token token = {TALLY_TOKEN_NUMBER, at, 0, 0};

	while (at < len && memchr(" \t\r\n", text[at], 4))
		at++;
	token.at = at;
	if (at == len) {
		token.kind = TALLY_TOKEN_END;
		return token;
	}
	if (text[at] && strchr("()+-*/%|&^<>,", text[at])) {
		token.kind = TALLY_TOKEN_MARK;
		token.len = 1;
		return token;
	}
	token.len = hex_len(text + at, len - at, &token.number);
	if (!token.len)
		token.len = decimal_len(text + at, len - at, &token.number);
	/* "4k_pages" is a name, although it starts like a number. */
	if (token.len && (at + token.len == len ||
			  !(is_name(text[at + token.len]) || strchr("@\\", text[at + token.len]))))
		return token;
	return name_token(text, len, at);
}

bool tally_expr_token_is(const struct tally_expr_token *token, const char *text, const char *word)
{
	return (token->kind == TALLY_TOKEN_NAME || token->kind == TALLY_TOKEN_MARK) &&
	       strlen(word) == token->len && !memcmp(text + token->at, word, token->len);
}
