/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack unwound: from the registers of a thread, its memory and what is mapped in it to the
 * addresses of its callers. Nothing is allocated, and nothing is kept between two stacks, so that
 * any number of threads may unwind at once, and a host may do it to a process that runs.
 */
#ifndef TALLY_UNWIND_WALK_H
#define TALLY_UNWIND_WALK_H

#include <stddef.h>

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/table.h"

/* Where a stack ended, and why nothing further out is known. */
enum tally_unwind_end {
	TALLY_UNWIND_BOTTOM,      /* the outermost frame: nothing is missing */
	TALLY_UNWIND_LIMIT,       /* as many frames as there was room for */
	TALLY_UNWIND_SHORT,       /* the rest of the stack is not at hand */
	TALLY_UNWIND_OTHER_STACK, /* nor is the stack that it went on with, as after a signal */
	TALLY_UNWIND_NO_RULES,    /* the file says nothing of this code */
	TALLY_UNWIND_NO_FILE,     /* the file that could say it is not at hand */
	TALLY_UNWIND_ANONYMOUS,   /* code made at run time, which has none */
	TALLY_UNWIND_UNMAPPED,    /* no code is there */
	TALLY_UNWIND_BAD_RULE,    /* what the file says is not so */
	TALLY_UNWIND_POINTERS,    /* frame pointers led on, to where nobody knows */
	TALLY_UNWIND_NR_ENDS,
};

/* What is known of the code at an address. */
struct tally_unwind_code {
	const struct tally_unwind_table *table; /* NULL: none */
	struct tally_unwind_rule rule;          /* of the table, if has_rule */
	bool has_rule;
	bool may_have_pointer; /* without a rule: the frame pointer may lead to the caller */
	uint8_t why;           /* enum tally_unwind_end: there is no table */
};

/* The thread that is unwound. */
struct tally_unwind_thread {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_memory memory;
	/* What is at `ip`: valid until the next call. */
	const struct tally_unwind_code *(*find)(void *arg, uint64_t ip);
	/* Whether a return can lead to `ip`, which frame pointers are asked for; NULL: nobody
	 * knows. */
	bool (*is_return)(void *arg, uint64_t ip);
	void *arg;
};

/* One frame. `ip` is where a sample or a signal found the program, or the return address; `call` is
 * inside the instruction that the program was at, by which its function and line are found. */
struct tally_unwind_step {
	uint64_t ip, call;
};

struct tally_unwind_stack {
	struct tally_unwind_step *steps; /* room for `max` of them, at least one */
	size_t max, nr;
	enum tally_unwind_end end;
	uint64_t end_ip; /* of the frame whose caller is not known */
	uint64_t end_sp; /* where its caller's frame begins, as far as that is known: else 0 */
};

/* Unwind from `regs`, which change, and fill `stack`. */
void tally_unwind_walk(const struct tally_unwind_thread *thread, struct tally_unwind_regs *regs,
		       struct tally_unwind_stack *stack);

/* A constant text: why a stack ended. */
const char *tally_unwind_end_text(enum tally_unwind_end end);

#endif
