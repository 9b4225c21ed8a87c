/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of one file, compiled: for each stretch of its code how to get from a frame to that of
 * its caller. A table is one block of bytes without pointers, in host order, that may be kept in
 * a file; whatever its bytes are, nothing outside of it is read. Places in the code are file
 * offsets, as they are in a DSO's symbols.
 *
 *	header | starts: u32 each, sorted | rules: u32 each | functions: u32 each, sorted |
 *	words of rules | expressions
 *
 * A row is a start and a rule: it holds until the next row's start. Rules are shared by the rows
 * that have the same, which are most of them. Rule 0 is that there is none.
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
	uint32_t is_partial;           /* something was not understood, or too much */
	uint32_t has_frame_pointers;   /* calls are made with one, by nearly all its code */
	uint32_t code_start, code_end; /* code is nowhere else */
};

/* A table that was checked. Borrows the bytes. */
struct tally_unwind_table {
	struct tally_unwind_header head;
	const uint32_t *starts, *rules, *functions, *words;
	const uint8_t *bytes;
};

/* How the canonical frame address, the caller's stack pointer, is found. */
enum tally_unwind_cfa {
	TALLY_CFA_REGISTER,   /* register + value */
	TALLY_CFA_EXPRESSION, /* value: of the DWARF expression's bytes */
	TALLY_CFA_CONTEXT,    /* the context of an interrupted frame is at the stack pointer */
	TALLY_CFA_NONE,       /* the outermost frame */
};

/* How a register of the caller is found. */
enum tally_unwind_reg_rule {
	TALLY_REG_UNDEFINED,
	TALLY_REG_OFFSET,     /* in memory at the CFA + value */
	TALLY_REG_VAL_OFFSET, /* the CFA + value */
	TALLY_REG_REGISTER,   /* in register value */
	TALLY_REG_EXPRESSION, /* in memory where the expression says */
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
	bool is_signal; /* its caller was interrupted, it called nothing */
	uint8_t nr_regs;
	const uint32_t *regs; /* see tally_unwind_rule_reg() */
};

/* Of the value in a register's word; larger ones are not compiled. */
enum { TALLY_UNWIND_VALUE_BITS = 23 };

static inline struct tally_unwind_reg tally_unwind_rule_reg(const struct tally_unwind_rule *rule,
							    unsigned i)
{
	uint32_t word = rule->regs[i];

	return (struct tally_unwind_reg){word & 63, word >> 6 & 7, (int32_t)word >> 9};
}

/* Look at `len` bytes, aligned to 8, as a table. 0, or -EINVAL for what is none. */
int tally_unwind_table_open(const void *bytes, size_t len, struct tally_unwind_table *ret_table);

/* The rule at `addr`. False where there is none. */
bool tally_unwind_table_find(const struct tally_unwind_table *table, uint64_t addr,
			     struct tally_unwind_rule *ret_rule);

/* Whether there may be code at `addr`, be it without a rule. */
static inline bool tally_unwind_table_is_code(const struct tally_unwind_table *table, uint64_t addr)
{
	return addr >= table->head.code_start && addr < table->head.code_end;
}

/* Where the function begins that the code at `addr` is of. False where there is no rule. */
bool tally_unwind_table_function(const struct tally_unwind_table *table, uint64_t addr,
				 uint64_t *ret_start);

/* Where the function ends that begins at `start`: at the next one, or where there is no rule. */
uint64_t tally_unwind_table_function_end(const struct tally_unwind_table *table, uint64_t start);

/* The bytes of the expression that a rule's value stands for. False if there is none. */
bool tally_unwind_table_expression(const struct tally_unwind_table *table, int32_t value,
				   const uint8_t **ret_code, size_t *ret_len);

#endif
