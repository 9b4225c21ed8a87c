/* SPDX-License-Identifier: BSD-2-Clause */
/* What perf_event_open() refuses, in the order in which Linux does: a table of rules. */
#ifndef TALLY_CORE_CHECK_H
#define TALLY_CORE_CHECK_H

#include "core/private.h"

/* All there is to judge by. */
struct tally_check {
	struct tally_core *core;
	struct tally_core_task *current; /* NULL: the kernel itself, which may everything */
	struct perf_event_attr *attr;
	int32_t pid, cpu;
	unsigned long flags;
	struct tally_core_event *leader;    /* NULL: none */
	struct tally_core_event *output;    /* whose buffer to write to; NULL: its own */
	struct tally_core_task *task;       /* NULL: all tasks */
	uint32_t execs;                     /* of the task, before anything was judged */
	struct tally_core_event *event;     /* from TALLY_CHECK_EVENT on */
	struct tally_core_context *context; /* where it is to go: TALLY_CHECK_GROUP */
	tally_core_overflow_fn overflow;    /* of an event from inside */
	void *overflow_arg;
};

enum tally_check_stage {
	TALLY_CHECK_FLAGS,  /* before the attr is read */
	TALLY_CHECK_FORM,   /* by the attr alone: what modifying an event judges as well */
	TALLY_CHECK_ATTR,   /* by the attr and who asks; the form too */
	TALLY_CHECK_TARGET, /* group and task are known */
	TALLY_CHECK_EVENT,  /* a PMU took it */
	TALLY_CHECK_GROUP,  /* its context is known, and its family locked: no operation that sleeps
			     */
};

/* The first rule of a stage that is broken; NULL: none is. */
const struct tally_core_refusal *tally_check(const struct tally_check *check,
					     enum tally_check_stage stage);

/* What no host can be asked for, or this one does not offer (offers.c): the reason, or NULL. */
const struct tally_core_refusal *tally_check_offers(const struct tally_host_ops *ops,
						    const struct perf_event_attr *attr);

/* Rules of rights.c: what is forbidden to who asks. Anything; the kernel, namespaces, physical
 * addresses, its branches; a CPU; another's task, one that has got more rights since, a signal to
 * it; what a tracepoint records. */
bool tally_anything_forbidden(const struct tally_check *check);
bool tally_kernel_forbidden(const struct tally_check *check);
bool tally_namespaces_forbidden(const struct tally_check *check);
bool tally_addresses_forbidden(const struct tally_check *check);
bool tally_branches_forbidden(const struct tally_check *check);
bool tally_cpu_forbidden(const struct tally_check *check);
bool tally_task_forbidden(const struct tally_check *check);
bool tally_task_has_more_rights(const struct tally_check *check);
bool tally_trap_forbidden(const struct tally_check *check);
bool tally_tracepoint_forbidden(const struct tally_check *check);

#endif
