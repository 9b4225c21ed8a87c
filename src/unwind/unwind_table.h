/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file's compiled unwind rules: for each range of its code, how to get from a frame to the
 * caller's frame. A table is a single block of bytes without pointers, in host byte order, and can
 * be stored in a file. Lookups never read outside the block, even if it is corrupt. Code addresses
 * are file offsets, as in a DSO's symbols.
 *
 *	header | starts: u32 each, sorted | rules: u32 each | functions: u32 each, sorted |
 *	words of rules | expressions
 *
 * A row consists of a start and a rule, which applies until the start of the next row. Most rows
 * share their rule with other rows. Rule 0 means that there is no rule.
 */
#ifndef TALLY_UNWIND_TABLE_H
#define TALLY_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_UNWIND_MAGIC UINT32_C(0x54555754) /* "TWUT" */

enum { TALLY_UNWIND_VERSION = 1 };

struct tally_unwind_header {
	uint32_t magic, version, machine;
	uint32_t nr_rows, nr_functions, nr_words, nr_bytes;
	uint32_t is_partial;           /* some input was not understood or was too large */
	uint32_t has_frame_pointers;   /* nearly all of the code uses frame pointers */
	uint32_t code_start, code_end; /* range that contains all code */
};

/* A validated table. Does not own the bytes. */
struct tally_unwind_table {
	struct tally_unwind_header head;
	const uint32_t *starts, *rules, *functions, *words;
	const uint8_t *bytes;
};

/* Ways to find the canonical frame address, which is the caller's stack pointer. */
enum tally_unwind_cfa {
	TALLY_CFA_REGISTER,   /* register + value */
	TALLY_CFA_EXPRESSION, /* the value identifies a DWARF expression */
	TALLY_CFA_CONTEXT,    /* interrupted frame: its context is at the stack pointer */
	TALLY_CFA_NONE,       /* the outermost frame */
};

/* Ways to find a caller's register. */
enum tally_unwind_reg_rule {
	TALLY_REG_UNDEFINED,
	TALLY_REG_OFFSET,     /* in memory at the CFA + value */
	TALLY_REG_VAL_OFFSET, /* the CFA + value */
	TALLY_REG_REGISTER,   /* in the register that the value identifies */
	TALLY_REG_EXPRESSION, /* in memory at the expression's result */
	TALLY_REG_VAL_EXPRESSION,
	TALLY_REG_SAME,
};

struct tally_unwind_reg {
	uint8_t reg;
	uint8_t how; /* enum tally_unwind_reg_rule */
	int32_t value;
};

struct tally_unwind_rule {
	uint8_t cfa; /* enum tally_unwind_cfa */
	uint8_t cfa_reg;
	int32_t cfa_value;
	bool is_signal; /* signal trampoline: its caller was interrupted, and did not call it */
	uint8_t nr_regs;
	const uint32_t *regs; /* see tally_unwind_rule_reg() */
};

/* Width of the value in a packed register rule; rules with larger values are not compiled. */
enum { TALLY_UNWIND_VALUE_BITS = 23 };

static inline struct tally_unwind_reg tally_unwind_rule_reg(const struct tally_unwind_rule *rule,
							    unsigned i)
{
	uint32_t word = rule->regs[i];

	return (struct tally_unwind_reg){word & 63, word >> 6 & 7, (int32_t)word >> 9};
}

/* Open `len` bytes, aligned to 8, as a table. Return 0, or -EINVAL if they are not a valid
 * table. */
int tally_unwind_table_open(const void *bytes, size_t len, struct tally_unwind_table *ret_table);

/* Find the rule at `addr`. Return false if there is no rule. */
bool tally_unwind_table_find(const struct tally_unwind_table *table, uint64_t addr,
			     struct tally_unwind_rule *ret_rule);

/* Return true if there may be code at `addr`, even without a rule. */
static inline bool tally_unwind_table_is_code(const struct tally_unwind_table *table, uint64_t addr)
{
	return addr >= table->head.code_start && addr < table->head.code_end;
}

/* Find the start of the function that contains `addr`. Return false if there is no rule at
 * `addr`. */
bool tally_unwind_table_function(const struct tally_unwind_table *table, uint64_t addr,
				 uint64_t *ret_start);

/* Return the end of the function that begins at `start`. The function ends where the next function,
 * or code without a rule, begins. */
uint64_t tally_unwind_table_function_end(const struct tally_unwind_table *table, uint64_t start);

/* Find the bytes of the expression that a rule refers to by `value`. Return false if there is no
 * such expression. */
bool tally_unwind_table_expression(const struct tally_unwind_table *table, int32_t value,
				   const uint8_t **ret_code, size_t *ret_len);

#endif
