/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiling a print format: what its parsers share. */
#ifndef TALLY_EVENTS_PRINTFMT_COMPILE_H
#define TALLY_EVENTS_PRINTFMT_COMPILE_H

#include "events/printfmt.h"

struct tally_tp_compiler {
	const struct tally_tp_format *format;
	struct tally_tp_print *print;
	const char *start, *at, *end;
	unsigned depth;
	struct tally_error *err;
};

/* Parse one argument up to its comma or the end. 0 or the error, -EOPNOTSUPP with reason. */
int tally_tp_expr_parse(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node);

/* How deep parentheses and unary operators may nest: bounds the stack. */
#define TALLY_TP_MAX_DEPTH 64

/* Parse one operand with its casts, unary operators and indices. Same answers. */
int tally_tp_operand_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

/* Parse adjacent string literals; escapes are kept as they are. */
int tally_tp_text_parse(struct tally_tp_compiler *c, const char **ret_text, uint32_t *ret_len);

/* The functions of print fmts: __print_flags(...) and so on, the cursor behind the opening
 * parenthesis. -ENOENT with nothing consumed when `name` is none of them. */
int tally_tp_call_parse(struct tally_tp_compiler *c, const char *name, size_t len,
			const struct tally_tp_node **ret_node);

/* sizeof's type up to the closing parenthesis. 0; 1 with nothing taken when no type of known
 * size stands there; or the error. */
int tally_tp_sizeof_type(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

void tally_tp_blanks(struct tally_tp_compiler *c);

/* Take `c->at` behind `token` if it stands there. */
bool tally_tp_accept(struct tally_tp_compiler *c, const char *token);
int tally_tp_fail(struct tally_tp_compiler *c, int code, const char *text);

/* A node in the program's arena; NULL when out of memory. */
struct tally_tp_node *tally_tp_node_new(struct tally_tp_compiler *c, enum tally_tp_op op);

/* Work out, in place, the operations on numbers alone. */
void tally_tp_fold(const struct tally_tp_node *node);

#endif
