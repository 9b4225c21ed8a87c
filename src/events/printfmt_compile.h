/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces shared by the parsers of print fmts. */
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

/* Parse one argument up to its comma or the end. Returns 0, -EOPNOTSUPP with the reason in the
 * error, or another error. */
int tally_tp_expr_parse(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node);

/* Limit of the nesting of parentheses and unary operators, to bound the use of the stack. */
#define TALLY_TP_MAX_DEPTH 64

/* Parse one operand with its casts, unary operators and indexes. Return values as above. */
int tally_tp_operand_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

/* Parse adjacent string literals. Escape sequences are left as they are. Return values as above. */
int tally_tp_text_parse(struct tally_tp_compiler *c, const char **ret_text, uint32_t *ret_len);

/* Parse a call of a helper function such as __print_flags(...). The cursor must be after the
 * opening parenthesis. Returns -ENOENT with nothing consumed if the function `name` is unknown. */
int tally_tp_call_parse(struct tally_tp_compiler *c, const char *name, size_t len,
			const struct tally_tp_node **ret_node);

/* Parse the type in sizeof(type) up to the closing parenthesis. Returns 0; 1 with nothing consumed
 * if it is not a type of known size; or an error. */
int tally_tp_sizeof_type(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

void tally_tp_blanks(struct tally_tp_compiler *c);

/* Skip `token` if it is next, and return true then. */
bool tally_tp_accept(struct tally_tp_compiler *c, const char *token);
int tally_tp_fail(struct tally_tp_compiler *c, int code, const char *text);

/* Allocate a node in the arena of the print fmt. Returns NULL when out of memory. */
struct tally_tp_node *tally_tp_node_new(struct tally_tp_compiler *c, enum tally_tp_op op);

/* Evaluate, in place, the operations with constant operands. */
void tally_tp_fold(const struct tally_tp_node *node);

#endif
