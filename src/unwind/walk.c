/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/walk.h"

#include <errno.h>

#include "unwind/frame.h"

const char *tally_unwind_end_text(enum tally_unwind_end end)
{
	static const char *const texts[TALLY_UNWIND_NR_ENDS] = {
		[TALLY_UNWIND_BOTTOM] = "complete",
		[TALLY_UNWIND_LIMIT] = "more frames than the limit",
		[TALLY_UNWIND_SHORT] = "stack dump too short",
		[TALLY_UNWIND_OTHER_STACK] = "continued on a stack that was not dumped",
		[TALLY_UNWIND_NO_RULES] = "no unwind rules",
		[TALLY_UNWIND_NO_FILE] = "file not available",
		[TALLY_UNWIND_ANONYMOUS] = "JIT code",
		[TALLY_UNWIND_UNMAPPED] = "no code at the return address",
		[TALLY_UNWIND_BAD_RULE] = "incorrect unwind rule",
		[TALLY_UNWIND_POINTERS] = "continued with frame pointers",
	};

	return texts[end];
}

/* Limit on expression operations for all frames of one stack. Real code needs a few operations per
 * frame. */
enum { MAX_EXPRESSION_STEPS = 16384 };

/* State of unwinding one stack. */
struct walk {
	const struct tally_unwind_thread *thread;
	struct tally_unwind_regs *regs;
	const struct tally_unwind_code *code; /* code at `ip` */
	uint64_t ip, sp;
	unsigned steps;  /* operations left for expressions */
	bool is_caller;  /* the frame has made a call; otherwise it was interrupted */
	bool by_pointer; /* the frame was found via its callee's frame pointer */
};

static const struct tally_unwind_code *code_at(struct walk *walk, uint64_t ip)
{
	return walk->thread->find(walk->thread->arg, ip);
}

static bool is_trampoline(const struct tally_unwind_code *code)
{
	return code->has_rule && code->rule.is_signal;
}

/* Find the frame's rule. A call may be the last instruction of its function, so look up an address
 * inside the call. A signal trampoline, however, is not called: the code before it is another
 * function. */
static void rule_find(struct walk *walk)
{
	walk->code = code_at(walk, walk->is_caller ? walk->ip - 1 : walk->ip);
	if (walk->code->has_rule || !walk->is_caller || !walk->code->table)
		return;
	walk->code = code_at(walk, walk->ip);
	if (!is_trampoline(walk->code))
		walk->code = code_at(walk, walk->ip - 1);
}

/* Return the reason to stop when memory is missing. The memory is further up the stack or on
 * another stack, or its address comes from a bad rule. */
static enum tally_unwind_end missing_end(const struct walk *walk, uint64_t missing)
{
	const struct tally_unwind_memory *memory = &walk->thread->memory;

	if (walk->sp < memory->start || walk->sp > memory->start + memory->len)
		return TALLY_UNWIND_OTHER_STACK;
	return missing >= memory->start ? TALLY_UNWIND_SHORT : TALLY_UNWIND_BAD_RULE;
}

/* Return the caller's instruction pointer after removing its signature. */
static uint64_t ip_strip_signature(const struct tally_unwind_arch *arch,
				   struct tally_unwind_regs *regs)
{
	uint64_t ip = regs->value[arch->ip];

	if (ip & ~arch->address_mask && !(ip >> 55 & 1))
		ip &= arch->address_mask;
	regs->value[arch->ip] = ip;
	return ip;
}

/* Step to the caller using the frame's rule. Return 0, or store the reason in *ret_end and return
 * -errno. */
static int step_by_rule(struct walk *walk, enum tally_unwind_end *ret_end)
{
	const struct tally_unwind_thread *thread = walk->thread;
	uint64_t missing = 0;
	int ret = tally_unwind_frame_by_rule(thread->arch, walk->code->table, &walk->code->rule,
					     &thread->memory, &walk->steps, walk->regs, &missing);

	if (ret == -ENODATA)
		*ret_end = TALLY_UNWIND_BOTTOM;
	else
		*ret_end = ret == -EFAULT ? missing_end(walk, missing) : TALLY_UNWIND_BAD_RULE;
	walk->by_pointer = false;
	return ret;
}

/* Return true if `ip` can be a return address in mapped code. */
static bool is_return(struct walk *walk, uint64_t ip)
{
	const struct tally_unwind_thread *thread = walk->thread;
	const struct tally_unwind_code *code = code_at(walk, ip - 1);

	if (!code->table && code->why == TALLY_UNWIND_UNMAPPED)
		return false;
	return !thread->is_return || thread->is_return(thread->arg, ip);
}

/* Step to the caller using the frame pointer, which may have any value in code that uses the
 * register for something else. Therefore the return address must follow a call, and 0 is the end of
 * the stack only if the frame itself was found via a frame pointer. */
static int step_by_pointer(struct walk *walk, enum tally_unwind_end *ret_end)
{
	const struct tally_unwind_thread *thread = walk->thread;
	const struct tally_unwind_code *code = walk->code;
	struct tally_unwind_regs regs = *walk->regs;
	bool was_by_pointer = walk->by_pointer;
	uint64_t ip;
	int ret = -EINVAL;

	*ret_end = code->table ? TALLY_UNWIND_NO_RULES : code->why;
	if (code->may_have_pointer)
		ret = tally_unwind_frame_by_pointer(thread->arch, &thread->memory, &regs);
	if (ret == -ENODATA && was_by_pointer)
		*ret_end = TALLY_UNWIND_BOTTOM;
	if (ret)
		return ret;
	ip = ip_strip_signature(thread->arch, &regs);
	if (ip ? !is_return(walk, ip) : !was_by_pointer)
		return -EINVAL;
	*walk->regs = regs;
	walk->by_pointer = true;
	return 0;
}

/* Return true if the stack pointer has moved towards the caller. The stack grows down, so the
 * caller's frame is at a higher address, except after a function without a frame, or if a signal
 * has interrupted code on another stack. */
static bool is_progress(const struct walk *walk, bool was_signal, bool was_caller)
{
	uint64_t sp;

	if (!tally_unwind_reg(walk->regs, walk->thread->arch->sp, &sp))
		return false;
	return was_signal || sp > walk->sp || (sp == walk->sp && !was_caller);
}

/* Step to the caller. Return false at the end of the stack, with the reason in stack->end. */
static bool step_to_caller(struct walk *walk, struct tally_unwind_stack *stack)
{
	bool was_caller = walk->is_caller, was_signal = is_trampoline(walk->code);
	int ret = walk->code->has_rule ? step_by_rule(walk, &stack->end)
				       : step_by_pointer(walk, &stack->end);

	if (ret)
		return false;
	if (!is_progress(walk, was_signal, was_caller)) {
		stack->end = TALLY_UNWIND_BAD_RULE;
		return false;
	}
	walk->ip = ip_strip_signature(walk->thread->arch, walk->regs);
	walk->sp = walk->regs->value[walk->thread->arch->sp];
	walk->is_caller = !was_signal;
	if (!walk->ip)
		stack->end = TALLY_UNWIND_BOTTOM;
	return walk->ip != 0;
}

void tally_unwind_walk(const struct tally_unwind_thread *thread, struct tally_unwind_regs *regs,
		       struct tally_unwind_stack *stack)
{
	struct walk walk = {.thread = thread, .regs = regs, .steps = MAX_EXPRESSION_STEPS};

	stack->nr = 0;
	stack->end = TALLY_UNWIND_BAD_RULE;
	stack->end_ip = 0;
	if (!tally_unwind_reg(regs, thread->arch->ip, &walk.ip) ||
	    !tally_unwind_reg(regs, thread->arch->sp, &walk.sp))
		return;
	for (;;) {
		bool has_called;

		rule_find(&walk);
		has_called = walk.is_caller && !is_trampoline(walk.code);
		stack->steps[stack->nr++] =
			(struct tally_unwind_step){walk.ip, walk.ip - has_called};
		stack->end_ip = walk.ip;
		if (stack->nr == stack->max) {
			stack->end = TALLY_UNWIND_LIMIT;
			return;
		}
		if (!step_to_caller(&walk, stack))
			return;
	}
}
