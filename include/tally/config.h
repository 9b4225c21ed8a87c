/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compile-time switches that leave parts of the core out, for hosts with little memory. The core
 * and the host must be compiled with the same defines. Each switch is 1 unless it is defined as 0.
 * TALLY_CORE_SMALL changes the default to 0 for every switch that is not defined. Requests for a
 * part that was left out fail, and its hooks do nothing; see docs/internals/porting.md.
 */
#ifndef TALLY_CONFIG_H
#define TALLY_CONFIG_H

#ifdef TALLY_CORE_SMALL
#define TALLY_CORE_DEFAULT 0
#else
#define TALLY_CORE_DEFAULT 1
#endif

/* Event inheritance by child tasks. When off, attr.inherit fails with -EOPNOTSUPP. */
#ifndef TALLY_CORE_INHERITANCE
#define TALLY_CORE_INHERITANCE TALLY_CORE_DEFAULT
#endif

/* Tracepoints and their filters. When off, PERF_TYPE_TRACEPOINT fails with -ENOENT; registering a
 * tracepoint and PERF_EVENT_IOC_SET_FILTER fail with -EOPNOTSUPP. */
#ifndef TALLY_CORE_TRACEPOINTS
#define TALLY_CORE_TRACEPOINTS TALLY_CORE_DEFAULT
#endif

/* Records of task activity, such as COMM, MMAP, FORK, EXIT and SWITCH. LOST, THROTTLE and READ
 * remain. When off, the attr bits that request these records fail with -EOPNOTSUPP. */
#ifndef TALLY_CORE_SIDEBAND
#define TALLY_CORE_SIDEBAND TALLY_CORE_DEFAULT
#endif

/* Sample fields other than the single-word fields that the core fills in itself. This includes
 * READ, CALLCHAIN, RAW, registers, stack, branches, weights and everything that the host provides,
 * as well as clocks other than the core's (attr.use_clockid). When off, requests for these fail
 * with -EOPNOTSUPP. */
#ifndef TALLY_CORE_SAMPLE_PARTS
#define TALLY_CORE_SAMPLE_PARTS TALLY_CORE_DEFAULT
#endif

/* Sampling at a frequency, with a period that the core adapts. When off, attr.freq fails with
 * -EOPNOTSUPP, even for cpu-clock and task-clock. */
#ifndef TALLY_CORE_FREQUENCIES
#define TALLY_CORE_FREQUENCIES TALLY_CORE_DEFAULT
#endif

/* Debugger support: a signal at each overflow (attr.sigtrap), and changing a breakpoint while it is
 * open. When off, attr.sigtrap fails with -EOPNOTSUPP and PERF_EVENT_IOC_MODIFY_ATTRIBUTES with
 * -ENOTTY. */
#ifndef TALLY_CORE_TRAPS
#define TALLY_CORE_TRAPS TALLY_CORE_DEFAULT
#endif

/* Support for unprivileged users: permission checks, locked-memory limits, security modules and
 * namespaces. When off, everything is permitted, locked pages are not accounted, and the operations
 * capable, may_observe, may_trap, permit, ids and memlock_limit are not called. */
#ifndef TALLY_CORE_USERS
#define TALLY_CORE_USERS TALLY_CORE_DEFAULT
#endif

/* Counters that user space reads through the metadata page (TALLY_PMU_USER_READ). When off, the
 * metadata page describes only the ring buffer, and its fields mark the counter as not readable. */
#ifndef TALLY_CORE_SELF_READ
#define TALLY_CORE_SELF_READ TALLY_CORE_DEFAULT
#endif

/* Software events: context switches, migrations, page faults. When off, PERF_TYPE_SOFTWARE supports
 * only cpu-clock and task-clock, and its other events fail with -ENOENT. tally_core_software() and
 * tally_core_hw_count() do nothing. */
#ifndef TALLY_CORE_SOFTWARE_EVENTS
#define TALLY_CORE_SOFTWARE_EVENTS (TALLY_CORE_DEFAULT || TALLY_CORE_TRACEPOINTS)
#endif

#if TALLY_CORE_TRACEPOINTS && !TALLY_CORE_SOFTWARE_EVENTS
#error "TALLY_CORE_TRACEPOINTS requires TALLY_CORE_SOFTWARE_EVENTS"
#endif

/* Storage of the whole attr in each event. When off, only its first 72 bytes (up to config2,
 * PERF_ATTR_SIZE_VER1) are stored and attr->size reflects that. An attr with later fields set fails
 * with -EOPNOTSUPP. */
#ifndef TALLY_CORE_WHOLE_ATTR
#define TALLY_CORE_WHOLE_ATTR (TALLY_CORE_DEFAULT || TALLY_CORE_SAMPLE_PARTS || TALLY_CORE_TRAPS)
#endif

#if !TALLY_CORE_WHOLE_ATTR && (TALLY_CORE_SAMPLE_PARTS || TALLY_CORE_TRAPS)
#error "TALLY_CORE_SAMPLE_PARTS and TALLY_CORE_TRAPS require TALLY_CORE_WHOLE_ATTR"
#endif

/* Messages that explain why a request was rejected. When off, struct tally_core_refusal contains
 * only the error code. */
#ifndef TALLY_CORE_REASONS
#define TALLY_CORE_REASONS TALLY_CORE_DEFAULT
#endif

/* Functions that the classic ABI (tally/classic.h) needs from the core. When off,
 * tally_core_event_emit_munmap() and tally_core_prctl_attached() do not exist. */
#ifndef TALLY_CORE_CLASSIC
#define TALLY_CORE_CLASSIC TALLY_CORE_DEFAULT
#endif

/* Any number of CPUs. When off, there is one CPU: locks never spin, tally_core_create() fails with
 * -EINVAL for more CPUs, and ops->call and ops->task_cpu are not used. ops->relax is called only
 * while the core waits for deferred work. */
#ifndef TALLY_CORE_SEVERAL_CPUS
#define TALLY_CORE_SEVERAL_CPUS TALLY_CORE_DEFAULT
#endif

/* Any number of PMUs. When off, the host can register only one; registering a second one fails with
 * -ENOSPC. */
#ifndef TALLY_CORE_SEVERAL_PMUS
#define TALLY_CORE_SEVERAL_PMUS TALLY_CORE_DEFAULT
#endif

/* Maximum nesting depth of records on one CPU: in a task, a soft interrupt, a hard interrupt and
 * the overflow interrupt. A record beyond this depth is dropped and counted as lost. Each level
 * takes twice settings.record_max bytes. */
#ifndef TALLY_CORE_NESTING
#define TALLY_CORE_NESTING (TALLY_CORE_DEFAULT ? 4 : 2)
#endif

/* Hash buckets per CPU for finding tracepoint events by id. */
#ifndef TALLY_CORE_BUCKETS
#define TALLY_CORE_BUCKETS (TALLY_CORE_TRACEPOINTS ? 32 : 1)
#endif

#endif
