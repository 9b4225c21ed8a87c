/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of perf_event_open(), in the order in which Linux checks them: a table. */
#ifndef TALLY_CORE_CHECK_H
#define TALLY_CORE_CHECK_H

#include "core/core_private.h"

/* The input of the rules. */
struct tally_check {
	struct tally_core *core;
	struct tally_core_task *current; /* NULL: the kernel itself, which has all rights */
	struct perf_event_attr *attr;
	int32_t pid, cpu;
	unsigned long flags;
	struct tally_core_event *leader;    /* NULL: none */
	struct tally_core_event *output;    /* write to this event's buffer; NULL: to its own */
	struct tally_core_task *task;       /* NULL: all tasks */
	uint32_t execs;                     /* task->execs before the first check */
	struct tally_core_event *event;     /* set from TALLY_CHECK_EVENT on */
	struct tally_core_context *context; /* target context; set in TALLY_CHECK_GROUP */
	tally_core_overflow_fn overflow;    /* of an in-kernel event */
	void *overflow_arg;
};

enum tally_check_stage {
	TALLY_CHECK_FLAGS,  /* before the attr is read */
	TALLY_CHECK_FORM,   /* depends only on the attr; also checked when modifying an event */
	TALLY_CHECK_ATTR,   /* depends on the attr and the caller; includes the FORM stage */
	TALLY_CHECK_TARGET, /* group and task are known */
	TALLY_CHECK_EVENT,  /* a PMU has accepted the event */
	TALLY_CHECK_GROUP,  /* the context is known and its family locked: must not sleep */
};

/* Return the first rule of the stage that is broken, or NULL. */
const struct tally_core_refusal *tally_check(const struct tally_check *check,
					     enum tally_check_stage stage);

/* Return why an attr cannot be satisfied by any host or by this one (offers.c); NULL if it can. */
const struct tally_core_refusal *tally_check_offers(const struct tally_host_ops *ops,
						    const struct perf_event_attr *attr);

/* Permission rules (rights.c). Each returns true if the caller lacks the permission: for any event;
 * for the kernel; namespaces; physical addresses; kernel branches; all tasks of a CPU; another
 * user's task; a task that has gained privileges since it was checked; signals to the task;
 * tracepoint data. */
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
