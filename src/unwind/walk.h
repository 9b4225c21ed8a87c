/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack unwinding: finds the callers' addresses from a thread's registers, memory and mappings. The
 * walk allocates nothing and keeps no state between stacks, so any number of threads may unwind at
 * the same time, and a host may unwind a running process.
 */
#ifndef TALLY_UNWIND_WALK_H
#define TALLY_UNWIND_WALK_H

#include <stddef.h>

#include "unwind/arch.h"
#include "unwind/memory.h"
#include "unwind/unwind_table.h"

/* Reasons why unwinding ended. */
enum tally_unwind_end {
	TALLY_UNWIND_BOTTOM,      /* the outermost frame: nothing is missing */
	TALLY_UNWIND_LIMIT,       /* the maximum number of frames was reached */
	TALLY_UNWIND_SHORT,       /* the rest of the stack is not available */
	TALLY_UNWIND_OTHER_STACK, /* continues on an unavailable stack, as after a signal */
	TALLY_UNWIND_NO_RULES,    /* the file has no rules for this code */
	TALLY_UNWIND_NO_FILE,     /* the file with the rules is not available */
	TALLY_UNWIND_ANONYMOUS,   /* JIT code, which has no rules */
	TALLY_UNWIND_UNMAPPED,    /* no code is mapped at the address */
	TALLY_UNWIND_BAD_RULE,    /* the file's rule is wrong */
	TALLY_UNWIND_POINTERS,    /* frame pointers were used; the result is uncertain */
	TALLY_UNWIND_NR_ENDS,
};

/* Information about the code at an address. */
struct tally_unwind_code {
	const struct tally_unwind_table *table; /* or NULL */
	struct tally_unwind_rule rule;          /* from the table, if has_rule */
	bool has_rule;
	bool may_have_pointer; /* true if code without a rule may use frame pointers */
	uint8_t why;           /* enum tally_unwind_end: reason why `table` is NULL */
};

/* The thread to unwind. */
struct tally_unwind_thread {
	const struct tally_unwind_arch *arch;
	struct tally_unwind_memory memory;
	/* Returns information about the code at `ip`. The result is valid until the next call. */
	const struct tally_unwind_code *(*find)(void *arg, uint64_t ip);
	/* Returns true if `ip` can be a return address. Used with frame pointers. If NULL, any
	 * address can be a return address. */
	bool (*is_return)(void *arg, uint64_t ip);
	void *arg;
};

/* A frame. `ip` is the return address, or the address at which a sample or a signal interrupted
 * the frame. `call` is inside the executed instruction, and is used to look up the function and
 * line. */
struct tally_unwind_step {
	uint64_t ip, call;
};

struct tally_unwind_stack {
	struct tally_unwind_step *steps; /* space for `max` frames, at least one */
	size_t max, nr;
	enum tally_unwind_end end;
	uint64_t end_ip; /* ip of the last frame, which has no known caller */
};

/* Unwind from `regs`, which are modified, and fill in `stack`. */
void tally_unwind_walk(const struct tally_unwind_thread *thread, struct tally_unwind_regs *regs,
		       struct tally_unwind_stack *stack);

/* Return a constant string that describes why unwinding ended. */
const char *tally_unwind_end_text(enum tally_unwind_end end);

#endif
