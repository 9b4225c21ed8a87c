/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a host - a kernel, an RTOS, a simulator, a process - supplies to host the core.
 * For porters: docs/howto-port.md walks through this file. core.h is the other half: what
 * the host calls.
 *
 * A host fills one struct tally_host_ops, embeds a struct tally_core_task in its own
 * task structure, calls the hooks of core.h where things happen, and describes its counters
 * with one struct tally_core_pmu each. A host without counters has nothing more to do: the
 * software events run on its clock and its timer.
 *
 * Contexts. "Interrupts off" means: between irq_save and irq_restore on one CPU neither a
 * hook nor a function handed to call() runs on that CPU. The overflow interrupt may be one
 * that irq_save does not mask (an NMI): tally_core_hw_overflow() takes no lock, changes
 * nothing that the code it interrupts relies on, and puts off what cannot be done there.
 *
 * Locks. In this order, from the first to the last:
 *
 *	the host's own: of an address space (mmap handlers run under it), of its table of files
 *	one of lock_new()'s
 *	the core's spin locks, with interrupts off, for a few instructions
 *	the host's own in what the last two columns of this table say
 *
 * What each operation may do, and where the core calls it. "Sleeping": interrupts on, none of the
 * core's locks held, so it may wait, fault on user memory, allocate and take any lock but those
 * that its caller holds. "Locked": interrupts on, one of lock_new()'s may be held. "Off":
 * interrupts off, spin locks of the core may be held: no waiting but for a spin lock of the host's
 * that is never held while the core is called, switches (task_cpu) apart. "Any": Off, and in the
 * overflow interrupt as well.
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
 * "Sleeping" and "Locked" ones are called in a task, whose call of the core they are part of; a
 * kernel that preempts can preempt it there, and several tasks are there at once.
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

/* ---- what was interrupted --------------------------------------------------------------- */

/* What the processor was doing when something happened. Plain data, made by the host on
 * its stack, read during the call only. */
struct tally_core_sample_data {
	uint64_t ip;
	uint64_t addr; /* data address; 0 if there is none */
	/* PERF_RECORD_MISC_KERNEL, USER, HYPERVISOR, GUEST_KERNEL or GUEST_USER. A machine without
	 * user mode: USER where a thread was interrupted, KERNEL where a handler was. */
	uint16_t mode;
	bool exact_ip; /* ip is that of the instruction that caused it */
	bool idle;     /* the idle task was running */
	/* The host's: handed back to callchain(), registers() and stack(). NULL in samples of
	 * software events, where here() is NULL or leaves it so. */
	void *regs;
	/* What the PMU knows about this sample; 0 if it does not. */
	uint64_t weight, data_src, transaction;
	const struct perf_branch_entry *branches;
	const uint64_t *branch_counters; /* one word for each branch; NULL: written as 0 */
	uint32_t nr_branches;
};

/* ---- conversion of time for user space -------------------------------------------------- */

/* How user space turns its cycle counter into the core's clock: perf_event_open(2),
 * time_mult, time_shift, time_zero. */
struct tally_core_clock_params {
	bool valid; /* false: user space cannot */
	uint32_t mult;
	uint16_t shift;
	uint64_t zero;
};

/* ---- the operations --------------------------------------------------------------------- */

/* What permit() is asked for. */
enum tally_host_access { TALLY_HOST_OPEN, TALLY_HOST_READ, TALLY_HOST_WRITE };

/* `host` is what tally_core_create() was given. Every operation is needed unless its
 * comment says that NULL is allowed. */
struct tally_host_ops {
	/* Zeroed memory, aligned for any object; NULL when there is none. Taken and given back
	 * where the machine may sleep, never in hooks that run with interrupts off. `free` gets the
	 * size that was asked for, and never NULL. */
	void *(*alloc)(void *host, size_t size);
	void (*free)(void *host, void *memory, size_t size);

	/* Where the machine may sleep, both. `nr` zeroed pages in one piece, page-aligned, that
	 * user space can map; NULL when there are none. With settings.scattered the core asks for
	 * one page at a time, and each may lie anywhere (a host without large contiguous memory, or
	 * one whose D-cache wants the same colour for both mappings). */
	void *(*pages_alloc)(void *host, size_t nr);
	void (*pages_free)(void *host, void *pages, size_t nr);

	/* Sleeping locks, not recursive. A new one for each CPU and for each task that gets its
	 * first event, whose descendants share it; NULL: no memory. The core holds at most one at
	 * a time, so a host may hand out the same one always. */
	void *(*lock_new)(void *host);
	void (*lock_free)(void *host, void *lock);
	void (*lock)(void *host, void *lock);
	void (*unlock)(void *host, void *lock);

	/* Turn interrupts off on this CPU, and back to what they were. Nests. */
	uintptr_t (*irq_save)(void *host);
	void (*irq_restore)(void *host, uintptr_t flags);

	/* Number of the CPU this runs on, below the number given to tally_core_create().
	 * Stable while interrupts are off. */
	uint32_t (*this_cpu)(void *host);

	/* Run fn(arg) on `cpu` with interrupts off and return when it has returned: an IPI, or
	 * a plain call where `cpu` is this one. Several CPUs may ask at once, also each for the
	 * other: who waits has interrupts on and serves what is asked of it meanwhile. It may not
	 * wait for a task to be scheduled, nor for a lock that is held across one of the hooks. 0,
	 * or -ENXIO when that CPU is off line. */
	int (*call)(void *host, uint32_t cpu, void (*fn)(void *arg), void *arg);

	/* Have tally_core_deferred() run on this CPU soon, with interrupts off but outside the
	 * overflow interrupt. Called from anywhere, the overflow interrupt included. Asked again
	 * before that, one call answers all; the switch's own interrupt is a good place, before it
	 * looks who is to run, as notify() makes tasks ready. */
	void (*defer)(void *host);

	/* Busy-wait hint inside a spin loop. NULL is allowed. */
	void (*relax)(void *host);

	/* Nanoseconds, monotonic, the same on all CPUs as far as the hardware can. Called from
	 * anywhere, the overflow interrupt included: a counter of fewer bits has to be made longer
	 * without a lock (docs/howto-port.md, section 6). */
	uint64_t (*clock)(void *host);

	/* The clock that attr.clockid names, for records of use_clockid events; false when
	 * there is no such clock or it cannot be read in an interrupt. NULL: there are none. */
	bool (*clock_of)(void *host, int32_t clockid, uint64_t *ret_ns);

	/* NULL: user space cannot convert cycles into time. */
	void (*clock_params)(void *host, struct tally_core_clock_params *ret_params);

	/* Call tally_core_timer() on this CPU when clock() reaches `deadline`; UINT64_MAX: not
	 * at all. Replaces what was asked for before. A deadline may have passed already: then at
	 * once. Called with interrupts off, also inside of tally_core_timer(). One timer for each
	 * CPU is all the core needs; fired too early, it samples nothing and is set again. NULL:
	 * cpu-clock and task-clock cannot sample. */
	void (*timer)(void *host, uint64_t deadline);

	/* The task with that thread id (as `current` numbers them), kept alive until task_put.
	 * NULL when there is none. */
	struct tally_core_task *(*task_get)(void *host, struct tally_core_task *current,
					    int32_t tid);
	void (*task_put)(void *host, struct tally_core_task *task);

	/* The CPU that `task` runs on, -1: on none. Does not sleep. What it answers is ordered with
	 * the switch hook, as by the scheduler's lock: a switch that the answer does not tell of
	 * yet sees all that the core did before it asked. NULL: the core asks every CPU instead. */
	int32_t (*task_cpu)(void *host, const struct tally_core_task *task);

	/* The task that runs on this CPU, as the switch hook was told it last or would have been;
	 * NULL: one without a control block. With interrupts off. With it the hooks cost a load and
	 * a branch while no event is open and no task that had one is left
	 * (tally_core_is_watched()); the first one that is opened then has every CPU asked, and a
	 * task that was on none counts no migration before it has run. NULL: hooks are always of
	 * use. */
	struct tally_core_task *(*running)(void *host);

	/* The event behind a descriptor of `current`, NULL when it is none of ours. The host
	 * keeps it open until the call that asked is over. A call asks at most once, for the
	 * descriptor among its arguments: open() for group_fd, ioctl() for that of SET_OUTPUT. */
	struct tally_core_event *(*event_of_fd)(void *host, struct tally_core_task *current,
						int fd);

	/* Whether `current` holds a capability of Linux by number (TALLY_CORE_CAP_*). NULL: there
	 * are no users, and everybody holds all of them. */
	bool (*capable)(void *host, const struct tally_core_task *current, int capability);

	/* Whether `current` may look at what `target` does: the rule of ptrace's read access. NULL:
	 * with the same user's account (task->user) it may; where nobody counts, so that it is
	 * NULL, it may not. */
	bool (*may_observe)(void *host, const struct tally_core_task *current,
			    const struct tally_core_task *target);

	/* Whether `current` may stop and change `target`, which is of another process: the rule of
	 * ptrace's attach. Who may not cannot have SIGTRAP sent to it (attr.sigtrap) unless it
	 * holds both CAP_PERFMON and CAP_KILL. NULL: it may not. */
	bool (*may_trap)(void *host, const struct tally_core_task *current,
			 const struct tally_core_task *target);

	/* The word of a security module, after the rights above: whether who runs here may open an
	 * event with this attr, read or map an event, or change one (ioctl). `cookie` is that of
	 * the event, NULL of one that is to be opened. Where the machine may sleep, with no lock of
	 * the core; not asked of what the kernel does itself. False: -EACCES. NULL: nobody objects.
	 */
	bool (*permit)(void *host, enum tally_host_access access,
		       const struct perf_event_attr *attr, void *cookie);

	/* The numbers of `task` (with `parent`, of who made it) as the namespace `viewer` sees
	 * them, which is that of the task that opened the event: its task->viewer. `task` is always
	 * one of the host's. In the overflow interrupt, and of one that tally_core_end() ends.
	 * NULL: everybody sees the same ones. */
	void (*ids)(void *host, void *viewer, const struct tally_core_task *task, bool parent,
		    int32_t *ret_pid, int32_t *ret_tid);

	/* Bytes that `current` may lock beyond the share of each user; UINT64_MAX: any. NULL: 0. */
	uint64_t (*memlock_limit)(void *host, const struct tally_core_task *current);

	/* Copy from and to the memory of the calling program. 0 or -EFAULT. */
	int (*copy_from_user)(void *host, void *to, const void *user, size_t len);
	int (*copy_to_user)(void *host, void *user, const void *from, size_t len);

	/* Wake who polls the event, and send the signals that its descriptor is set up for.
	 * `events` is POLLIN, or POLLHUP when its REFRESH count is used up. `cookie` is what
	 * tally_core_event_set_cookie() was given; not called while that is NULL. From
	 * tally_core_deferred(), and where a PMU or tracepoint is unregistered; with interrupts
	 * off, outside the overflow interrupt. May make tasks ready; must not call the core. NULL:
	 * nobody waits. */
	void (*notify)(void *host, void *cookie, unsigned events);

	/* Send SIGTRAP with si_perf_data = sig_data, si_addr = addr and si_perf_type = type to
	 * `task`, the one that runs here. NULL: attr.sigtrap is refused. */
	void (*sigtrap)(void *host, struct tally_core_task *task, uint64_t addr, uint32_t type,
			uint64_t sig_data);

	/* The sample data of a context switch or migration, for events that sample those: where in
	 * the kernel the calling hook is, and its registers. NULL: kernel mode, ip 0, regs
	 * NULL. */
	void (*here)(void *host, struct tally_core_sample_data *ret_sample_data);

	/* Return addresses from `sample_data` outwards, its ip first, of the kernel or of user
	 * space: at most `max`; how many. In the overflow interrupt: must not sleep, fault or trust
	 * the stack. `regs` is sample_data->regs or what user_regs() gave. NULL: chains are the ip
	 * alone. */
	uint32_t (*callchain)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t *ret_ips, uint32_t max);

	/* The registers of `mask`, lowest bit first, of the sample data or, with `user`, of user
	 * space at its last entry. PERF_SAMPLE_REGS_ABI_*; NONE when there are none. NULL: attrs
	 * that ask for registers are refused. */
	uint64_t (*registers)(void *host, const struct tally_core_sample_data *sample_data,
			      bool user, uint64_t mask, uint64_t *ret_values);
	uint64_t register_mask; /* those that there are */

	/* Up to `len` bytes of the user stack from its pointer up; how many were copied. NULL:
	 * attrs that ask for the stack are refused. */
	uint32_t (*stack)(void *host, const struct tally_core_sample_data *sample_data, void *to,
			  uint32_t len);

	/* Physical address of a data address, 0 if unknown; NULL: attrs that ask for it are
	 * refused. */
	uint64_t (*physical)(void *host, uint64_t addr);

	/* Bytes of the page that a data or code address of what runs here lies in; 0 if it is
	 * mapped nowhere. In the overflow interrupt: must not sleep or fault. NULL: attrs that ask
	 * for page sizes are refused. */
	uint64_t (*page_size_of)(void *host, uint64_t addr);

	/* The id of the cgroup that what runs here belongs to. In the overflow interrupt. NULL:
	 * attrs that ask for it are refused. */
	uint64_t (*cgroup)(void *host);

	/* Registers the host's PMUs (tally_core_pmu_register()); at the end of tally_core_create().
	 * 0, or an error that makes it fail. NULL: tally_core_pmu_init() is called, see there. */
	int (*pmu_init)(struct tally_core *core, void *host);

	/* Bytes of a page; a power of two, TALLY_CORE_PAGE_LEAST at the least: else -EINVAL of
	 * tally_core_create(). The metadata of a ring (1,088 bytes) take as many as they need. */
	size_t page_size;

	/* What else the host does: enum tally_host_offers. What is not offered is refused when an
	 * event is opened, with the field named, and never taken and left undone. */
	uint64_t offers;
};

/* Smaller pages would make a ring of hardly any records. */
enum { TALLY_CORE_PAGE_LEAST = 512 };

/* What only some hosts have. The first are promises to call a hook of core.h. */
enum tally_host_offers {
	TALLY_HOST_TEXT_POKE = 1 << 0, /* attr.text_poke: tally_core_text_poke() */
	/* attr.bpf_event: tally_core_bpf(); PERF_COUNT_SW_BPF_OUTPUT: tally_core_software(). */
	TALLY_HOST_BPF = 1 << 1,
	/* attr.cgroup: tally_core_cgroup(); PERF_COUNT_SW_CGROUP_SWITCHES: tally_core_software().
	 */
	TALLY_HOST_CGROUP = 1 << 2,
	/* PERF_SAMPLE_AUX is taken, and its field is always empty, as Linux has it for events
	 * without an AUX event beside them. AUX areas themselves there are none. */
	TALLY_HOST_EMPTY_AUX = 1 << 3,
	/* It has a tally_core_pmu_init(): tally_core_create() fails with -ENXIO if that of the
	 * core was linked instead. */
	TALLY_HOST_PMU_INIT = 1 << 4,
	/* Context switches and migrations are told by tally_core_software(), and the core counts
	 * none by itself: for a host whose switch hook only says whose time it is, as one that
	 * replays what tasks used elsewhere does. */
	TALLY_HOST_TELLS_SWITCHES = 1 << 5,
};

/* Capabilities of Linux that the core asks for. */
enum {
	TALLY_CORE_CAP_KILL = 5,
	TALLY_CORE_CAP_IPC_LOCK = 14,
	TALLY_CORE_CAP_SYS_PTRACE = 19,
	TALLY_CORE_CAP_SYS_ADMIN = 21,
	TALLY_CORE_CAP_PERFMON = 38,
};

/* ---- PMUs ------------------------------------------------------------------------------- */

/* The driver's side of one event. The driver owns what is said to be its own. */
struct tally_core_hw {
	const struct perf_event_attr *attr;
	const struct tally_core_task *task; /* whom it was opened for; NULL: all of a CPU. To be
					     * compared only: that task may be gone */
	int32_t cpu;                        /* the only CPU it is for; -1: any */
	uint64_t config[4]; /* the driver's: what init() worked out for its registers */
	int32_t index;      /* the driver's: the counter it is on; -1: on none */
	uint8_t width;      /* the driver's: bits of that counter, set by add() at the latest */
	bool running;       /* the driver's: between start() and stop() */
	uint64_t previous;  /* the counter when it was last folded in; above its width the core's */
	/* The core's. */
	uint64_t period;      /* events from one sample to the next; 0: only counts */
	uint64_t last_period; /* of the sample being written */
	int64_t left;         /* events until the next sample */
};

enum tally_core_pmu_caps {
	TALLY_PMU_NO_INTERRUPT = 1 << 0, /* counters cannot interrupt: sampling is refused */
	TALLY_PMU_NO_EXCLUDE = 1 << 1,   /* cannot tell modes apart: attr.exclude_* is refused */
	TALLY_PMU_SOFTWARE = 1 << 2,     /* always has room; does not make a group a hardware one */
	TALLY_PMU_USER_READ = 1 << 3,    /* user space can read its counters (cap_user_rdpmc) */
	TALLY_PMU_PER_CPU_ONLY = 1 << 4, /* counts a thing that no task owns: no per-task events */
};

/* A PMU: a table of verbs. All but init() run on the CPU whose counters they touch, with
 * interrupts off. Constant data but for the links at the end. */
struct tally_core_pmu {
	const char *name;
	uint32_t type; /* PERF_TYPE_*, or a number of its own from 6 up; unique but for HARDWARE,
			* HW_CACHE and RAW, which are offered to every PMU that says core = true */
	bool core;     /* serves PERF_TYPE_HARDWARE, HW_CACHE and RAW as well */
	uint8_t nr_counters; /* of each CPU; information for refusals. 0: not limited */
	uint8_t width;       /* bits of its counters, for the user page */
	uint32_t caps;       /* enum tally_core_pmu_caps */
	uint8_t max_precise; /* attr.precise_ip beyond it is refused; a SOFTWARE one's is not asked
			      */
	uint64_t branches;   /* PERF_SAMPLE_BRANCH_* bits that samples can have; 0: no
			      * branch stack */

	/* Take an event whose attr has passed the core's checks: fill hw->config. Sees no
	 * hardware, may run on any CPU, and judges no rights: check() does. 0; -ENOENT: not an
	 * event of this PMU; -EOPNOTSUPP: an option of the attr that it cannot do; -EINVAL; other
	 * errors are final too. */
	int (*init)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Whether who asks may have an event with this attr: of an event that init() took, and of
	 * one that modify() is about to be called for, with the fields that are to change.
	 * `current` is who makes the call, wherever the event counts; NULL: the kernel itself.
	 * Where the machine may sleep. 0, or what it is refused with. NULL: everybody may. */
	int (*check)(struct tally_core_pmu *pmu, const struct perf_event_attr *attr,
		     const struct tally_core_task *current);

	/* A forked task inherits an event that init() took: `hw` is as that one's, but for its
	 * task. Take for it what init() took for that one; there is room, since a child has no more
	 * events than who made it. Under a lock of the core: must not sleep. NULL: nothing is
	 * taken. */
	void (*inherit)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* The event is going: give back what init() or inherit() took for it, once for each. Where
	 * the core frees memory. NULL: nothing is to be given back. */
	void (*forget)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Let the event, which is stopped and on no CPU, be as `attr` has it, which differs from
	 * its own in bp_type, bp_addr, bp_len and disabled at most: IOC_MODIFY_ATTRIBUTES.
	 * check() has let it pass; what runs on this CPU is not who asks. Interrupts are off;
	 * hw->attr follows afterwards. 0, or what init() would refuse it with, and all is as it
	 * was. NULL: events cannot be modified. */
	int (*modify)(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
		      const struct perf_event_attr *attr);

	/* Whether these events could ever be on the counters together; they are those of one
	 * group that belong to this PMU. 0 or -EINVAL. NULL: not checked when opened. */
	int (*fits)(struct tally_core_pmu *pmu, struct tally_core_hw *const *hws, uint32_t nr);

	/* Give the event a counter, stopped; those that have one keep it. 0; -ENOSPC: every counter
	 * is taken; -EBUSY: this event's counters are. */
	int (*add)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Take its counter away again. It is stopped. */
	void (*del)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Count from now on. The driver writes tally_core_hw_arm() into the counter; or, if it
	 * cannot be written, hw->previous = what it reads. */
	void (*start)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Stop counting and fold the counter in: tally_core_hw_update(). Also called from the
	 * overflow interrupt, for the counter that overflowed or another. */
	void (*stop)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Fold the running counter in. */
	void (*read)(struct tally_core_pmu *pmu, struct tally_core_hw *hw);

	/* Around adding a group: between begin and commit, add() may only note what it needs.
	 * commit() returns 0, or undoes nothing and returns -ENOSPC or -EBUSY: the core deletes
	 * what it added. All three NULL: add() decides at once. */
	void (*begin)(struct tally_core_pmu *pmu);
	int (*commit)(struct tally_core_pmu *pmu);
	void (*cancel)(struct tally_core_pmu *pmu);

	/* Stop and continue all counters of this CPU: around changes of several events, so that
	 * a group starts and stops as one. NULL: not possible. */
	void (*pause)(struct tally_core_pmu *pmu);
	void (*resume)(struct tally_core_pmu *pmu);

	/* The number by which user space reads this counter, plus one; 0: it cannot.
	 * NULL: hw->index + 1. */
	uint32_t (*user_index)(struct tally_core_pmu *pmu, const struct tally_core_hw *hw);

	/* Which CPU counts for this one, for a PMU whose counters belong to several CPUs, a package
	 * say: every event of theirs is opened there, and hw->cpu says so after init(). -1: none.
	 * It answers the same until that one is off line (tally_core_cpu_is_online()); then another
	 * that is on line, to which what was opened goes with its counts. Where there is none left,
	 * the events wait for the first that comes. Of such a PMU there are events of CPUs only,
	 * which do not sample (TALLY_PMU_PER_CPU_ONLY and TALLY_PMU_NO_INTERRUPT, else it is not
	 * registered), have no ring and are in groups by themselves. A lock of the core may be
	 * held: must not sleep. NULL: each CPU has its own counters. */
	int32_t (*cpu_of)(struct tally_core_pmu *pmu, uint32_t cpu);

	void *driver; /* the driver's */

	/* The core's, zero until registered. */
	struct tally_core *owner;
	struct tally_core_pmu *next;
	struct tally_core_pmu_cpu *cpus;
	uint32_t users; /* its events, and who looks at it */
	bool leaving;
};

/*
 * Register a PMU; any number of them. At any time, where the machine may sleep. 0; -EEXIST: its
 * type is taken; -EBUSY: it is half gone (below); -ENOMEM; -EINVAL: a verb is missing.
 */
int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * A PMU goes, whether or not it is used: no event can be opened on it from now on, and those that
 * were are revoked: they come off, their counts are lost, read() says end of file, ioctl() and
 * mmap() fail with -ENODEV, poll() says POLLERR | POLLHUP; only close() is left. Where the machine
 * may sleep, with no lock of the core. Afterwards the core calls none of its verbs and the object
 * is the host's again. 0; -ENOENT: it is not registered; -EBUSY: an event of it is just being
 * opened, modified or closed: call again, until then it stays half gone: it takes no event, and its
 * type stays taken.
 */
int tally_core_pmu_unregister(struct tally_core *core, struct tally_core_pmu *pmu);

/*
 * Called by tally_core_create() where ops->pmu_init is NULL: registers the host's PMUs. The core
 * has a weak one that registers none; a host overrides it (hw_perf_event_init() of the design
 * document). One that lies in an archive does not override anything: linkers do not look for what
 * they have. So ops->pmu_init or tally_core_pmu_register() is to be preferred, a host that relies
 * on this one offers TALLY_HOST_PMU_INIT, and hardware events without any PMU are refused with this
 * reason. 0, or an error that makes tally_core_create() fail.
 */
int tally_core_pmu_init(struct tally_core *core, void *host);

/* ---- for drivers ------------------------------------------------------------------------ */

/* Fold `now`, the counter's value, into the event's count: adds (now - previous) modulo
 * 2^width. On the event's CPU; the overflow interrupt included. For a counter that stands still,
 * or whose overflow interrupt cannot come between reading it and this call. */
void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now);

/* The same for one that runs: `counter` reads it, and is called again when an overflow interrupt
 * came in between and folded or armed it. So read() needs to keep no interrupt out, but for
 * counters of 64 bits that count events and whose interrupt irq_save does not mask. */
void tally_core_hw_fold(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
			uint64_t (*counter)(struct tally_core_pmu *pmu, struct tally_core_hw *hw));

/* What to write into the counter so that it overflows when the period is over or, for an
 * event that only counts or whose period is longer, well before it wraps unseen. Notes it as
 * `previous`. */
uint64_t tally_core_hw_arm(struct tally_core_hw *hw);

/* What an event without a counter waits for - a breakpoint - happened `nr` times: counted while it
 * is started and its attr does not exclude the mode, and sampled when its period is over. On the
 * event's CPU, with interrupts off, and not in an overflow interrupt that irq_save does not mask.
 */
void tally_core_hw_happen(struct tally_core_hw *hw, uint64_t nr,
			  const struct tally_core_sample_data *sample_data);

/*
 * The counter of `hw` overflowed and reads `now`. Folds it in and, if its period is over,
 * writes the sample. The driver then writes `*ret_next` into the counter and lets it run on;
 * or, when false is returned, leaves it stopped (throttled, or its REFRESH count used up).
 */
bool tally_core_hw_overflow(struct tally_core_hw *hw, uint64_t now,
			    const struct tally_core_sample_data *sample_data, uint64_t *ret_next);

#ifdef __cplusplus
}
#endif

#endif
