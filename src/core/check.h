/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of the rules for perf_event_open(), in the order in which Linux checks them. */
#ifndef TALLY_CORE_CHECK_H
#define TALLY_CORE_CHECK_H

#include "core/core_private.h"

/* Input to the rules. */
struct tally_check {
	struct tally_core *core;
	struct tally_core_task *current; /* NULL for the kernel itself, which may do anything */
	struct perf_event_attr *attr;
	int32_t pid, cpu;
	unsigned long flags;
	struct tally_core_event *leader;    /* or NULL */
	struct tally_core_event *output;    /* event that has the buffer to use, or NULL */
	struct tally_core_task *task;       /* NULL for all tasks */
	uint32_t execs;                     /* task->execs before the first check */
	struct tally_core_event *event;     /* set from TALLY_CHECK_EVENT onwards */
	struct tally_core_context *context; /* target context; set for TALLY_CHECK_GROUP */
	tally_core_overflow_fn overflow;    /* callback for an in-kernel event */
	void *overflow_arg;
};

enum tally_check_stage {
	TALLY_CHECK_FLAGS,  /* before the attr is read */
	TALLY_CHECK_FORM,   /* depends on the attr only; also used to modify an event */
	TALLY_CHECK_ATTR,   /* depends on attr and caller; includes the FORM stage */
	TALLY_CHECK_TARGET, /* group and task are known */
	TALLY_CHECK_EVENT,  /* a PMU has accepted the event */
	TALLY_CHECK_GROUP,  /* context is known and its family locked: no sleeping */
};

/* Return the first rule violated in the stage, or NULL. */
const struct tally_core_refusal *tally_check(const struct tally_check *check,
					     enum tally_check_stage stage);

/* Return NULL if this host supports the attr. Otherwise, return the reason why this host does not
 * support the attr, or why no host does (offers.c). */
const struct tally_core_refusal *tally_check_offers(const struct tally_host_ops *ops,
						    const struct perf_event_attr *attr);

/* Permission rules (rights.c). Each function returns true if the caller lacks the permission for,
 * in this order: any event; the kernel; namespaces; physical addresses; kernel branches; all tasks
 * on a CPU; another user's task; a task that has gained privileges since it was checked; signals to
 * the task; tracepoint data. */
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
