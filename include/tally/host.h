/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface that a host implements to run the core. A host is a kernel, an RTOS, a simulator or
 * a process. docs/internals/porting.md is the guide to this file. core.h declares the functions
 * that the host calls.
 *
 * A host fills in one struct tally_host_ops, embeds a struct tally_core_task in its task structure,
 * calls the hooks of core.h from the corresponding places, and describes its counters with one
 * struct tally_core_pmu per PMU. A host without counters does not need a PMU: the software events
 * need only its clock and its timer.
 *
 * Contexts. "Interrupts off" means: between irq_save and irq_restore on a CPU, neither a hook nor a
 * function passed to call() runs on that CPU. The overflow interrupt may be one that irq_save does
 * not mask (an NMI). tally_core_hw_overflow() therefore takes no lock, changes nothing that the
 * interrupted code relies on, and defers the work that it cannot do there.
 *
 * Locks are taken in this order:
 *
 *	1. the host's address space locks (held in mmap handlers) and descriptor table locks
 *	2. one lock created by lock_new()
 *	3. the core's spin locks, with interrupts off, for a few instructions
 *	4. the locks that the host takes inside the "Off" and "Any" operations below
 *
 * The table below lists where the core calls each operation, which determines what the operation
 * may do:
 *
 * - Sleeping: interrupts are on and no core lock is held. The operation may wait, fault on user
 *   memory, allocate, and take any lock that its caller does not hold.
 * - Locked: interrupts are on, and one lock created by lock_new() may be held.
 * - Off: interrupts are off, and core spin locks may be held. The operation must not wait, except
 *   for a host spin lock. The host must not hold that lock while it calls the core, except across
 *   tally_core_switch() (see task_cpu).
 * - Any: like Off, but also called in the overflow interrupt.
 *
 *	Sleeping  alloc free pages_alloc pages_free lock_new lock_free lock task_get task_put
 *	          event_of_fd capable may_observe may_trap permit memlock_limit copy_from_user
 *	          copy_to_user pmu_init; a driver's init() check() forget()
 *	Locked    unlock call task_cpu clock_of; a driver's fits() inherit() cpu_of()
 *	Off       irq_save irq_restore timer notify sigtrap here relax clock_params running; a
 *	          driver's add() del() begin() commit() cancel() pause() resume() user_index()
 *	          modify()
 *	Any       this_cpu defer clock clock_of ids callchain registers stack physical
 *	          page_size_of cgroup; a driver's start() stop() read()
 *
 * Sleeping and Locked operations run in the task that called the core. A preemptible kernel can
 * preempt the task there, and several tasks can be in these operations at the same time.
 *
 * Functions declared here return 0 or -errno unless stated otherwise. The functions that register
 * and unregister PMUs may sleep and may be called by several tasks at the same time. The functions
 * for drivers (tally_core_hw_*) are called on the event's CPU with interrupts off; their comments
 * state which of them the overflow interrupt may call.
 */
#ifndef TALLY_HOST_H
#define TALLY_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"
#include "tally/task.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tally_core;
struct tally_core_event;
struct tally_core_pmu_cpu;
struct tally_core_task;

/* ---- sample data ------------------------------------------------------------------------ */

/* The state of the processor when an event occurred. The host fills it in on its stack; the core
 * reads it only during the call. */
struct tally_core_sample_data {
	uint64_t ip;
	uint64_t addr; /* data address; 0 if unknown */
	/* PERF_RECORD_MISC_KERNEL, USER, HYPERVISOR, GUEST_KERNEL or GUEST_USER. On a CPU without a
	 * user mode, USER is an interrupted thread and KERNEL an interrupted handler. */
	uint16_t mode;
	bool exact_ip; /* ip is the instruction that caused the event */
	bool idle;     /* the idle task was running */
	/* Opaque host pointer, passed back to callchain(), registers() and stack(). NULL in samples
	 * of context switches and migrations if here() is NULL or does not set it. */
	void *regs;
	/* Provided by the PMU, otherwise 0. */
	uint64_t weight, data_src, transaction;
	const struct perf_branch_entry *branches;
	const uint64_t *branch_counters; /* one word per branch; NULL to write zeros */
	uint32_t nr_branches;
};

/* ---- time conversion in user space ------------------------------------------------------ */

/* Parameters with which user space converts its cycle counter to the core's clock; see time_mult,
 * time_shift and time_zero in perf_event_open(2). */
struct tally_core_clock_params {
	bool valid; /* false if user space cannot convert its cycle counter */
	uint32_t mult;
	uint16_t shift;
	uint64_t zero;
};

/* ---- operations ------------------------------------------------------------------------- */

/* The kind of access that permit() allows or denies. */
enum tally_host_access { TALLY_HOST_OPEN, TALLY_HOST_READ, TALLY_HOST_WRITE };

/* The operations that a host supplies. `host` is the pointer that was passed to
 * tally_core_create(). An operation is required unless its comment mentions NULL. */
struct tally_host_ops {
	/* Allocate `size` bytes of zeroed memory, aligned for any type. Return NULL if there is no
	 * memory. */
	void *(*alloc)(void *host, size_t size);
	/* Free memory returned by alloc(). `size` is the size that was requested; `memory` is never
	 * NULL. */
	void (*free)(void *host, void *memory, size_t size);

	/* Allocate `nr` contiguous zeroed pages, page-aligned, that user space can map. Return NULL
	 * if there is no memory. With settings.scattered the core requests one page at a time, and
	 * the pages may be anywhere. This suits a host without large contiguous memory, or with a
	 * D-cache that requires the kernel's and the user's mapping of a page to have the same
	 * color. */
	void *(*pages_alloc)(void *host, size_t nr);
	/* Free `nr` pages that one call to pages_alloc() returned. */
	void (*pages_free)(void *host, void *pages, size_t nr);

	/* Create a non-recursive lock on which a task can sleep. Return NULL if there is no memory.
	 * The core creates one for each CPU and one for each task that gets its first event; the
	 * task's descendants share it. The core holds at most one at a time, so a host may always
	 * return the same lock. */
	void *(*lock_new)(void *host);
	/* Free a lock created by lock_new(). */
	void (*lock_free)(void *host, void *lock);
	/* Take a lock created by lock_new(); sleep while another task holds it. */
	void (*lock)(void *host, void *lock);
	/* Release a lock. */
	void (*unlock)(void *host, void *lock);

	/* Turn interrupts off on this CPU and return their previous state. Calls nest. */
	uintptr_t (*irq_save)(void *host);
	/* Restore the state that the matching irq_save() returned. */
	void (*irq_restore)(void *host, uintptr_t flags);

	/* Return the number of the current CPU, which is less than the number passed to
	 * tally_core_create(). The result must stay valid while interrupts are off. */
	uint32_t (*this_cpu)(void *host);

	/* Run fn(arg) on `cpu` with interrupts off, and return after fn has returned. This takes an
	 * IPI, or a plain call if `cpu` is the current CPU. Several CPUs may make calls at the same
	 * time, even to each other, so a waiting CPU has interrupts on and serves incoming calls.
	 * The operation must not wait for a task to be scheduled, or for a lock that is held across
	 * one of the hooks. Return 0, or -ENXIO if that CPU is offline. */
	int (*call)(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg);

	/* Arrange for tally_core_deferred() to be called on this CPU soon, with interrupts off but
	 * outside the overflow interrupt. This operation may be called in any context, including
	 * the overflow interrupt. One call to tally_core_deferred() serves all requests made before
	 * it. A good place for that call is the interrupt that performs a switch, before the next
	 * task is chosen, because notify() can make tasks ready. */
	void (*defer)(void *host);

	/* Hint that the CPU is in a busy-wait loop. NULL is allowed. */
	void (*relax)(void *host);

	/* Return the time in nanoseconds: monotonic, and the same on all CPUs as far as the
	 * hardware permits. Called in any context, including the overflow interrupt. A hardware
	 * counter with fewer than 64 bits must therefore be extended without a lock
	 * (docs/internals/porting.md, section 6). */
	uint64_t (*clock)(void *host);

	/* Read the clock that attr.clockid selects, for records of use_clockid events. Return false
	 * if there is no such clock or if it cannot be read in an interrupt. NULL if the host has
	 * no clocks other than clock(). */
	bool (*clock_of)(void *host, int32_t clockid, uint64_t *ret_ns);

	/* Return the conversion parameters for user space. NULL if user space cannot convert cycles
	 * to time. */
	void (*clock_params)(void *host, struct tally_core_clock_params *ret_params);

	/* Arrange for tally_core_timer() to be called on this CPU when clock() reaches `deadline`,
	 * in place of the previous deadline; UINT64_MAX cancels the timer. If the deadline has
	 * already passed, the timer must fire immediately. Called with interrupts off, including
	 * from tally_core_timer(). The core needs one timer per CPU. If the timer fires too early,
	 * no sample is taken and the core sets the timer again. If NULL, cpu-clock and task-clock
	 * cannot sample. */
	void (*timer)(void *host, uint64_t deadline);

	/* Return the task with thread ID `tid` in the namespace of `current`, or NULL if there is
	 * no such task. The host keeps the task alive until task_put(). */
	struct tally_core_task *(*task_get)(void *host, struct tally_core_task *current,
					    int32_t tid);
	/* Release a task returned by task_get(). */
	void (*task_put)(void *host, struct tally_core_task *task);

	/* Return the CPU on which `task` is running, or -1 if it is not running. Must not sleep.
	 * The result must be ordered with the switch hook, for example by the scheduler's lock: a
	 * switch that is not yet reflected in the result must see everything that the core did
	 * before this call. If NULL, the core asks every CPU instead. */
	int32_t (*task_cpu)(void *host, const struct tally_core_task *task);

	/*
	 * Return the task that is running on this CPU: the task that was last passed to the switch
	 * hook, or that would have been passed to it. Return NULL for a task without a struct
	 * tally_core_task. Called with interrupts off.
	 *
	 * If a host has this operation, the hooks cost only a load and a branch while
	 * tally_core_is_watched() is false, that is, while no event is open and no task that had
	 * one remains. When the first event is opened, the core calls this operation on every CPU.
	 * A task that is not running at that moment does not count a migration until it has run. If
	 * the operation is NULL, the hooks never take this shortcut.
	 */
	struct tally_core_task *(*running)(void *host);

	/* Return the event to which descriptor `fd` of `current` refers, or NULL if it is not an
	 * event of the core. The host keeps the event open until the core function that called this
	 * operation has returned. A core function calls this operation at most once, for the
	 * descriptor among its own arguments: the group_fd of tally_core_open() or the descriptor
	 * that SET_OUTPUT passes to tally_core_ioctl(). */
	struct tally_core_event *(*event_of_fd)(void *host, struct tally_core_task *current,
						int fd);

	/* Return true if `current` has a Linux capability (TALLY_CORE_CAP_*). If NULL, there are no
	 * users, and every task has all capabilities. */
	bool (*capable)(void *host, const struct tally_core_task *current, int capability);

	/* Return true if `current` may observe `target` under the rules for ptrace read access. If
	 * NULL, access requires that both tasks have the same user account (task->user) and that
	 * this account is not NULL. */
	bool (*may_observe)(void *host, const struct tally_core_task *current,
			    const struct tally_core_task *target);

	/* Return true if `current` may stop and change `target`, a task in another process, under
	 * the rules for ptrace attach. Without this permission, attr.sigtrap on `target` requires
	 * both CAP_PERFMON and CAP_KILL. NULL is the same as false. */
	bool (*may_trap)(void *host, const struct tally_core_task *current,
			 const struct tally_core_task *target);

	/* Decide for a security module, after the checks above, whether the running task may open
	 * an event with this attr, read or map an event, or change an event with ioctl(). `cookie`
	 * is the event's cookie, or NULL if the event is being opened. Called where the host may
	 * sleep, without core locks, and not for the kernel's own requests. If the result is false,
	 * the call fails with -EACCES. NULL if there is no security module. */
	bool (*permit)(void *host, enum tally_host_access access,
		       const struct perf_event_attr *attr, void *cookie);

	/* Return the IDs of `task`, or of its creator if `parent` is set, as the namespace `viewer`
	 * sees them. `viewer` is task->viewer of the task that opened the event. `task` is always a
	 * task of the host. Called in the overflow interrupt, and by tally_core_end() for the task
	 * that it ends. If NULL, every task sees the same IDs. */
	void (*ids)(void *host, void *viewer, const struct tally_core_task *task, bool parent,
		    int32_t *ret_pid, int32_t *ret_tid);

	/* Return the number of bytes that `current` may lock beyond its user's share, or UINT64_MAX
	 * if unlimited. NULL means 0. */
	uint64_t (*memlock_limit)(void *host, const struct tally_core_task *current);

	/* Copy `len` bytes from the calling program's memory. Return 0, or -EFAULT if the memory
	 * cannot be read. */
	int (*copy_from_user)(void *host, void *to, const void *user, size_t len);
	/* Copy `len` bytes to the calling program's memory. Return 0, or -EFAULT if the memory
	 * cannot be written. */
	int (*copy_to_user)(void *host, void *user, const void *from, size_t len);

	/* Wake tasks that poll the event, and send the signals that its descriptor is configured
	 * for. `events` is POLLIN, or POLLHUP when the event's REFRESH count is used up or the
	 * event was revoked. `cookie` is the pointer set by tally_core_event_set_cookie(); while it
	 * is NULL, this operation is not called. Called with interrupts off, outside the overflow
	 * interrupt: by tally_core_deferred(), and when a PMU or tracepoint is unregistered. It may
	 * make tasks ready but must not call the core. NULL if tasks never wait. */
	void (*notify)(void *host, void *cookie, unsigned events);

	/* Send SIGTRAP to `task`, which is the running task, with si_perf_data = sig_data, si_addr
	 * = addr and si_perf_type = type. If NULL, attr.sigtrap is rejected. */
	void (*sigtrap)(void *host, struct tally_core_task *task, uint64_t addr, uint32_t type,
			uint64_t sig_data);

	/* Fill in the sample data of a context switch or migration, for events that sample them:
	 * the kernel address where the hook was called, and the registers there. If NULL, these
	 * samples have kernel mode, ip 0 and regs NULL. */
	void (*here)(void *host, struct tally_core_sample_data *ret_sample_data);

	/* Store the kernel or, if `user` is set, the user callchain of `sample_data`, innermost
	 * frame first, beginning with the ip. Store at most `max` addresses and return their
	 * number. Called in the overflow interrupt: it must not sleep, fault or trust the stack. If
	 * NULL, callchains consist only of the ip. */
	uint32_t (*callchain)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t *ret_ips, uint32_t max);

	/* Store the registers in `mask`, lowest bit first. These are the registers of the sample
	 * data or, if `user` is set, the registers with which user space last entered the kernel.
	 * Return PERF_SAMPLE_REGS_ABI_*, or NONE if the registers are not available. If NULL, attrs
	 * that request registers are rejected. */
	uint64_t (*registers)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t mask, uint64_t *ret_values);
	uint64_t register_mask; /* mask of the registers that exist */

	/* Copy up to `len` bytes of the user stack, from the stack pointer upward, and return the
	 * number of bytes copied. If NULL, attrs that request the stack are rejected. */
	uint32_t (*stack)(void *host, const struct tally_core_sample_data *sample_data, void *to,
			  uint32_t len);

	/* Return the physical address of a data address, or 0 if unknown. If NULL, attrs that
	 * request physical addresses are rejected. */
	uint64_t (*physical)(void *host, uint64_t addr);

	/* Return the size in bytes of the page that contains a data or code address of the running
	 * task, or 0 if the address is not mapped. Called in the overflow interrupt: it must not
	 * sleep or fault. If NULL, attrs that request page sizes are rejected. */
	uint64_t (*page_size_of)(void *host, uint64_t addr);

	/* Return the ID of the running task's cgroup. Called in the overflow interrupt. If NULL,
	 * attrs that request the ID are rejected. */
	uint64_t (*cgroup)(void *host);

	/* Register the host's PMUs with tally_core_pmu_register(). Called at the end of
	 * tally_core_create(). Return 0, or an error that tally_core_create() returns. If NULL,
	 * tally_core_pmu_init() is called instead. */
	int (*pmu_init)(struct tally_core *core, void *host);

	/* Page size in bytes: a power of two, at least TALLY_CORE_PAGE_MIN. tally_core_create()
	 * fails with -EINVAL otherwise. The metadata of a ring buffer (1,088 bytes) takes as many
	 * pages as it needs. */
	size_t page_size;

	/* Optional features of the host (enum tally_host_offers). An event that needs a feature
	 * that is not offered is rejected when it is opened, and the error names the field. Such an
	 * event is never accepted and then ignored. */
	uint64_t offers;
};

/* The minimum page size. With smaller pages a ring buffer could hold hardly any records. */
enum { TALLY_CORE_PAGE_MIN = 512 };

/* Features that only some hosts have. Most are promises to call a hook of core.h. */
enum tally_host_offers {
	TALLY_HOST_TEXT_POKE = 1 << 0, /* attr.text_poke: tally_core_text_poke() */
	/* attr.bpf_event: tally_core_bpf(); PERF_COUNT_SW_BPF_OUTPUT: tally_core_software(). */
	TALLY_HOST_BPF = 1 << 1,
	/* attr.cgroup: tally_core_cgroup(); PERF_COUNT_SW_CGROUP_SWITCHES: tally_core_software().
	 */
	TALLY_HOST_CGROUP = 1 << 2,
	/* PERF_SAMPLE_AUX is accepted, and its field is always empty, as on Linux for an event
	 * without an AUX event in its group. The core has no AUX areas. */
	TALLY_HOST_EMPTY_AUX = 1 << 3,
	/* The host defines tally_core_pmu_init(). tally_core_create() fails with -ENXIO if the
	 * core's own definition was linked instead. */
	TALLY_HOST_PMU_INIT = 1 << 4,
	/* The host reports context switches and migrations with tally_core_software(), and the core
	 * does not count them itself. This is for hosts that call the switch hook for reasons other
	 * than real switches, for example to replay what tasks did elsewhere. */
	TALLY_HOST_REPORTS_SWITCHES = 1 << 5,
};

/* The Linux capabilities that the core checks. */
enum {
	TALLY_CORE_CAP_KILL = 5,
	TALLY_CORE_CAP_IPC_LOCK = 14,
	TALLY_CORE_CAP_SYS_PTRACE = 19,
	TALLY_CORE_CAP_SYS_ADMIN = 21,
	TALLY_CORE_CAP_PERFMON = 38,
};

/* ---- PMUs ------------------------------------------------------------------------------- */

/* The driver's side of an event. The driver may write only the fields marked as the driver's. */
struct tally_core_hw {
	const struct perf_event_attr *attr;
	/* The task for which the event was opened, or NULL for a CPU-wide event. Use it only for
	 * comparison: the task may have exited. */
	const struct tally_core_task *task;
	int32_t cpu;        /* the only CPU to count on, or -1 for any */
	uint64_t config[4]; /* the driver's: register values computed by init() */
	int32_t index;      /* the driver's: index of its counter, or -1 */
	/* The driver's: width of its counter in bits; must be set when add() returns. */
	uint8_t width;
	bool running; /* the driver's: true between start() and stop() */
	/* Raw value at the last read; start() sets it if the counter cannot be written. Bits
	 * above the counter width belong to the core. */
	uint64_t previous;
	/* Private to the core. */
	uint64_t period;      /* events per sample; 0 if the event only counts */
	uint64_t last_period; /* period of the sample that is being written */
	int64_t left;         /* events until the next sample */
};

/* Properties of a PMU. */
enum tally_core_pmu_caps {
	TALLY_PMU_NO_INTERRUPT = 1 << 0, /* counters cannot interrupt; sampling is rejected */
	TALLY_PMU_NO_EXCLUDE = 1 << 1,   /* cannot filter by mode; attr.exclude_* is rejected */
	TALLY_PMU_SOFTWARE = 1 << 2,     /* never full; does not make a group a hardware group */
	TALLY_PMU_USER_READ = 1 << 3,    /* user space can read its counters (cap_user_rdpmc) */
	TALLY_PMU_PER_CPU_ONLY = 1 << 4, /* no per-task events; counts cannot be attributed */
};

/* A PMU: a driver's table of operations. All operations except init(), check(), inherit(),
 * forget(), fits() and cpu_of() run on the CPU whose counters they access, with interrupts off.
 * Constant except for the private fields at the end. */
struct tally_core_pmu {
	const char *name;
	/* PERF_TYPE_*, or the PMU's own type number, at least 6. Unique, except for HARDWARE,
	 * HW_CACHE and RAW, which are offered to every PMU with `core` set. */
	uint32_t type;
	bool core;           /* also serves PERF_TYPE_HARDWARE, HW_CACHE and RAW */
	uint8_t nr_counters; /* counters per CPU, for messages only; 0 if unlimited */
	uint8_t width;       /* counter width in bits, for the metadata page */
	uint32_t caps;       /* enum tally_core_pmu_caps */
	uint8_t max_precise; /* largest attr.precise_ip accepted; ignored for SOFTWARE PMUs */
	uint64_t branches;   /* supported PERF_SAMPLE_BRANCH_* bits; 0 if no branch stack */

	/* Accept an event with an attr that has passed the core's checks, and fill in hw->config.
	 * Must not access hardware, may run on any CPU, and must not check permissions: check()
	 * does. Return 0; -ENOENT if the PMU does not have this event (the next PMU is asked);
	 * -EOPNOTSUPP if it does not support an option of the attr; -EINVAL. Any error other than
	 * -ENOENT is final. */
	int (*init)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Check whether the caller is allowed to use an event with this attr. Called after init()
	 * accepted the event, and before modify() with the requested attr. `current` is the calling
	 * task, which need not be the counted task; NULL is the kernel itself. Called where the
	 * host may sleep. Return 0 or the error with which the request is rejected. If NULL, every
	 * caller is allowed. */
	int (*check)(struct tally_core_pmu *pmu, const struct perf_event_attr *attr,
		     const struct tally_core_task *current);

	/* Take resources for an event that a forked task inherits. init() has accepted the original
	 * event, and `hw` is a copy of it except for the task. Take the same resources for `hw` as
	 * init() did. They are always available, since a child has no more events than its parent.
	 * Called with a core lock held, so it must not sleep. NULL if there is nothing to take. */
	void (*inherit)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Release what init() or inherit() took for the event, which is being freed. Called once
	 * for each call to init() or inherit(), where the core frees memory. NULL if there is
	 * nothing to release. */
	void (*forget)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Change the event to `attr` for PERF_EVENT_IOC_MODIFY_ATTRIBUTES. The event is stopped and
	 * not on any CPU. `attr` differs from hw->attr at most in bp_type, bp_addr, bp_len and
	 * disabled; the core updates hw->attr afterwards. check() has accepted `attr`; the task
	 * that runs on this CPU need not be the caller. Interrupts are off. Return 0, or the error
	 * with which init() would reject the attr, leaving the event unchanged. NULL if events
	 * cannot be modified. */
	int (*modify)(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
		      const struct perf_event_attr *attr);

	/* Check whether these events, the members of one group that belong to this PMU, could ever
	 * be counted at the same time. Return 0 or -EINVAL. If NULL, this is not checked when an
	 * event is opened. */
	int (*fits)(struct tally_core_pmu *pmu, struct tally_core_hw *const *hws, uint32_t nr);

	/* Assign a stopped counter to the event; other events keep their counters. Return 0;
	 * -ENOSPC if no counter is free; -EBUSY if the counters that can count this event are
	 * taken. */
	int (*add)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Release the event's counter, which is stopped. */
	void (*del)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Start counting. The driver writes tally_core_hw_arm() to the counter. If the counter
	 * cannot be written, the driver sets hw->previous to its current value instead. */
	void (*start)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Stop counting, and pass the counter's final value to tally_core_hw_update(). Also called
	 * in the overflow interrupt, for the counter that overflowed or for another one. */
	void (*stop)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Add the value of a running counter to the event's count with tally_core_hw_fold(). */
	void (*read)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Begin a transaction that adds a group. Until commit() or cancel(), add() may just record
	 * what it needs. begin, commit and cancel are all NULL or all set. If they are NULL, add()
	 * decides immediately. */
	void (*begin)(struct tally_core_pmu *pmu);
	/* End the transaction. Return 0, or -ENOSPC or -EBUSY if the group does not fit. On failure
	 * undo nothing: the core calls del() for each event that it added. */
	int (*commit)(struct tally_core_pmu *pmu);
	/* End the transaction after add() failed. The core calls del() for each event that it
	 * added. */
	void (*cancel)(struct tally_core_pmu *pmu);

	/* Stop all counters on this CPU, so that a group starts and stops as one. Called before
	 * several events are changed. Both pause and resume are NULL if this is not possible. */
	void (*pause)(struct tally_core_pmu *pmu);
	/* Restart the counters that pause() stopped. */
	void (*resume)(struct tally_core_pmu *pmu);

	/* Return one more than the number that user space uses to read this counter, or 0 if user
	 * space cannot read it. If NULL, hw->index + 1 is used. */
	uint32_t (*user_index)(struct tally_core_pmu *pmu, const struct tally_core_hw *hw);

	/*
	 * For a PMU with counters shared by several CPUs, such as a package, return the CPU that
	 * counts for `cpu`, or -1. Events for all these CPUs are opened on that CPU, and hw->cpu
	 * contains it after init(). The result must not change until that CPU is offline
	 * (tally_core_cpu_is_online()). Then it must be another online CPU, to which the core moves
	 * the events with their counts. If there is no other online CPU, the events wait for the
	 * first one to go online.
	 *
	 * Such a PMU must have TALLY_PMU_PER_CPU_ONLY and TALLY_PMU_NO_INTERRUPT, or registering it
	 * fails. Its events count whole CPUs, do not sample, have no ring buffer, and share groups
	 * only with events of the same PMU. A core lock may be held, so the operation must not
	 * sleep. NULL if each CPU has its own counters.
	 */
	int32_t (*cpu_of)(struct tally_core_pmu *pmu, uint32_t cpu);

	void *driver; /* for the driver's use */

	/* Private to the core, zero until registered. */
	struct tally_core *owner;
	struct tally_core_pmu *next;
	struct tally_core_pmu_cpu *cpus;
	uint32_t users; /* references held by its events and by lookups in progress */
	bool leaving;
};

/*
 * Register a PMU. May be called at any time where the host may sleep; the number of PMUs is not
 * limited unless TALLY_CORE_SEVERAL_PMUS is 0. `pmu` must stay valid until it is unregistered or
 * the core is destroyed. Return 0; -EINVAL if a required operation is missing, operations that
 * belong together are not all set, or cpu_of is set without the two capabilities that it requires;
 * -EEXIST if the type is taken; -EBUSY if unregistering the PMU has begun but not finished; -ENOSPC
 * if a PMU is already registered and TALLY_CORE_SEVERAL_PMUS is 0; -ENOMEM.
 */
int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * Unregister a PMU, even if it is in use. From now on no event can be opened on it, and its open
 * events are revoked: they stop counting, their counts are lost, read() returns end of file,
 * ioctl() and mmap() fail with -ENODEV, and poll() reports POLLERR | POLLHUP. They can only be
 * closed. Called where the host may sleep, without a core lock. After success the core no longer
 * calls the PMU's operations, and the host may free `pmu`.
 *
 * Return 0; -ENOENT if the PMU is not registered; -EBUSY if one of its events is being opened,
 * modified or closed. After -EBUSY the PMU accepts no events, but its type stays taken; call this
 * function again.
 */
int tally_core_pmu_unregister(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * Register the host's PMUs. tally_core_create() calls this function if ops->pmu_init is NULL. The
 * core has a weak definition that registers no PMU; a host may override it (the design document
 * calls this function hw_perf_event_init()).
 *
 * A definition in an archive does not override the weak one, because linkers do not search archives
 * for symbols that are already defined. Therefore prefer ops->pmu_init or
 * tally_core_pmu_register(). A host that relies on this function should offer TALLY_HOST_PMU_INIT.
 * If no PMU was registered, hardware events are rejected and the reason points to this pitfall.
 * Return 0, or an error that tally_core_create() returns.
 */
int tally_core_pmu_init(struct tally_core *core, void *host);

/* ---- functions for drivers -------------------------------------------------------------- */

/* Add to the event's count the difference, modulo 2^width, between `now` (the counter's value) and
 * the value at the last read. Called on the event's CPU, including in the overflow interrupt. The
 * counter must be stopped, or its overflow interrupt must not be able to occur between reading the
 * counter and this call. */
void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now);

/* Like tally_core_hw_update(), but for a running counter. The function reads the value with
 * `counter`, and reads it again if an overflow interrupt has updated or armed the counter in the
 * meantime. A driver's read() therefore need not mask the interrupt. The exception is a 64-bit
 * event counter with an overflow interrupt that irq_save does not mask. */
void tally_core_hw_fold(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
			uint64_t (*counter)(struct tally_core_pmu *pmu, struct tally_core_hw *hw));

/* Return the value to write to the counter, and store it in hw->previous. Starting from this value,
 * the counter overflows when the period ends. If the event only counts, or if its period is too
 * long for the counter, the counter overflows after half of its range. */
uint64_t tally_core_hw_arm(struct tally_core_hw *hw);

/* Report that an event without a counter, such as a breakpoint, occurred `nr` times. The
 * occurrences are counted if the event is started and its attr does not exclude the mode, and
 * sampled if the event's period ends. Called on the event's CPU with interrupts off, and not in an
 * overflow interrupt that irq_save does not mask. */
void tally_core_hw_count(struct tally_core_hw *hw, uint64_t nr,
			 const struct tally_core_sample_data *sample_data);

/*
 * Handle an overflow of the counter of `hw`; `now` is its value. Called in the overflow interrupt.
 * Update the count and, if the period has ended, write a sample. Return true if the driver must
 * write `*ret_next` to the counter and let it run. Return false if the driver must leave the
 * counter stopped, because the event is throttled or its REFRESH count is used up. `*ret_next` is
 * set in both cases.
 */
bool tally_core_hw_overflow(struct tally_core_hw *hw, uint64_t now,
			    const struct tally_core_sample_data *sample_data, uint64_t *ret_next);

#ifdef __cplusplus
}
#endif

#endif
