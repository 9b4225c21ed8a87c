/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinding of a stack: from the registers of a thread, its memory and its mappings to the
 * addresses of its callers. Nothing is allocated, and nothing is kept from one stack to the next.
 * So any number of threads may unwind at the same time, and a host may unwind a running process.
 */
#ifndef TALLY_UNWIND_WALK_H
#define TALLY_UNWIND_WALK_H

#include <stddef.h>

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/unwind_table.h"

/* Reasons for the end of a stack. */
enum tally_unwind_end {
	TALLY_UNWIND_BOTTOM,      /* the outermost frame: nothing is missing */
	TALLY_UNWIND_LIMIT,       /* the limit of frames was reached */
	TALLY_UNWIND_SHORT,       /* the rest of the stack is not available */
	TALLY_UNWIND_OTHER_STACK, /* continues on an unavailable stack, as after a signal */
	TALLY_UNWIND_NO_RULES,    /* the file has no rules for this code */
	TALLY_UNWIND_NO_FILE,     /* the file with the rules is not available */
	TALLY_UNWIND_ANONYMOUS,   /* JIT code, which has no rules */
	TALLY_UNWIND_UNMAPPED,    /* there is no code at the address */
	TALLY_UNWIND_BAD_RULE,    /* the rule of the file is wrong */
	TALLY_UNWIND_POINTERS,    /* continued by frame pointers; the result is uncertain */
	TALLY_UNWIND_NR_ENDS,
};

/* Information about the code at an address. */
struct tally_unwind_code {
	const struct tally_unwind_table *table; /* NULL: none */
	struct tally_unwind_rule rule;          /* of the table, if has_rule */
	bool has_rule;
	bool may_have_pointer; /* without a rule: the frame pointer may lead to the caller */
	uint8_t why;           /* enum tally_unwind_end: the reason if `table` is NULL */
};

/* The thread to unwind. */
struct tally_unwind_thread {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_memory memory;
	/* Returns information about the code at `ip`, valid until the next call. */
	const struct tally_unwind_code *(*find)(void *arg, uint64_t ip);
	/* Returns true if `ip` can be a return address: asked for frame pointers. NULL: any can. */
	bool (*is_return)(void *arg, uint64_t ip);
	void *arg;
};

/* A frame. `ip` is the address where a sample or a signal interrupted it, or the return address.
 * `call` is within the instruction that was executed; it is used to find function and line. */
struct tally_unwind_step {
	uint64_t ip, call;
};

struct tally_unwind_stack {
	struct tally_unwind_step *steps; /* space for `max` frames, at least one */
	size_t max, nr;
	enum tally_unwind_end end;
	uint64_t end_ip; /* ip of the last frame, which has no known caller */
	uint64_t end_sp; /* start of its caller's frame; 0: not known */
};

/* Unwind from `regs`, which are modified, and fill in `stack`. */
void tally_unwind_walk(const struct tally_unwind_thread *thread, struct tally_unwind_regs *regs,
		       struct tally_unwind_stack *stack);

/* Return a constant text that describes the end of a stack. */
const char *tally_unwind_end_text(enum tally_unwind_end end);

#endif
