/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of the core is built, for hosts that are short of memory: the same defines for the core and
 * for the host. Each is 1 unless it is defined as 0; TALLY_CORE_SMALL turns all of them off that
 * are not defined as 1. What is off refuses, and its hooks do nothing; docs/howto-port.md says what
 * is left.
 */
#ifndef TALLY_CONFIG_H
#define TALLY_CONFIG_H

#ifdef TALLY_CORE_SMALL
#define TALLY_CORE_DEFAULT 0
#else
#define TALLY_CORE_DEFAULT 1
#endif

/* Events that children of a task inherit. Off: attr.inherit is -EOPNOTSUPP. */
#ifndef TALLY_CORE_INHERITANCE
#define TALLY_CORE_INHERITANCE TALLY_CORE_DEFAULT
#endif

/* Tracepoints and their filters. Off: PERF_TYPE_TRACEPOINT is -ENOENT, registering a tracepoint and
 * IOC_SET_FILTER are -EOPNOTSUPP. */
#ifndef TALLY_CORE_TRACEPOINTS
#define TALLY_CORE_TRACEPOINTS TALLY_CORE_DEFAULT
#endif

/* Records of what tasks do: COMM, MMAP, FORK, EXIT, SWITCH and so on; LOST, THROTTLE and READ stay.
 * Off: the bits of the attr that ask for them are -EOPNOTSUPP. */
#ifndef TALLY_CORE_SIDEBAND
#define TALLY_CORE_SIDEBAND TALLY_CORE_DEFAULT
#endif

/* Of samples, what is not one word that the core knows: READ, CALLCHAIN, RAW, registers, stack,
 * branches, weights and what the host works out; and clocks other than the core's (use_clockid).
 * Off: they are -EOPNOTSUPP. */
#ifndef TALLY_CORE_SAMPLE_PARTS
#define TALLY_CORE_SAMPLE_PARTS TALLY_CORE_DEFAULT
#endif

/* Rates of samples, whose periods the core finds out. Off: attr.freq is -EOPNOTSUPP, of clocks too.
 */
#ifndef TALLY_CORE_FREQUENCIES
#define TALLY_CORE_FREQUENCIES TALLY_CORE_DEFAULT
#endif

/* What debuggers ask for: a signal at each overflow (attr.sigtrap), and breakpoints that are
 * changed while they are open. Off: attr.sigtrap is -EOPNOTSUPP, IOC_MODIFY_ATTRIBUTES -ENOTTY. */
#ifndef TALLY_CORE_TRAPS
#define TALLY_CORE_TRAPS TALLY_CORE_DEFAULT
#endif

/* Users who may not everything: rights, limits of locked memory, a security module, namespaces.
 * Off: everybody may everything, nobody pays, and capable, may_observe, may_trap, permit, ids and
 * memlock_limit are not used. */
#ifndef TALLY_CORE_USERS
#define TALLY_CORE_USERS TALLY_CORE_DEFAULT
#endif

/* Counters that programs read by themselves, by the page of their mapping (TALLY_PMU_USER_READ).
 * Off: the page has what a ring needs, and says that there is no such counter. */
#ifndef TALLY_CORE_SELF_READ
#define TALLY_CORE_SELF_READ TALLY_CORE_DEFAULT
#endif

/* Events of software: context switches, migrations, page faults. Off: of PERF_TYPE_SOFTWARE there
 * are the two clocks, others are -ENOENT; tally_core_software() and tally_core_hw_happen() do
 * nothing. */
#ifndef TALLY_CORE_SOFTWARE_EVENTS
#define TALLY_CORE_SOFTWARE_EVENTS (TALLY_CORE_DEFAULT || TALLY_CORE_TRACEPOINTS)
#endif

#if TALLY_CORE_TRACEPOINTS && !TALLY_CORE_SOFTWARE_EVENTS
#error "tracepoints are software events"
#endif

/* The whole attr in each event. Off: its first 72 bytes, to config2, as the oldest ABI but one had
 * them, and attr->size says so; an attr with anything behind them is -EOPNOTSUPP. */
#ifndef TALLY_CORE_WHOLE_ATTR
#define TALLY_CORE_WHOLE_ATTR (TALLY_CORE_DEFAULT || TALLY_CORE_SAMPLE_PARTS || TALLY_CORE_TRAPS)
#endif

#if !TALLY_CORE_WHOLE_ATTR && (TALLY_CORE_SAMPLE_PARTS || TALLY_CORE_TRAPS)
#error "parts of samples and traps need the whole attr"
#endif

/* Why something was refused, in words. Off: struct tally_core_refusal has its code alone. */
#ifndef TALLY_CORE_REASONS
#define TALLY_CORE_REASONS TALLY_CORE_DEFAULT
#endif

/* What the classic encoding needs of the core. Off: tally_core_event_emit_munmap() and
 * tally_core_prctl_attached() are not there. */
#ifndef TALLY_CORE_CLASSIC
#define TALLY_CORE_CLASSIC TALLY_CORE_DEFAULT
#endif

/* Any number of CPUs. Off: one, so that no lock spins and none is called: a core for more is
 * -EINVAL, and ops->call and task_cpu are not used; relax only while something that was put off is
 * waited for. */
#ifndef TALLY_CORE_SEVERAL_CPUS
#define TALLY_CORE_SEVERAL_CPUS TALLY_CORE_DEFAULT
#endif

/* As many PMUs as the host has. Off: one; a second one is -ENOSPC. */
#ifndef TALLY_CORE_SEVERAL_PMUS
#define TALLY_CORE_SEVERAL_PMUS TALLY_CORE_DEFAULT
#endif

/* Records that are made one inside the other on one CPU: those of a task, of soft and hard
 * interrupts, and of the overflow interrupt. A deeper one is lost, and counted. Each takes twice
 * settings.record_max. */
#ifndef TALLY_CORE_NESTING
#define TALLY_CORE_NESTING (TALLY_CORE_DEFAULT ? 4 : 2)
#endif

/* Lists of each CPU that tracepoint events are found in, by id. */
#ifndef TALLY_CORE_BUCKETS
#define TALLY_CORE_BUCKETS (TALLY_CORE_TRACEPOINTS ? 32 : 1)
#endif

#endif
