/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface that a host implements to run the core. A host is a kernel, an RTOS, a simulator
 * or a process. docs/internals/porting.md is the guide to this file. core.h declares the functions
 * that the host calls.
 *
 * A host fills in one struct tally_host_ops, embeds a struct tally_core_task in its task
 * structure, calls the hooks of core.h where things happen, and describes its counters with one
 * struct tally_core_pmu per PMU. A host without counters needs no PMU: the software events need
 * only its clock and its timer.
 *
 * Contexts. "Interrupts off" means: between irq_save and irq_restore on a CPU, neither a hook nor
 * a function passed to call() runs on that CPU. The overflow interrupt may be one that irq_save
 * does not mask (an NMI). tally_core_hw_overflow() therefore takes no lock, changes nothing that
 * the interrupted code relies on, and defers the work that it cannot do there.
 *
 * Locks are taken in this order:
 *
 *	1. the host's locks of address spaces (held in mmap handlers) and of descriptor tables
 *	2. one lock of lock_new()
 *	3. the core's spin locks, with interrupts off, for a few instructions
 *	4. the host's locks inside the operations called "Off" and "Any" below
 *
 * The table below lists where the core calls each operation, which determines what the operation
 * may do:
 *
 * - Sleeping: interrupts are on and no lock of the core is held. The operation may wait, fault on
 * user memory, allocate, and take any lock that its caller does not hold. - Locked: interrupts are
 * on, and one lock of lock_new() may be held. - Off: interrupts are off, and spin locks of the
 * core may be held. The operation must not wait, except for a spin lock of the host that is never
 * held while the host calls the core, other than across tally_core_switch() (see task_cpu). - Any:
 * like Off, but also called in the overflow interrupt.
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
 * Sleeping and Locked operations are called in the task that called the core. A preemptible kernel
 * can preempt it there, and several tasks can be in these operations at the same time.
 *
 * Functions declared here return 0 or -errno unless stated otherwise. The functions that register
 * and unregister PMUs may sleep and may be called by several tasks at the same time. The functions
 * for drivers (tally_core_hw_*) are called on the CPU of the event with interrupts off; their
 * comments say which of them the overflow interrupt may call.
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
	/* PERF_RECORD_MISC_KERNEL, USER, HYPERVISOR, GUEST_KERNEL or GUEST_USER. On a machine
	 * without user mode: USER if a thread was interrupted, KERNEL if a handler was. */
	uint16_t mode;
	bool exact_ip; /* ip is the instruction that caused the event */
	bool idle;     /* the idle task was running */
	/* Opaque pointer of the host, passed back to callchain(), registers() and stack(). NULL in
	 * samples of context switches and migrations if here() is NULL or leaves it so. */
	void *regs;
	/* Provided by the PMU; 0 if it does not provide them. */
	uint64_t weight, data_src, transaction;
	const struct perf_branch_entry *branches;
	const uint64_t *branch_counters; /* one word per branch; NULL: written as 0 */
	uint32_t nr_branches;
};

/* ---- time conversion in user space ------------------------------------------------------ */

/* Parameters with which user space converts its cycle counter to the core's clock: see time_mult,
 * time_shift and time_zero in perf_event_open(2). */
struct tally_core_clock_params {
	bool valid; /* false: user space cannot convert */
	uint32_t mult;
	uint16_t shift;
	uint64_t zero;
};

/* ---- operations ------------------------------------------------------------------------- */

/* The kind of access that permit() decides on. */
enum tally_host_access { TALLY_HOST_OPEN, TALLY_HOST_READ, TALLY_HOST_WRITE };

/* The operations that a host supplies. `host` is the pointer that was passed to
 * tally_core_create(). An operation is required unless its comment mentions NULL. */
struct tally_host_ops {
	/* Allocate `size` bytes of zeroed memory, aligned for any type. Return NULL if there is no
	 * memory. */
	void *(*alloc)(void *host, size_t size);
	/* Free memory of alloc(). `size` is the size that was requested; `memory` is never NULL. */
	void (*free)(void *host, void *memory, size_t size);

	/* Allocate `nr` contiguous zeroed pages, page-aligned, that user space can map. Return NULL
	 * if there is no memory. With settings.scattered the core requests one page at a time, and
	 * the pages may be anywhere. This suits a host without large contiguous memory, or one with
	 * a D-cache that requires both mappings to have the same color. */
	void *(*pages_alloc)(void *host, size_t nr);
	/* Free `nr` pages that one call of pages_alloc() returned. */
	void (*pages_free)(void *host, void *pages, size_t nr);

	/* Create a lock on which a task can sleep; it is not recursive. Return NULL if there is no
	 * memory. The core creates one for each CPU and one for each task that gets its first
	 * event; the task's descendants share it. The core holds at most one at a time, so a host
	 * may always return the same lock. */
	void *(*lock_new)(void *host);
	/* Free a lock of lock_new(). */
	void (*lock_free)(void *host, void *lock);
	/* Take a lock of lock_new(); sleep while another task holds it. */
	void (*lock)(void *host, void *lock);
	/* Release a lock. */
	void (*unlock)(void *host, void *lock);

	/* Turn interrupts off on this CPU and return their previous state. Calls nest. */
	uintptr_t (*irq_save)(void *host);
	/* Restore the state that the matching irq_save() returned. */
	void (*irq_restore)(void *host, uintptr_t flags);

	/* Return the number of the current CPU, which is less than the number passed to
	 * tally_core_create(). Stable while interrupts are off. */
	uint32_t (*this_cpu)(void *host);

	/* Run fn(arg) on `cpu` with interrupts off, and return after it has returned: an IPI, or a
	 * plain call if `cpu` is the current CPU. Several CPUs may call at the same time, also each
	 * other: a waiting CPU has interrupts on and serves incoming calls meanwhile. The operation
	 * must not wait for a task to be scheduled, or for a lock that is held across one of the
	 * hooks. Return 0, or -ENXIO if that CPU is offline. */
	int (*call)(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg);

	/* Arrange for tally_core_deferred() to be called on this CPU soon, with interrupts off but
	 * outside the overflow interrupt. This may be called in any context, including the overflow
	 * interrupt. One call of tally_core_deferred() serves all requests made before it. The
	 * interrupt that performs a switch is a good place to call it: before the next task is
	 * chosen, because notify() can make tasks ready. */
	void (*defer)(void *host);

	/* Hint that the CPU is in a busy-wait loop. NULL is allowed. */
	void (*relax)(void *host);

	/* Return the time in nanoseconds: monotonic, and the same on all CPUs as far as the
	 * hardware permits. Called in any context, including the overflow interrupt. A hardware
	 * counter with fewer than 64 bits must therefore be extended without a lock
	 * (docs/internals/porting.md, section 6). */
	uint64_t (*clock)(void *host);

	/* Read the clock that attr.clockid selects, for records of use_clockid events. Return false
	 * if there is no such clock or if it cannot be read in an interrupt. NULL: no clocks other
	 * than clock(). */
	bool (*clock_of)(void *host, int32_t clockid, uint64_t *ret_ns);

	/* Return the conversion parameters for user space. NULL: user space cannot convert cycles
	 * to time. */
	void (*clock_params)(void *host, struct tally_core_clock_params *ret_params);

	/* Arrange for tally_core_timer() to be called on this CPU when clock() reaches `deadline`,
	 * in place of the previous deadline; UINT64_MAX cancels it. If the deadline has already
	 * passed, the timer must fire immediately. Called with interrupts off, also from
	 * tally_core_timer(). The core needs one timer per CPU. If the timer fires too early, no
	 * sample is taken and the core sets it again. NULL: cpu-clock and task-clock cannot sample.
	 */
	void (*timer)(void *host, uint64_t deadline);

	/* Return the task with thread id `tid` in the namespace of `current`, or NULL if it does
	 * not exist. The host keeps the task alive until task_put(). */
	struct tally_core_task *(*task_get)(void *host, struct tally_core_task *current,
					    int32_t tid);
	/* Release a task of task_get(). */
	void (*task_put)(void *host, struct tally_core_task *task);

	/* Return the CPU on which `task` runs, or -1 if it does not run. Must not sleep. The result
	 * must be ordered with the switch hook, for example by the scheduler's lock: a switch that
	 * is not yet reflected in the result must see everything that the core did before this
	 * call. NULL: the core asks every CPU instead. */
	int32_t (*task_cpu)(void *host, const struct tally_core_task *task);

	/* Return the task that runs on this CPU: the one last passed to the switch hook, or the one
	 * that would have been passed. NULL: a task without a struct tally_core_task. Called with
	 * interrupts off.
	 *
	 * If a host has this operation, the hooks cost only a load and a branch while
	 * tally_core_is_watched() is false: no event is open, and no task that had one remains.
	 * When the first event is opened, the core calls this operation on every CPU. A task that
	 * is not running at that moment counts no migration until it has run. If the operation is
	 * NULL, the hooks never take this shortcut. */
	struct tally_core_task *(*running)(void *host);

	/* Return the event that descriptor `fd` of `current` refers to, or NULL if it is not an
	 * event of the core. The host keeps the event open until the call of the core that asked
	 * has returned. A call asks at most once, for the descriptor among its arguments:
	 * tally_core_open() for group_fd, tally_core_ioctl() for that of SET_OUTPUT. */
	struct tally_core_event *(*event_of_fd)(void *host, struct tally_core_task *current,
						int fd);

	/* Return true if `current` has a Linux capability (TALLY_CORE_CAP_*). NULL: there are no
	 * users, and every task has all capabilities. */
	bool (*capable)(void *host, const struct tally_core_task *current, int capability);

	/* Return true if `current` may observe `target`: the rule of ptrace read access. NULL: it
	 * may if both have the same user account (task->user) and that account is not NULL. */
	bool (*may_observe)(void *host, const struct tally_core_task *current,
			    const struct tally_core_task *target);

	/* Return true if `current` may stop and change `target`, a task of another process: the
	 * rule of ptrace attach. Without this right, attr.sigtrap on `target` requires both
	 * CAP_PERFMON and CAP_KILL. NULL: false. */
	bool (*may_trap)(void *host, const struct tally_core_task *current,
			 const struct tally_core_task *target);

	/* Decide for a security module, after the checks above, whether the running task may open
	 * an event with this attr, read or map an event, or change one with ioctl(). `cookie` is
	 * that of the event, NULL for one that is being opened. Called where the host may sleep,
	 * without locks of the core, and not for the kernel's own requests. False: the call fails
	 * with -EACCES. NULL: there is no such module. */
	bool (*permit)(void *host, enum tally_host_access access,
		       const struct perf_event_attr *attr, void *cookie);

	/* Return the ids of `task`, or with `parent` those of its creator, as the namespace
	 * `viewer` sees them. `viewer` is task->viewer of the task that opened the event. `task` is
	 * always a task of the host. Called in the overflow interrupt, and by tally_core_end() for
	 * the task that it ends. NULL: every task sees the same ids. */
	void (*ids)(void *host, void *viewer, const struct tally_core_task *task, bool parent,
		    int32_t *ret_pid, int32_t *ret_tid);

	/* Return the number of bytes that `current` may lock beyond each user's share; UINT64_MAX:
	 * unlimited. NULL: 0. */
	uint64_t (*memlock_limit)(void *host, const struct tally_core_task *current);

	/* Copy `len` bytes from memory of the calling program. Return 0, or -EFAULT if it cannot be
	 * read. */
	int (*copy_from_user)(void *host, void *to, const void *user, size_t len);
	/* Copy `len` bytes to memory of the calling program. Return 0, or -EFAULT if it cannot be
	 * written. */
	int (*copy_to_user)(void *host, void *user, const void *from, size_t len);

	/* Wake tasks that poll the event, and send the signals that its descriptor is configured
	 * for. `events` is POLLIN, or POLLHUP when the event's REFRESH count is used up or the
	 * event was revoked. `cookie` is the pointer of tally_core_event_set_cookie(); not called
	 * while that is NULL. Called with interrupts off, outside the overflow interrupt: by
	 * tally_core_deferred(), and when a PMU or tracepoint is unregistered. It may make tasks
	 * ready but must not call the core. NULL: no task ever waits. */
	void (*notify)(void *host, void *cookie, unsigned events);

	/* Send SIGTRAP to `task`, which is the running task, with si_perf_data = sig_data, si_addr
	 * = addr and si_perf_type = type. NULL: attr.sigtrap is rejected. */
	void (*sigtrap)(void *host, struct tally_core_task *task, uint64_t addr, uint32_t type,
			uint64_t sig_data);

	/* Fill in the sample data of a context switch or migration, for events that sample those:
	 * the location of the calling hook in the kernel, and its registers. NULL: kernel mode, ip
	 * 0, regs NULL. */
	void (*here)(void *host, struct tally_core_sample_data *ret_sample_data);

	/* Store the callchain of `sample_data`, either in the kernel or in user space, innermost
	 * frame first, beginning with its ip. Store at most `max` addresses and return their
	 * number. Called in the overflow interrupt: it must not sleep, fault or trust the stack.
	 * NULL: callchains consist of the ip only. */
	uint32_t (*callchain)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t *ret_ips, uint32_t max);

	/* Store the registers of `mask`, lowest bit first: those of the sample data, or with `user`
	 * those with which user space last entered the kernel. Return PERF_SAMPLE_REGS_ABI_*; NONE
	 * if they are not available. NULL: attrs that request registers are rejected. */
	uint64_t (*registers)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t mask, uint64_t *ret_values);
	uint64_t register_mask; /* the registers that exist */

	/* Copy up to `len` bytes of the user stack, from the stack pointer upward, and return the
	 * number of bytes copied. NULL: attrs that request the stack are rejected. */
	uint32_t (*stack)(void *host, const struct tally_core_sample_data *sample_data, void *to,
			  uint32_t len);

	/* Return the physical address of a data address, or 0 if unknown. NULL: attrs that request
	 * it are rejected. */
	uint64_t (*physical)(void *host, uint64_t addr);

	/* Return the size in bytes of the page that contains a data or code address of the running
	 * task, or 0 if the address is not mapped. Called in the overflow interrupt: it must not
	 * sleep or fault. NULL: attrs that request page sizes are rejected. */
	uint64_t (*page_size_of)(void *host, uint64_t addr);

	/* Return the id of the cgroup of the running task. Called in the overflow interrupt. NULL:
	 * attrs that request it are rejected. */
	uint64_t (*cgroup)(void *host);

	/* Register the host's PMUs with tally_core_pmu_register(). Called at the end of
	 * tally_core_create(). Return 0, or an error with which tally_core_create() fails. NULL:
	 * tally_core_pmu_init() is called instead. */
	int (*pmu_init)(struct tally_core *core, void *host);

	/* Bytes of a page: a power of two, at least TALLY_CORE_PAGE_MIN. tally_core_create()
	 * fails with -EINVAL otherwise. The metadata of a ring buffer (1,088 bytes) take as many
	 * pages as they need. */
	size_t page_size;

	/* Optional features of the host: enum tally_host_offers. An event that needs a feature that
	 * is not offered is rejected when it is opened, with the field named. It is never accepted
	 * and then ignored. */
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
	 * does not count them itself. This is for hosts that call the switch hook for other reasons
	 * than real switches, such as one that replays what tasks did elsewhere. */
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
	const struct tally_core_task *task; /* the task the event was opened for; NULL: all of a
	                                     * CPU. Only for comparison: the task may have ended */
	int32_t cpu;                        /* the only CPU to count on; -1: any */
	uint64_t config[4];                 /* the driver's: register values computed by init() */
	int32_t index;                      /* the driver's: its counter; -1: none */
	uint8_t width;     /* the driver's: bits of that counter; set no later than add() */
	bool running;      /* the driver's: true between start() and stop() */
	uint64_t previous; /* raw value at the last read; start() sets it if the counter cannot be
	                    * written. Bits above the counter width belong to the core */
	/* Private to the core. */
	uint64_t period;      /* events per sample; 0: the event only counts */
	uint64_t last_period; /* period of the sample that is being written */
	int64_t left;         /* events until the next sample */
};

/* Properties of a PMU. */
enum tally_core_pmu_caps {
	TALLY_PMU_NO_INTERRUPT = 1 << 0, /* counters cannot interrupt; sampling is rejected */
	TALLY_PMU_NO_EXCLUDE = 1 << 1,   /* cannot filter by mode; attr.exclude_* is rejected */
	TALLY_PMU_SOFTWARE = 1 << 2,     /* never full; does not make a group a hardware group */
	TALLY_PMU_USER_READ = 1 << 3,    /* user space can read its counters (cap_user_rdpmc) */
	TALLY_PMU_PER_CPU_ONLY = 1 << 4, /* no per-task events: tasks do not own what it counts */
};

/* A PMU: a driver's table of operations. All operations except init(), check(), inherit(),
 * forget(), fits() and cpu_of() run on the CPU whose counters they access, with interrupts off.
 * Constant except for the private fields at the end. */
struct tally_core_pmu {
	const char *name;
	uint32_t type; /* PERF_TYPE_*, or a number of its own from 6 up. Unique, except HARDWARE,
	                * HW_CACHE and RAW: they are offered to every PMU with core = true */
	bool core;     /* also serves PERF_TYPE_HARDWARE, HW_CACHE and RAW */
	uint8_t nr_counters; /* counters per CPU, for messages only; 0: not limited */
	uint8_t width;       /* bits of its counters, for the metadata page */
	uint32_t caps;       /* enum tally_core_pmu_caps */
	uint8_t max_precise; /* largest attr.precise_ip accepted; ignored for SOFTWARE PMUs */
	uint64_t branches;   /* PERF_SAMPLE_BRANCH_* bits of samples; 0: no branch stack */

	/* Accept an event with an attr that has passed the core's checks, and fill in hw->config.
	 * Must not access hardware, may run on any CPU, and must not check permissions: check()
	 * does. Return 0; -ENOENT if the PMU does not have this event (the next PMU is asked);
	 * -EOPNOTSUPP if it does not support an option of the attr; -EINVAL. Any error other than
	 * -ENOENT is final. */
	int (*init)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Check whether the caller may have an event with this attr. Called after init() accepted
	 * the event, and before modify() with the attr that is requested. `current` is the calling
	 * task, wherever the event counts; NULL: the kernel itself. Called where the host may
	 * sleep. Return 0 or the error of the rejection. NULL: every caller may. */
	int (*check)(struct tally_core_pmu *pmu, const struct perf_event_attr *attr,
		     const struct tally_core_task *current);

	/* A forked task inherits an event that init() accepted; `hw` is a copy except for its task.
	 * Take the same resources for it as init() did. They are always available, since a child
	 * has no more events than its parent. Called with a lock of the core held: must not sleep.
	 * NULL: nothing to take. */
	void (*inherit)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* The event is being freed: release what init() or inherit() took for it. Called once for
	 * each of those calls, where the core frees memory. NULL: nothing to release. */
	void (*forget)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Change the event to `attr` for PERF_EVENT_IOC_MODIFY_ATTRIBUTES. The event is stopped and
	 * on no CPU. `attr` differs from hw->attr at most in bp_type, bp_addr, bp_len and disabled;
	 * the core updates hw->attr afterwards. check() has accepted it; the task that runs on this
	 * CPU need not be the caller. Interrupts are off. Return 0, or the error with which init()
	 * would reject the attr, leaving the event unchanged. NULL: events cannot be modified. */
	int (*modify)(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
		      const struct perf_event_attr *attr);

	/* Check whether these events could ever be on the counters together. They are the members
	 * of one group that belong to this PMU. Return 0 or -EINVAL. NULL: not checked when an
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

	/* Add the value of a running counter to the event's count: tally_core_hw_fold(). */
	void (*read)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Begin a transaction that adds a group. Until commit() or cancel(), add() may just record
	 * what it needs. begin, commit and cancel are all NULL or all set. NULL: add() decides
	 * immediately. */
	void (*begin)(struct tally_core_pmu *pmu);
	/* End the transaction. Return 0, or -ENOSPC or -EBUSY if the group does not fit. On failure
	 * it undoes nothing: the core calls del() for each event that it added. */
	int (*commit)(struct tally_core_pmu *pmu);
	/* End the transaction after add() failed. The core calls del() for each event that it
	 * added. */
	void (*cancel)(struct tally_core_pmu *pmu);

	/* Stop all counters of this CPU, so that a group starts and stops as one. Called before
	 * several events are changed. Both pause and resume are NULL if this is not possible. */
	void (*pause)(struct tally_core_pmu *pmu);
	/* Let the counters that pause() stopped run again. */
	void (*resume)(struct tally_core_pmu *pmu);

	/* Return one more than the number by which user space reads this counter; 0: it cannot.
	 * NULL: hw->index + 1. */
	uint32_t (*user_index)(struct tally_core_pmu *pmu, const struct tally_core_hw *hw);

	/* For a PMU with counters shared by several CPUs, such as a package: return the CPU that
	 * counts for `cpu`, or -1. Events of all these CPUs are opened on that CPU, and hw->cpu
	 * names it after init(). The result must not change until that CPU is offline
	 * (tally_core_cpu_is_online()). Then it must be another online CPU, to which the core moves
	 * the events with their counts. If none remains, the events wait for the first one that
	 * comes online.
	 *
	 * Such a PMU must have TALLY_PMU_PER_CPU_ONLY and TALLY_PMU_NO_INTERRUPT, or registering it
	 * fails. Its events count whole CPUs, do not sample, have no ring buffer, and share groups
	 * only with events of the same PMU. A lock of the core may be held: must not sleep. NULL:
	 * each CPU has its own counters. */
	int32_t (*cpu_of)(struct tally_core_pmu *pmu, uint32_t cpu);

	void *driver; /* for the driver's use */

	/* Private to the core, zero until registered. */
	struct tally_core *owner;
	struct tally_core_pmu *next;
	struct tally_core_pmu_cpu *cpus;
	uint32_t users; /* references: its events, and lookups in progress */
	bool leaving;
};

/*
 * Register a PMU. May be called at any time where the host may sleep; the number of PMUs is not
 * limited unless TALLY_CORE_SEVERAL_PMUS is 0. `pmu` must stay valid until it is unregistered or
 * the core is destroyed. Return 0; -EINVAL if a required operation is missing, operations that
 * belong together are not all set, or cpu_of lacks the two capabilities it needs; -EEXIST if its
 * type is taken; -EBUSY if unregistering it has begun but not finished; -ENOSPC if there is one
 * already and TALLY_CORE_SEVERAL_PMUS is 0; -ENOMEM.
 */
int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * Unregister a PMU, even if it is in use. From now on no event can be opened on it, and its open
 * events are revoked: they stop counting, their counts are lost, read() returns end of file,
 * ioctl() and mmap() fail with -ENODEV, and poll() reports POLLERR | POLLHUP. They can only be
 * closed. Called where the host may sleep, without a lock of the core. After success the core does
 * not call the PMU's operations any more, and the host may free `pmu`.
 *
 * Return 0; -ENOENT if it is not registered; -EBUSY if one of its events is being opened, modified
 * or closed at the moment. After -EBUSY the PMU accepts no events, but its type stays taken: call
 * again.
 */
int tally_core_pmu_unregister(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * Register the host's PMUs. tally_core_create() calls this function if ops->pmu_init is NULL. The
 * core has a weak definition that registers none; a host may override it (the design document calls
 * it hw_perf_event_init()).
 *
 * A definition in an archive does not override the weak one, because linkers do not search archives
 * for symbols that are already defined. Therefore prefer ops->pmu_init or
 * tally_core_pmu_register(). A host that relies on this function should offer TALLY_HOST_PMU_INIT.
 * Hardware events without any PMU are rejected with this as the reason. Return 0, or an error with
 * which tally_core_create() fails.
 */
int tally_core_pmu_init(struct tally_core *core, void *host);

/* ---- functions for drivers -------------------------------------------------------------- */

/* Add the difference between `now`, the counter's value, and the value of the last read, modulo
 * 2^width, to the event's count. Called on the event's CPU, also in the overflow interrupt. The
 * counter must be stopped, or its overflow interrupt must not be able to occur between reading the
 * counter and this call. */
void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now);

/* Like tally_core_hw_update(), for a running counter. The function reads the value with `counter`,
 * and calls it again if an overflow interrupt has updated or armed the counter in between. A
 * driver's read() therefore need not mask the interrupt. The exception is a 64-bit counter that
 * counts events, with an overflow interrupt that irq_save does not mask. */
void tally_core_hw_fold(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
			uint64_t (*counter)(struct tally_core_pmu *pmu, struct tally_core_hw *hw));

/* Return the value to write to the counter. With it the counter overflows when the period ends. If
 * the event only counts, or if its period is too long for the counter, it overflows well before it
 * wraps. Also stored in hw->previous. */
uint64_t tally_core_hw_arm(struct tally_core_hw *hw);

/* Report that an event without a counter, such as a breakpoint, occurred `nr` times. It is counted
 * if the event is started and its attr does not exclude the mode, and sampled if its period ends.
 * Called on the event's CPU with interrupts off, and not in an overflow interrupt that irq_save
 * does not mask. */
void tally_core_hw_count(struct tally_core_hw *hw, uint64_t nr,
			 const struct tally_core_sample_data *sample_data);

/*
 * Handle an overflow of the counter of `hw`; `now` is its value. Called in the overflow interrupt.
 * Updates the count and, if the period has ended, writes a sample. Return true if the driver is to
 * write `*ret_next` to the counter and let it run. Return false if the driver is to leave it
 * stopped, because the event is throttled or its REFRESH count is used up. `*ret_next` is set in
 * both cases.
 */
bool tally_core_hw_overflow(struct tally_core_hw *hw, uint64_t now,
			    const struct tally_core_sample_data *sample_data, uint64_t *ret_next);

#ifdef __cplusplus
}
#endif

#endif
