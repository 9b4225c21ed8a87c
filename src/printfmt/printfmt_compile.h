/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by the source files of the print fmt compiler. */
#ifndef TALLY_PRINTFMT_COMPILE_H
#define TALLY_PRINTFMT_COMPILE_H

#include "printfmt/printfmt.h"

struct tally_tp_compiler {
	const struct tally_tp_format *format;
	struct tally_tp_print *print;
	const char *start, *at, *end;
	unsigned depth;
	struct tally_error *err;
};

/* Parse one argument, up to a comma or the end. Returns 0, -EOPNOTSUPP with the reason in the
 * error, or another error. */
int tally_tp_expr_parse(struct tally_tp_compiler *c, const struct tally_tp_node **ret_node);

/* Maximum nesting of parentheses and unary operators, which limits stack usage. */
#define TALLY_TP_MAX_DEPTH 64

/* Parse one operand with its casts, unary operators and indexes. Return values are as above. */
int tally_tp_operand_parse(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

/* Parse adjacent string literals. Escape sequences are left unchanged. Return values are as
 * above. */
int tally_tp_text_parse(struct tally_tp_compiler *c, const char **ret_text, uint32_t *ret_len);

/* Parse a call to a helper function such as __print_flags(...). The cursor must be after the
 * opening parenthesis. Returns -ENOENT, without consuming anything, if the function `name` is
 * unknown. */
int tally_tp_call_parse(struct tally_tp_compiler *c, const char *name, size_t len,
			const struct tally_tp_node **ret_node);

/* Parse the type in sizeof(type), up to the closing parenthesis. Returns 0, an error, or 1 (without
 * consuming anything) if it is not a type of known size. */
int tally_tp_sizeof_type(struct tally_tp_compiler *c, struct tally_tp_node **ret_node);

void tally_tp_blanks(struct tally_tp_compiler *c);

/* Skip `token` and return true if it is next. */
bool tally_tp_accept(struct tally_tp_compiler *c, const char *token);

/* Fill in the error and return its code. */
int tally_tp_fail(struct tally_tp_compiler *c, int code, const char *text);
int tally_tp_no_memory(struct tally_tp_compiler *c);

/* Allocate a node in the print fmt's arena. Returns NULL if out of memory. */
struct tally_tp_node *tally_tp_node_new(struct tally_tp_compiler *c, enum tally_tp_op op);

/* Evaluate operations with constant operands in place. */
void tally_tp_fold(const struct tally_tp_node *node);

#endif
