/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_event_open(2) as a library: the functions that an embedder calls. host.h is the other half:
 * the operations that the embedder supplies.
 *
 * There are two kinds of functions. The system call API implements the calls of perf_event_open(2);
 * most of its functions take the calling task. The hooks report events on the host to the core.
 *
 * Contexts. The system call API, tally_core_fork(), tally_core_exit(), tally_core_reap(),
 * tally_core_exec() and the functions for CPUs are called with interrupts on, where the host may
 * sleep. Several tasks may run them at the same time, and each task can be preempted at any
 * instruction. They may sleep, except tally_core_poll() and where stated otherwise. All other hooks
 * are called with interrupts off on the CPU where the event happened, unless stated otherwise; they
 * neither sleep nor allocate. host.h describes the locks.
 *
 * Functions that return int return 0 or -errno unless stated otherwise; `ret_` pointers are
 * untouched on failure. `core` is never NULL unless the description of the function allows it. The
 * core prints nothing, and uses no globals, no floating point and no libc.
 *
 *	tally_core_create(&ops, machine, nr_cpus, &settings, &core);
 *	tally_core_cpu_online(core, cpu);		for each CPU
 *	tally_core_task_init(&task->perf, ...);		for each new task
 *	...
 *	tally_core_open(core, current, attr, pid, cpu, group_fd, flags, &event, NULL);
 *	tally_core_switch(core, &prev->perf, &next->perf, false);
 *	tally_core_read(core, event, buffer, size);
 *	tally_core_close(core, event);
 */
#ifndef TALLY_CORE_H
#define TALLY_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"
#include "tally/config.h"
#include "tally/host.h"
#include "tally/task.h"

/* A function may have the name of a structure; GCC warns about this in C++. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

/* ---- core and CPUs ---------------------------------------------------------------------- */

/* The counterparts of /proc/sys/kernel/perf_*. Each setting is a single word, and may be changed at
 * any time through tally_core_settings() unless noted otherwise. */
struct tally_core_settings {
	int32_t paranoid; /* perf_event_paranoid: -1 to 3 */
	/* Maximum number of samples per second for each event. Any user may open any number of
	 * cpu-clock and task-clock events, so for these the limit applies to the sum over all
	 * events of a task and to the sum over all events of a CPU. (Linux limits each of these
	 * events separately. It also suspends its timer interrupt for a while if timers are still
	 * due after three rounds.) */
	uint32_t max_sample_rate;
	uint32_t tick_ns;      /* interval between calls to tally_core_tick() */
	uint32_t mlock_kb;     /* KiB each user may lock per CPU, on top of RLIMIT_MEMLOCK */
	uint32_t max_stack;    /* maximum callchain entries, not counting context markers */
	uint32_t max_contexts; /* maximum context markers per callchain */
	uint32_t record_max;   /* maximum record size in bytes, 512 to 65,528; set at creation */
	bool scattered;        /* allocate ring buffers page by page, not in one piece */
	/* Place the metadata page directly before the data. Cannot be combined with `scattered`. */
	bool contiguous;
};

/* Fill in Linux's defaults: paranoid level 2, 100,000 samples per second, a tick of 4 ms, 516 KB,
 * 127 callchain entries with 8 context markers, records up to 65,528 bytes, and contiguous ring
 * buffer data. May be called in any context. */
void tally_core_settings_init(struct tally_core_settings *settings);

/*
 * Create a core for CPUs 0 .. nr_cpus - 1, all of them offline, and register the host's PMUs (with
 * ops->pmu_init, else tally_core_pmu_init()). `ops` and `host` must outlive the core. `settings`
 * are copied; NULL selects the defaults. record_max is rounded down to a multiple of 8 and limited
 * to its range. May sleep.
 *
 * Return 0; -ENOMEM; -EINVAL if nr_cpus is 0 or too large, if a required operation is NULL, if
 * ops->page_size is invalid, or if both scattered and contiguous are set; -ENXIO if
 * TALLY_HOST_PMU_INIT is offered but the core's tally_core_pmu_init() was linked; or the error from
 * registering the host's PMUs.
 */
int tally_core_create(const struct tally_host_ops *ops, void *host, uint32_t nr_cpus,
		      const struct tally_core_settings *settings, struct tally_core **ret_core);

/* Free the core. All events must be closed and all tasks must have exited (tally_core_close_all(),
 * tally_core_reap()). NULL is allowed. May sleep. */
void tally_core_destroy(struct tally_core *core);

/* Return the core's settings, to read them or to change single words. The settings belong to the
 * core. May be called in any context. */
struct tally_core_settings *tally_core_settings(struct tally_core *core);

/* Bring a CPU online: its events begin to count. May be called on any CPU, even before the other
 * CPUs run. Nothing happens if the CPU is already online. May sleep. Return 0; -EINVAL if `cpu` is
 * not below nr_cpus; -ENXIO if ops->call() cannot reach the CPU. */
int tally_core_cpu_online(struct tally_core *core, uint32_t cpu);

/* Take a CPU offline: its events stop and keep their counts. Its tasks must have left the CPU.
 * Called on any CPU with interrupts on, while the CPU that goes offline still serves ops->call().
 * Events of PMUs that count for several CPUs (pmu->cpu_of) move to another CPU. Only one CPU may go
 * offline or online at a time. Nothing happens if the CPU is already offline or does not exist. May
 * sleep. */
void tally_core_cpu_offline(struct tally_core *core, uint32_t cpu);

/* Return true if the CPU is online as far as the core is concerned. Return false for CPU numbers
 * that do not exist. May be called in any context. */
bool tally_core_cpu_is_online(const struct tally_core *core, uint32_t cpu);

/* ---- tasks ------------------------------------------------------------------------------ */

/* Initialize the core's part of a task and set its IDs. Must be called before any other function
 * sees the task. May be called in any context. */
void tally_core_task_init(struct tally_core_task *task, int32_t pid, int32_t tid);

/* ---- system call API -------------------------------------------------------------------- */

/* The reason why a request was rejected, for messages. The strings are constants. */
struct tally_core_refusal {
	int code; /* the -errno that was returned */
#if TALLY_CORE_REASONS
	const char *field; /* offending attr field or argument; may be "" */
	const char *rule;  /* the rule that was broken */
	const char *fix;   /* the change that would help; "" if none would */
#endif
};

/*
 * Implement perf_event_open(2). `attr` points to the calling program's memory. A shorter attr is
 * extended with zeros. If the tail of a longer attr is not zero, the call fails with -E2BIG and
 * writes the size that the core supports back to attr->size. `*ret_event` is the object to which
 * the host's new descriptor refers; release it with tally_core_close(). May sleep.
 *
 * Return 0 or an error from perf_event_open(2), for example -EFAULT if `attr` cannot be read,
 * -EBADF if `group_fd` is not an event, -ESRCH if there is no such task, -ENOENT if no PMU has the
 * event, -EACCES or -EPERM if a privilege is missing, and -ENOMEM. If `ret_why` is not NULL, it
 * receives the reason.
 */
int tally_core_open(struct tally_core *core, struct tally_core_task *current, void *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags,
		    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why);

/* Close an event after its last descriptor is closed and its last mapping is removed. If the event
 * leads a group, the members become single events. `event` is invalid afterwards. May sleep. */
void tally_core_close(struct tally_core *core, struct tally_core_event *event);

/*
 * Iterate over the open events, in the order in which they were opened, including those of
 * tally_core_event_create(). If `event` is NULL, return the first event, otherwise the one after
 * `event`; return NULL at the end. The returned event is referenced until it is passed to the next
 * call or to tally_core_event_put(). Until then it keeps its position in the list. It may be closed
 * in the meantime, but its attr can still be read. May sleep.
 *
 *	for (event = tally_core_event_next(core, NULL); event;
 *	     event = tally_core_event_next(core, event))
 */
struct tally_core_event *tally_core_event_next(struct tally_core *core,
					       struct tally_core_event *event);

/* Drop the reference taken by tally_core_event_next(), to leave the loop early. NULL is allowed.
 * May sleep. */
void tally_core_event_put(struct tally_core_event *event);

/* Close all open events before the core is destroyed, and return their number. The host releases
 * its descriptors and mappings itself, before or after this call. No other task may open or close
 * events during the call. Events that tally_core_event_next() returned may still be referenced;
 * their references must be dropped before tally_core_destroy(). May sleep. */
uint32_t tally_core_close_all(struct tally_core *core);

/* Set the pointer that ops->notify() and ops->permit() receive for this event, such as the host's
 * file. The pointer is initially NULL. May be called in any context. */
void tally_core_event_set_cookie(struct tally_core_event *event, void *cookie);

/* Return the event's current attr (PERF_EVENT_IOC_PERIOD changes it). The attr belongs to the
 * event. May be called in any context. */
const struct perf_event_attr *tally_core_event_attr(const struct tally_core_event *event);

/*
 * Implement read(2): copy the counts to user memory at `buffer`, in the format that
 * attr.read_format selects; see perf_event_open(2), "Reading results". May sleep.
 *
 * Return the number of bytes written; 0 (end of file) for a pinned event in the error state and for
 * a revoked event; -ENOSPC if `len` is too small; -EFAULT if `buffer` cannot be written; -EACCES if
 * ops->permit() forbids reading; -ENOMEM.
 */
int64_t tally_core_read(struct tally_core *core, struct tally_core_event *event, void *buffer,
			size_t len);

/*
 * Implement ioctl(2); see perf_event_open(2), "perf_event ioctl calls". `current` may be NULL for
 * requests from the kernel itself. May sleep.
 *
 * Return 0; -ENOTTY for unknown requests; -EINVAL if the request does not apply to the event or the
 * argument is invalid; -EOPNOTSUPP for modifying an event other than a breakpoint; -EBADF if the
 * argument must be an event's descriptor but is not; -EFAULT if memory at `arg` cannot be accessed;
 * -EACCES if ops->permit() forbids the request; -ENODEV if the event was revoked; -ENOMEM. If
 * `ret_why` is not NULL, it receives the reason.
 */
int tally_core_ioctl(struct tally_core *core, struct tally_core_task *current,
		     struct tally_core_event *event, unsigned long request, uintptr_t arg,
		     struct tally_core_refusal *ret_why);

/* POLLIN, POLLERR and POLLHUP with Linux's numbers. */
enum { TALLY_CORE_POLLIN = 1, TALLY_CORE_POLLERR = 8, TALLY_CORE_POLLHUP = 16 };

/* Implement poll(2). Return POLLIN once for each wakeup; POLLHUP if the event has no buffer, or if
 * its task and all tasks that inherited the event have exited; POLLERR | POLLHUP if the event is
 * pinned and in the error state, or revoked. (An exhausted REFRESH count is reported only to
 * ops->notify().) Does not sleep. */
unsigned tally_core_poll(struct tally_core *core, struct tally_core_event *event);

/* Options of tally_core_prctl(), with Linux's numbers. */
enum { TALLY_CORE_PRCTL_DISABLE = 31, TALLY_CORE_PRCTL_ENABLE = 32 };

/* Implement prctl(2) with PR_TASK_PERF_EVENTS_ENABLE or _DISABLE: enable or disable all events that
 * `current` opened, as current Linux does. May sleep. Return 0, or -EINVAL for any other option. */
int tally_core_prctl(struct tally_core *core, struct tally_core_task *current, int option);

/* ---- events of the kernel itself -------------------------------------------------------- */

/*
 * Function that the core calls at each overflow of an event instead of writing a sample. `event` is
 * the event that was created, even if one of its children overflowed. Called on the CPU where the
 * overflow happened, in the overflow interrupt: interrupts are off, and the interrupt may be one
 * that irq_save does not mask. The function must not sleep, and must not call the core. The first
 * call may happen before tally_core_event_create() has returned the event, so identify the event by
 * `arg`. Throttling, frequencies and REFRESH work as they do for samples.
 */
typedef void (*tally_core_overflow_fn)(struct tally_core_event *event,
				       const struct tally_core_sample_data *sample_data, void *arg);

/* An event's target, group and output. */
struct tally_core_event_setup {
	struct tally_core_task
		*task; /* kept alive by the caller during the call; NULL for CPU-wide events */
	int32_t cpu;   /* -1 for any CPU, in which case task must be set */
	struct tally_core_event *leader; /* group leader, kept open by the caller, or NULL */
	struct tally_core_event *output; /* owner of the output buffer; NULL for the new event */
	tally_core_overflow_fn overflow; /* NULL to write samples */
	void *overflow_arg;
};

/*
 * Create an event for the kernel itself, without a descriptor or user memory, for example for a
 * watchdog or a profiler in an RTOS. No permissions are checked. `attr` is copied. Release the
 * event with tally_core_close(). tally_core_ioctl() with a NULL `current` controls the event:
 * ENABLE, DISABLE, RESET, REFRESH. tally_core_mmap() with a NULL `current` maps it without charging
 * an account. May sleep. Return 0 or an error from tally_core_open(); if `ret_why` is not NULL, it
 * receives the reason.
 */
int tally_core_event_create(struct tally_core *core, const struct perf_event_attr *attr,
			    const struct tally_core_event_setup *setup,
			    struct tally_core_event **ret_event,
			    struct tally_core_refusal *ret_why);

/* An event's counts. */
struct tally_core_counts {
	uint64_t value;
	uint64_t enabled, running; /* ns */
};

/* Read the counts of an event and its children. May sleep. Return 0; -ENOSPC if the event is pinned
 * and no counter was available for it; -ENODEV if the event was revoked. */
int tally_core_event_read(struct tally_core *core, struct tally_core_event *event,
			  struct tally_core_counts *ret_counts);

/* Redirect the event's output as PERF_EVENT_IOC_SET_OUTPUT does, except that the target is given as
 * an object. If `target` is NULL, no records are written. May sleep. Return 0; -EINVAL if the event
 * has a buffer of its own, if `target` has no buffer, or if the two events differ in CPU, clock or
 * direction; -ENOMEM. If `ret_why` is not NULL, it receives the reason. */
int tally_core_event_set_output(struct tally_core *core, struct tally_core_event *event,
				struct tally_core_event *target,
				struct tally_core_refusal *ret_why);

struct tally_core_buffer;

/*
 * Take the next record from a buffer that was mapped writable, and copy it to `to`, which has space
 * for `len` bytes. Only one reader may use a buffer at a time. May be called in any context except
 * the overflow interrupt.
 *
 * Return the size of the record; 0 if there is no record; -ENOSPC if the record is longer than
 * `len` (it stays in the buffer); -EINVAL if the buffer does not contain a valid record at
 * data_tail because another writer changed the buffer. In that case the buffer's entire contents
 * are dropped.
 */
int64_t tally_core_buffer_read(struct tally_core_buffer *buffer, void *to, size_t len);

/* ---- classic ABI ------------------------------------------------------------------------ */

/* tally/classic.h translates the calls of the 2009 design document to current calls. The next two
 * functions have no current counterpart. */

#if TALLY_CORE_CLASSIC
/* Start writing MUNMAP records for the event and for events inherited from it. The records are laid
 * out like MMAP records, with type TALLY_CLASSIC_CORE_MUNMAP. This cannot be undone. May sleep. */
void tally_core_event_emit_munmap(struct tally_core *core, struct tally_core_event *event);

/* Implement prctl(2) as the design document defines it: enable or disable the group leaders that
 * are attached to `current`, no matter which task opened them, but not events that `current` opened
 * on other tasks. May sleep. Return 0, or -EINVAL for any other option. */
int tally_core_prctl_attached(struct tally_core *core, struct tally_core_task *current, int option);
#endif

/* ---- mapping ---------------------------------------------------------------------------- */

/*
 * Implement mmap(2) for an event. `len` is the size of 1 + 2^n pages, and `pgoff` is 0. (If pages
 * are smaller than struct perf_event_mmap_page, the metadata takes more than one page; see
 * tally_core_mmap_size().) The first mapping creates the buffer; further mappings must have the
 * same length. `writable` means that the program may write data_tail; otherwise the buffer is
 * overwritten. The pages are charged to `current`, or to no account if `current` is NULL. Apart
 * from ops->permit(), no permission but the open descriptor is needed. Each successful call is
 * paired with one tally_core_munmap(). May sleep.
 *
 * Return 0; -EINVAL if the length or offset is wrong, if the buffer already exists with a different
 * length, if attr.inherit is set and the event counts on all CPUs, or if the event can move between
 * CPUs (pmu->cpu_of); -EBUSY if the event writes to another event's buffer
 * (PERF_EVENT_IOC_SET_OUTPUT); -EPERM if the locked-memory limit would be exceeded; -EACCES if
 * ops->permit() forbids mapping; -ENODEV if the event was revoked; -ENOMEM. If `ret_why` is not
 * NULL, it receives the reason.
 */
int tally_core_mmap(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_event *event, size_t len, uint64_t pgoff, bool writable,
		    struct tally_core_buffer **ret_buffer, struct tally_core_refusal *ret_why);

/* Return the number of bytes to map for a ring buffer with `data_len` bytes of data plus the
 * metadata. `data_len` is 0 or a power-of-two number of pages, in bytes. May be called in any
 * context. */
size_t tally_core_mmap_size(const struct tally_core *core, size_t data_len);

/* Release one mapping made by tally_core_mmap(). Releasing the last mapping detaches the buffer
 * from all events that write to it, and interrupts the CPUs that may still be writing to it
 * (ops->call()). May sleep. */
void tally_core_munmap(struct tally_core *core, struct tally_core_event *event,
		       struct tally_core_buffer *buffer);

/*
 * Return the page at `index` of a mapping, or NULL beyond its end. Page 0 is the metadata page
 * (struct perf_event_mmap_page), which continues on the next pages if it is larger than a page. In
 * that case the data begins at index data_offset / page_size, otherwise at index 1. The result is
 * page-aligned memory from ops->pages_alloc().
 *
 * With settings.contiguous the whole mapping is one piece of memory. On a machine without an MMU, a
 * program then finds the data at data_offset from the page, as in a mapping. Otherwise the metadata
 * is separate from the data, and the data is one piece unless settings.scattered is set.
 *
 * On 32-bit machines data_head is written in two halves; read it until two consecutive reads agree.
 * data_tail may be written in halves, too; if the reader is interrupted between the two writes, the
 * ring buffer may temporarily look full. tally_core_buffer_read() handles both. May be called in
 * any context.
 */
void *tally_core_buffer_page(const struct tally_core_buffer *buffer, size_t index);

/* ---- hooks ------------------------------------------------------------------------------ */

/* The first member of every core. Private; declared here for tally_core_is_watched(). */
struct tally_core_watch {
	uint32_t users; /* nonzero if an event is open or a task that had one still exists */
};

/*
 * Return true if the host must report its activity to the core. Frequent hooks check this first, so
 * that without events they cost only one load and one branch. Always true if the host has no
 * running() operation, because the core must then keep track of the running task. May be called in
 * any context.
 */
static inline bool tally_core_is_watched(const struct tally_core *core)
{
	return __atomic_load_n(&((const struct tally_core_watch *)(const void *)core)->users,
			       __ATOMIC_RELAXED);
}

struct tally_core_mapping;
struct tally_core_tracepoint;

/* The bodies of the inline hooks below. Call the hooks instead. */
/* The body of tally_core_switch(). */
void tally_core_watched_switch(struct tally_core *core, struct tally_core_task *prev,
			       struct tally_core_task *next, bool preempt);
/* The body of tally_core_tick(). */
void tally_core_watched_tick(struct tally_core *core,
			     const struct tally_core_sample_data *sample_data);
/* The body of tally_core_comm(). */
void tally_core_watched_comm(struct tally_core *core, struct tally_core_task *task,
			     const char *comm, bool exec);
/* The body of tally_core_mapped(). */
void tally_core_watched_mapped(struct tally_core *core, struct tally_core_task *task,
			       const struct tally_core_mapping *mapping, bool unmapped);
/* The body of tally_core_software(). */
void tally_core_watched_software(struct tally_core *core, uint32_t id, uint64_t nr,
				 const struct tally_core_sample_data *sample_data);
/* The body of tally_core_tracepoint_hit(). */
void tally_core_watched_tracepoint_hit(struct tally_core *core,
				       const struct tally_core_tracepoint *tracepoint,
				       const void *raw, uint32_t len,
				       const struct tally_core_sample_data *sample_data);

/*
 * Report that the CPU switches from `prev` to `next`. NULL means a task without events, and may be
 * passed for the idle task. `preempt` means that `prev` could have continued to run. Called on the
 * CPU that switches, with interrupts off. The cost depends on the events of the two tasks.
 *
 * Every switch must be reported. A repeated report, or a report of a switch from a task to itself,
 * has no effect. If a reported switch does not take place after all, the next report corrects this.
 * The core remembers the last `next` for each CPU; `prev` is used only if the last `next` was NULL.
 */
static inline void tally_core_switch(struct tally_core *core, struct tally_core_task *prev,
				     struct tally_core_task *next, bool preempt)
{
	if (tally_core_is_watched(core))
		tally_core_watched_switch(core, prev, next, preempt);
}

/* Rotate groups, adapt frequencies and end throttling. Called once per settings.tick_ns on each
 * CPU, with interrupts off. `sample_data` describes what the tick interrupted. */
static inline void tally_core_tick(struct tally_core *core,
				   const struct tally_core_sample_data *sample_data)
{
	if (tally_core_is_watched(core))
		tally_core_watched_tick(core, sample_data);
}

/* Report that the deadline of ops->timer() has been reached. Called on the timer's CPU with
 * interrupts off; `sample_data` describes what the timer interrupted. A call that is too early only
 * sets the timer again. */
void tally_core_timer(struct tally_core *core, const struct tally_core_sample_data *sample_data);

/* Do the work for which ops->defer() was called, on the same CPU: notify pollers, send signals, and
 * disable events that used up their REFRESH count. Called with interrupts off, outside the overflow
 * interrupt. */
void tally_core_deferred(struct tally_core *core);

/* Report that `current` creates `child`: a new process if `process` is set, otherwise a thread of
 * the same process. Both tasks must have been initialized with tally_core_task_init(); this
 * includes the boot task and the idle tasks if they create tasks. The child must not run yet, and
 * task_get() must not find it. If the child cannot be started after all, call tally_core_exit() for
 * it. May sleep. No lock is taken if `current` has no events. Return 0; -ENOMEM; -EBUSY if an event
 * has already been opened on the child. On failure nothing is inherited. */
int tally_core_fork(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_task *child, bool process);

/* Report that `task` exits. It is either the running task, or a task that is not running and to
 * which no CPU switches during the call. The counts of its inherited events are added to the
 * original events. May sleep. After the call the core does not use the task any longer. The host
 * must keep the task in memory until the CPU on which it last ran has reported a switch to another
 * task. */
void tally_core_exit(struct tally_core *core, struct tally_core_task *task);

/* Like tally_core_exit(), but for a task in any state, and without sleeping or using ops->call().
 * May be called with interrupts off, in a critical section, and for a task that is running on
 * another CPU. Return true if the task left events for tally_core_reap(); until tally_core_reap()
 * is called, the counts of the task's inherited events are not included in the original events. The
 * host may free `task` under the same condition as after tally_core_exit(). If the task was inside
 * a call to the core, it must stay in memory until that call has returned. */
bool tally_core_end(struct tally_core *core, struct tally_core_task *task);

/* Destroy the events that tally_core_end() left over. Must be called before tally_core_destroy().
 * If there are such events, ops->call() interrupts every online CPU. May sleep. */
void tally_core_reap(struct tally_core *core);

/* Report that the running task `task` has executed another program, and handle enable_on_exec and
 * remove_on_exec. `privileged` means that the new program has more privileges than its caller. In
 * this case all events attached to the task stop permanently, but their counts stay readable;
 * per-CPU events continue. May sleep. */
void tally_core_exec(struct tally_core *core, struct tally_core_task *task, bool privileged);

/* Report that the name of the running task `task` changed to `comm`. `exec` is true if the change
 * is part of an exec. Called with interrupts off. */
static inline void tally_core_comm(struct tally_core *core, struct tally_core_task *task,
				   const char *comm, bool exec)
{
	if (tally_core_is_watched(core))
		tally_core_watched_comm(core, task, comm, exec);
}

/* A mapping of a task, for MMAP and MMAP2 records. */
struct tally_core_mapping {
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	bool executable;       /* if false, reported only with attr.mmap_data */
	uint8_t build_id_size; /* size of build_id in bytes; 0 if unknown */
	uint8_t build_id[20];
	const char *filename;
};

/* Report that the running task `task` created a mapping or, if `unmapped` is set, removed one.
 * Removals are reported only to events of the classic ABI. Called with interrupts off; `mapping` is
 * read only during the call. */
static inline void tally_core_mapped(struct tally_core *core, struct tally_core_task *task,
				     const struct tally_core_mapping *mapping, bool unmapped)
{
	if (tally_core_is_watched(core))
		tally_core_watched_mapped(core, task, mapping, unmapped);
}

/* Report that the running task `task` is now in these namespaces. `links` has `nr` = 7 entries, in
 * Linux's order: net, uts, ipc, pid, user, mnt, cgroup. Called with interrupts off. */
void tally_core_namespaces(struct tally_core *core, struct tally_core_task *task,
			   const struct perf_ns_link_info *links, uint32_t nr);

/* Report, for KSYMBOL records, that kernel code named `name` was added at `addr`, or removed if
 * `gone` is set. `type` is PERF_RECORD_KSYMBOL_TYPE_*, `len` is in bytes. Called with interrupts
 * off. */
void tally_core_ksymbol(struct tally_core *core, uint64_t addr, uint32_t len, uint16_t type,
			bool gone, const char *name);

/* Report, for TEXT_POKE records, that kernel code at `addr` is about to change from `before` to
 * `after`. Both lengths must be below 65,536 bytes; otherwise nothing is recorded. A record is also
 * omitted if it does not fit into settings.record_max. For hosts that offer TALLY_HOST_TEXT_POKE.
 * Called with interrupts off. */
void tally_core_text_poke(struct tally_core *core, uint64_t addr, const void *before,
			  uint32_t before_len, const void *after, uint32_t after_len);

/* Report that a BPF program was loaded or unloaded (`type` is PERF_BPF_EVENT_*). `id` is the
 * program's ID and `tag` its 8-byte tag. For hosts that offer TALLY_HOST_BPF. Called with
 * interrupts off. */
void tally_core_bpf(struct tally_core *core, uint16_t type, uint32_t id, const uint8_t *tag);

/* Report that the cgroup at `path` was created. `id` is the cgroup's ID as returned by
 * ops->cgroup(). For hosts that offer TALLY_HOST_CGROUP. Called with interrupts off. */
void tally_core_cgroup(struct tally_core *core, uint64_t id, const char *path);

/* Report `nr` software events of kind `id` (PERF_COUNT_SW_*) in the running task: page faults,
 * alignment faults or emulation faults. Unknown IDs are ignored. The core itself always counts
 * cpu-clock and task-clock, and also context switches and migrations unless the host offers
 * TALLY_HOST_REPORTS_SWITCHES. Called with interrupts off on the CPU where the events happened. */
static inline void tally_core_software(struct tally_core *core, uint32_t id, uint64_t nr,
				       const struct tally_core_sample_data *sample_data)
{
	if (tally_core_is_watched(core))
		tally_core_watched_software(core, id, nr, sample_data);
}

/* ---- tracepoints ------------------------------------------------------------------------ */

/* A field of a tracepoint's raw data that filters can name. */
struct tally_core_field {
	const char *name;
	uint16_t offset, size; /* in bytes, in the raw data; integers have size 1, 2, 4 or 8 */
	bool is_signed;
	bool is_string; /* NUL-terminated within size bytes */
};

/* A tracepoint. It belongs to the host and is constant except for the private fields. */
struct tally_core_tracepoint {
	const char *system, *name;
	uint64_t id;                           /* attr.config; unique */
	const struct tally_core_field *fields; /* the fields that filters can name */
	uint32_t nr_fields;
	/* The task that hits the tracepoint already knows the tracepoint's data, as with a system
	 * call. Unprivileged users may therefore request PERF_SAMPLE_RAW for their own tasks. */
	bool about_own_task;
	/* Private to the core, zero until registered. */
	uint32_t users; /* references held by its events and by lookups in progress */
	bool leaving;
	struct tally_core_tracepoint *next;
};

/* Register a tracepoint, which must stay valid until it is unregistered or the core is destroyed.
 * May be called by any task, with interrupts on or off. Return 0; -EEXIST if its id or its name is
 * taken; -EBUSY if unregistering it has begun but not finished; -EOPNOTSUPP if
 * TALLY_CORE_TRACEPOINTS is 0. */
int tally_core_tracepoint_register(struct tally_core *core,
				   struct tally_core_tracepoint *tracepoint);

/* Unregister a tracepoint that can no longer be hit. Its open events are revoked, as described for
 * tally_core_pmu_unregister(). May sleep. Return 0; -ENOENT if the tracepoint is not registered;
 * -EBUSY if one of its events is being opened or closed (call again later). */
int tally_core_tracepoint_unregister(struct tally_core *core,
				     struct tally_core_tracepoint *tracepoint);

/* Return the tracepoint with this system and name, or NULL. The caller must prevent the host from
 * unregistering it. May be called by any task, with interrupts on or off. */
const struct tally_core_tracepoint *
tally_core_tracepoint_find(struct tally_core *core, const char *system, const char *name);

/* Report that the running task hit `tracepoint`, with `len` bytes of raw data at `raw`. Called with
 * interrupts off; `raw` and `sample_data` are read only during the call. */
static inline void tally_core_tracepoint_hit(struct tally_core *core,
					     const struct tally_core_tracepoint *tracepoint,
					     const void *raw, uint32_t len,
					     const struct tally_core_sample_data *sample_data)
{
	if (tally_core_is_watched(core))
		tally_core_watched_tracepoint_hit(core, tracepoint, raw, len, sample_data);
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
