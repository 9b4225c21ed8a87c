/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiler for the format string of a print fmt: literal text, and conversions with their
 * arguments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "printfmt/printfmt.h"
#include "printfmt/printfmt_compile.h"

enum { MAX_ARGS = 128, MAX_WIDTH = 4096 };

struct builder {
	struct tally_tp_compiler *c;
	const struct tally_tp_node *args[MAX_ARGS];
	size_t nr_args, next;
	char *text; /* unescaped format string */
	size_t len, at;
	struct tally_str literal;
};

/* Add a conversion (or NULL) and the literal text before it. */
static int piece_push(struct builder *b, const struct tally_tp_piece *conversion)
{
	struct tally_tp_print *print = b->c->print;
	struct tally_tp_piece piece = {.kind = TP_NOTHING};
	size_t len = b->literal.len;

	if (!conversion && !len)
		return 0;
	if (conversion)
		piece = *conversion;
	if (len) {
		char *text = tally_arena_bytes(&print->arena, tally_round_up(len, TALLY_TP_BLOCK));

		if (!text)
			return tally_tp_no_memory(b->c);
		memset(text, 0, tally_round_up(len, TALLY_TP_BLOCK));
		memcpy(text, b->literal.data, len);
		piece.before = text;
		piece.before_len = (uint32_t)len;
		tally_str_clear(&b->literal);
	}
	if (tally_vec_push(&print->pieces, piece))
		return tally_tp_no_memory(b->c);
	return 0;
}

static int arg_read(struct builder *b, const struct tally_tp_node **ret_node)
{
	if (b->next == b->nr_args)
		return tally_tp_fail(b->c, -EOPNOTSUPP, "more conversions than arguments");
	*ret_node = b->args[b->next++];
	return 0;
}

static char peek_char(const struct builder *b)
{
	return b->at < b->len ? b->text[b->at] : '\0';
}

static bool letter_accept(struct builder *b, const char *letters, char *ret_letter)
{
	char c = peek_char(b);

	if (!c || !strchr(letters, c))
		return false;
	*ret_letter = c;
	b->at++;
	return true;
}

/* Parse a width or precision: digits or a star. */
static int count_parse(struct builder *b, int *count, const struct tally_tp_node **star)
{
	if (peek_char(b) == '*') {
		b->at++;
		return arg_read(b, star);
	}
	for (; tally_is_digit(peek_char(b)); b->at++)
		if (*count < MAX_WIDTH)
			*count = *count * 10 + (int)tally_digit(peek_char(b));
	return *count < MAX_WIDTH ? 0 : tally_tp_fail(b->c, -EOPNOTSUPP, "width too large");
}

struct conversion {
	char flags[8];
	size_t nr_flags;
	int longs; /* hh: -2, h: -1, none: 0, l and z: 1, ll and L: 2 */
	bool plain;
};

static int prefix_parse(struct builder *b, struct conversion *conv, struct tally_tp_piece *piece)
{
	const char *known = b->c->print->target.beyond_perf ? "-#0+ " : "-#0";
	int ret;
	char c;

	while (letter_accept(b, known, &c)) {
		piece->left |= c == '-';
		if (conv->nr_flags + 1 < sizeof(conv->flags))
			conv->flags[conv->nr_flags++] = c;
	}
	ret = count_parse(b, &piece->width, &piece->star_width);
	if (!ret && peek_char(b) == '.') {
		b->at++;
		piece->has_precision = true;
		ret = count_parse(b, &piece->precision, &piece->star_precision);
	}
	if (!ret && piece->star_width && piece->star_precision && !b->c->print->target.beyond_perf)
		ret = tally_tp_fail(b->c, -EOPNOTSUPP, "two stars in a conversion");
	while (letter_accept(b, "hlLz", &c)) {
		if (c == 'h')
			conv->longs--;
		else if (c == 'L')
			conv->longs = 2;
		else if (c == 'z')
			conv->longs = 1;
		else
			conv->longs++;
	}
	conv->plain =
		!conv->nr_flags && !piece->width && !piece->star_width && !piece->has_precision;
	return ret;
}

static int number_piece(struct builder *b, const struct conversion *conv, char letter,
			struct tally_tp_piece *piece)
{
	static const int8_t sizes[] = {1, 2, 4, 8, 8};
	char width[16] = "", precision[20] = "";

	if (conv->longs < -2 || conv->longs > 2)
		return tally_tp_fail(b->c, -EOPNOTSUPP, "unknown length modifier in a conversion");
	piece->size = sizes[conv->longs + 2];
	piece->signed_conversion = letter == 'd' || letter == 'i';
	if (conv->plain && letter != 'X' && letter != 'o') {
		piece->kind = letter == 'x'              ? TP_LOWER_HEX
			      : piece->signed_conversion ? TP_SIGNED
							 : TP_UNSIGNED;
		return arg_read(b, &piece->arg);
	}
	piece->kind = TP_PRINTF;
	if (piece->width || piece->star_width)
		snprintf(width, sizeof(width), piece->star_width ? "*" : "%d", piece->width);
	if (piece->has_precision)
		snprintf(precision, sizeof(precision), piece->star_precision ? ".*" : ".%d",
			 piece->precision);
	snprintf(piece->spec, sizeof(piece->spec), "%%%s%s%sll%c", conv->flags, width, precision,
		 letter);
	return arg_read(b, &piece->arg);
}

/* Parse the argument of an address conversion, which must be bytes in the payload. */
static int address_arg(struct builder *b, struct tally_tp_piece *piece, uint32_t size)
{
	int ret = arg_read(b, &piece->arg);

	if (ret)
		return ret;
	if (piece->kind == TP_SOCKADDR && piece->arg->op == TP_CAST)
		piece->arg = piece->arg->a;
	if (piece->kind == TP_SOCKADDR && piece->arg->op == TP_DYN)
		return 0;
	if (piece->arg->op != TP_FIELD || (size && piece->arg->size != size))
		return tally_tp_fail(b->c, -EOPNOTSUPP,
				     "address argument is not a field of the required size");
	return 0;
}

static int ip_piece(struct builder *b, struct tally_tp_piece *piece)
{
	char c = '\0';

	if (letter_accept(b, "4", &c)) {
		piece->kind = TP_IP4;
		letter_accept(b, "hnbl", &piece->style);
		return address_arg(b, piece, 4);
	}
	if (letter_accept(b, "6", &c)) {
		piece->kind = TP_IP6;
		letter_accept(b, "c", &piece->style);
		return address_arg(b, piece, 16);
	}
	if (!letter_accept(b, "S", &c))
		return tally_tp_fail(b->c, -EOPNOTSUPP, "unknown address format");
	piece->kind = TP_SOCKADDR;
	piece->port = letter_accept(b, "p", &c);
	if (!letter_accept(b, "c", &piece->style) && peek_char(b) &&
	    strchr("hnblpfs", peek_char(b)))
		return tally_tp_fail(b->c, -EOPNOTSUPP, "unknown address format");
	return address_arg(b, piece, 0);
}

static int pointer_piece(struct builder *b, struct tally_tp_piece *piece)
{
	char c = '\0';

	if (letter_accept(b, "FfSs", &c)) {
		piece->kind = c == 's' || c == 'f' ? TP_FUNCTION : TP_FUNCTION_OFFSET;
		return arg_read(b, &piece->arg);
	}
	if (letter_accept(b, "Mm", &c)) {
		piece->kind = TP_MAC;
		piece->style = c == 'm' ? 'm' : ':';
		piece->port = letter_accept(b, "R", &c); /* R: reversed order */
		if (!piece->port && piece->style == ':' && letter_accept(b, "F", &c))
			piece->style = '-';
		return address_arg(b, piece, 6);
	}
	if (letter_accept(b, "U", &c)) {
		piece->kind = TP_UUID;
		letter_accept(b, "bBlL", &piece->style);
		return address_arg(b, piece, 16);
	}
	if (letter_accept(b, "Ii", &c)) {
		piece->small_i = c == 'i';
		return ip_piece(b, piece);
	}
	if (peek_char(b) == 'h')
		return tally_tp_fail(b->c, -EOPNOTSUPP, "conversion %ph is not supported");
	piece->kind = TP_POINTER; /* perf prints any other letters as text */
	return arg_read(b, &piece->arg);
}

/* Append an unknown conversion in the form that perf prints. No argument is consumed. */
static int unknown_conversion(struct builder *b, char letter)
{
	tally_str_add_char(&b->literal, '>');
	tally_str_add_char(&b->literal, letter);
	tally_str_add_char(&b->literal, '<');
	return 0;
}

static int char_piece(struct builder *b, struct tally_tp_piece *piece)
{
	piece->kind = TP_PRINTF;
	piece->size = 4;
	strcpy(piece->spec, "%c");
	return arg_read(b, &piece->arg);
}

/* Parse a conversion after the percent sign. */
static int conversion_parse(struct builder *b)
{
	struct tally_tp_piece piece = {0};
	struct conversion conv = {.longs = 0};
	size_t start = b->at - 1;
	char letter;
	int ret;

	if (letter_accept(b, "%", &letter)) {
		tally_str_add_char(&b->literal, '%');
		return 0;
	}
	ret = prefix_parse(b, &conv, &piece);
	if (ret)
		return ret;
	letter = peek_char(b);
	if (!letter)
		return 0;
	b->at++;
	if (strchr("diuxXo", letter)) {
		ret = number_piece(b, &conv, letter, &piece);
	} else if (letter == 's' && !conv.longs) {
		piece.kind = TP_STRING;
		ret = arg_read(b, &piece.arg);
	} else if (letter == 's') {
		return tally_tp_fail(b->c, -EOPNOTSUPP, "wide strings are not supported");
	} else if (letter == 'p') {
		ret = pointer_piece(b, &piece);
	} else if (letter == 'c' && b->c->print->target.beyond_perf) {
		ret = char_piece(b, &piece);
	} else {
		return unknown_conversion(b, letter);
	}
	if (!ret && (piece.star_width || piece.star_precision)) {
		piece.len = (uint32_t)(b->at - start);
		piece.text = tally_arena_strndup(&b->c->print->arena, b->text + start, piece.len);
		ret = piece.text ? 0 : tally_tp_no_memory(b->c);
	}
	return ret ? ret : piece_push(b, &piece);
}

static int pieces_build(struct builder *b)
{
	int ret = 0;

	while (!ret && b->at < b->len) {
		char c = b->text[b->at++];

		if (c == '%')
			ret = conversion_parse(b);
		else
			tally_str_add_char(&b->literal, c);
	}
	if (!ret)
		ret = piece_push(b, NULL);
	return ret ? ret : tally_str_error(&b->literal);
}

/* Unescape the string in place. \n, \t and \r are as in C; before any other character, the
 * backslash is dropped. */
static void unescape(struct builder *b)
{
	size_t to = 0;

	for (size_t i = 0; i < b->len; i++) {
		char c = b->text[i];

		if (c == '\\' && i + 1 < b->len) {
			c = b->text[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
		}
		b->text[to++] = c;
	}
	b->len = to;
}

static int args_parse(struct builder *b)
{
	int ret = 0;

	while (!ret && tally_tp_accept(b->c, ",")) {
		if (b->nr_args == MAX_ARGS)
			return tally_tp_fail(b->c, -EOPNOTSUPP, "too many arguments");
		ret = tally_tp_expr_parse(b->c, &b->args[b->nr_args]);
		if (!ret)
			tally_tp_fold(b->args[b->nr_args++]);
	}
	if (ret)
		return ret;
	tally_tp_blanks(b->c);
	if (b->c->at < b->c->end && *b->c->at != ')')
		return tally_tp_fail(b->c, -EOPNOTSUPP, "unexpected text after an argument");
	return 0;
}

static int print_build(struct tally_tp_compiler *c)
{
	struct builder b = {.c = c};
	const char *text;
	uint32_t len;
	int ret;

	tally_tp_blanks(c);
	if (c->at >= c->end || *c->at != '"')
		return tally_tp_fail(c, -EINVAL, "print fmt does not start with a string");
	ret = tally_tp_text_parse(c, &text, &len);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < len && !c->print->target.beyond_perf; i++)
		if (text[i] == '\t')
			return tally_tp_fail(c, -EOPNOTSUPP, "tab in the format");
	b.text = (char *)(uintptr_t)text; /* private copy in the arena */
	b.len = len;
	unescape(&b);
	ret = args_parse(&b);
	if (!ret)
		ret = pieces_build(&b);
	tally_str_free(&b.literal);
	return ret;
}

int tally_tp_print_compile(const struct tally_tp_format *format,
			   const struct tally_tp_target *target, struct tally_tp_print **ret_print,
			   struct tally_error *err)
{
	struct tally_tp_print *print = calloc(1, sizeof(*print));
	struct tally_tp_compiler c = {.format = format, .print = print, .err = err};
	int ret;

	if (!print)
		return tally_error_at(err, -ENOMEM, "out of memory", 0);
	print->target = *target;
	c.start = c.at = format->print_fmt;
	c.end = c.start + strlen(c.start);
	ret = print_build(&c);
	if (ret) {
		tally_tp_print_free(print);
		return ret;
	}
	*ret_print = print;
	return 0;
}

void tally_tp_print_free(struct tally_tp_print *print)
{
	if (!print)
		return;
	tally_vec_free(&print->pieces);
	tally_arena_free(&print->arena);
	free(print);
}
