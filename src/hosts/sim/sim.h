/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated machine. A struct tally_sim hosts a core and keeps exact counts.
 *
 * It simulates CPUs, counters, and a clock with a resolution of one nanosecond; tasks follow
 * scripts. A single host thread runs the machine, one event at a time, so the results are
 * deterministic. Everything is counted twice: exactly by the machine, for each task, CPU, mode and
 * signal (tally_sim_truth()), and by the core under test, which has too few counters and has to
 * handle counters that wrap and interrupt. The core's code takes no simulated time unless
 * config.op_cost_ns is set.
 *
 *	static const struct tally_sim_rates busy = {.per_ms = {[SIM_CYCLES] = 3000000}};
 *	static const struct tally_sim_step script[] = {
 *		SIM_LOOP(10), SIM_RUN(SIM_USER, 500000, &busy), SIM_SLEEP(100000), SIM_END_LOOP(),
 *		SIM_EXIT(),
 *	};
 *	const struct tally_sim_config config = {.nr_cpus = 2, .pmus = pmus, .nr_pmus = 1};
 *
 *	tally_sim_create(&config, &sim);
 *	task = tally_sim_task_new(sim, &(struct tally_sim_spawn){.script = script});
 *	fd = tally_sim_open(sim, task, &attr, 0, -1, -1, 0);
 *	tally_sim_run(sim, 2000000);
 *	tally_sim_read(sim, task, fd, &count, sizeof(count));
 *	count == tally_sim_truth(sim, (struct tally_sim_filter){.task = task}, SIM_CYCLES);
 *	tally_sim_destroy(sim);
 *
 * The machine checks that the core complies with host.h: see tally_sim_violation(). Functions
 * return 0 or -errno.
 */
#ifndef TALLY_HOSTS_SIM_H
#define TALLY_HOSTS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/core.h"

struct tally_sim;

struct tally_sim_task;

/* A task's cgroup is SIM_CGROUP plus its user ID. */
enum { SIM_STACK_BYTES = 512, SIM_PHYSICAL = 0x5000, SIM_CGROUP = 0x1000 };

enum {
	SIM_MAX_CPUS = 128,
	SIM_MAX_PMUS = 8,
	SIM_MAX_COUNTERS = 32,
	SIM_MAX_LOOPS = 4,
	SIM_MAX_BREAKPOINTS = 4,
};

enum tally_sim_mode {
	SIM_USER,
	SIM_KERNEL,
	SIM_HYPERVISOR,
	SIM_GUEST_KERNEL,
	SIM_GUEST_USER,
	SIM_IDLE, /* the idle task: in kernel mode, but counted separately */
	SIM_NR_MODES,
};

/* Signals. The first signals are numbered like enum perf_hw_id. PMUs can count all signals below
 * SIM_NR_HW; raw events use Intel Core's encoding (0x3c is cycles, 0x4064 is SIM_EXTRA: see
 * sim_pmu.c), or the signal's number. Only the machine counts the other signals: SIM_NS is the time
 * spent, SIM_SW + n is PERF_COUNT_SW_n. */
enum tally_sim_signal {
	SIM_CYCLES = PERF_COUNT_HW_CPU_CYCLES,
	SIM_INSTRUCTIONS = PERF_COUNT_HW_INSTRUCTIONS,
	SIM_CACHE_REFERENCES = PERF_COUNT_HW_CACHE_REFERENCES,
	SIM_CACHE_MISSES = PERF_COUNT_HW_CACHE_MISSES,
	SIM_BRANCHES = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	SIM_BRANCH_MISSES = PERF_COUNT_HW_BRANCH_MISSES,
	SIM_BUS_CYCLES = PERF_COUNT_HW_BUS_CYCLES,
	SIM_REF_CYCLES = PERF_COUNT_HW_REF_CPU_CYCLES,
	SIM_EXTRA = PERF_COUNT_HW_MAX, /* this and the following signals are for use in tests */
	SIM_NR_HW = 16,
	SIM_NS = SIM_NR_HW,
	SIM_SW,
	SIM_NR_SIGNALS = SIM_SW + PERF_COUNT_SW_MAX,
};

/* Event rates: events per ms, plus events per second (below 1000). A fraction of an event is
 * carried over to the task's next segment. */
struct tally_sim_rates {
	uint32_t per_ms[SIM_NR_HW];
	uint16_t per_s[SIM_NR_HW];
};

/*
 * A segment of execution. Samples have the address `ip` + (ns done & ~3) % ip_len. A callchain
 * consists of that address, then the segment's ip + 0x1000, ip + 0x2000 ... In kernel mode, the
 * user part is the callchain of the last user segment. Register n is tid << 32 | n, with the top
 * bit set for user space. Byte n of a user stack of SIM_STACK_BYTES is n. Physical addresses are
 * addr ^ SIM_PHYSICAL.
 */
struct tally_sim_segment {
	enum tally_sim_mode mode;
	uint64_t ns;
	const struct tally_sim_rates *rates; /* NULL if only time passes */
	uint64_t ip, ip_len;                 /* 0 for the mode's default and 0x1000 bytes */
	uint64_t addr;                       /* data address in samples */
	uint32_t depth;                      /* number of callchain entries; 0 is the same as 1 */
};

/* A load, store or execution of `len` bytes, for breakpoints. */
struct tally_sim_access {
	uint64_t addr, len;
	uint32_t type; /* HW_BREAKPOINT_R, W or X */
	enum tally_sim_mode mode;
};

enum tally_sim_op {
	SIM_OP_EXIT, /* must be 0, as zeros end a script */
	SIM_OP_RUN,
	SIM_OP_LOOP,
	SIM_OP_END_LOOP,
	SIM_OP_SLEEP,
	SIM_OP_YIELD,
	SIM_OP_FORK,
	SIM_OP_EXEC,
	SIM_OP_COMM,
	SIM_OP_MAP,
	SIM_OP_UNMAP,
	SIM_OP_NAMESPACES,
	SIM_OP_SOFTWARE,
	SIM_OP_HIT,
	SIM_OP_ACCESS,
	SIM_OP_MIGRATE,
	SIM_OP_PRIORITY,
	SIM_OP_CALL,
};

struct tally_sim_step {
	enum tally_sim_op op;
	union {
		struct tally_sim_segment run;
		uint64_t ns;      /* SLEEP */
		uint64_t times;   /* LOOP; 0 to repeat forever */
		uint32_t cpu;     /* MIGRATE: CPU that the task is bound to */
		int32_t priority; /* PRIORITY */
		struct {
			const char *comm; /* NULL to keep the name */
			bool privileged;
		} exec;
		const char *comm;                         /* COMM */
		const struct tally_core_mapping *mapping; /* MAP, UNMAP */
		const struct perf_ns_link_info *links;    /* NAMESPACES: array of 7 */
		struct {
			const struct tally_sim_step *script;
			bool process;
			int32_t cpu; /* the child's CPU, or -1 for the parent's CPU */
		} fork;
		struct {
			uint32_t id; /* PERF_COUNT_SW_* */
			uint64_t nr;
			enum tally_sim_mode mode;
			uint64_t ip, addr;
		} software;
		struct tally_sim_access access;
		struct {
			const struct tally_core_tracepoint *tracepoint;
			const void *raw;
			uint32_t len;
		} hit;
		struct {
			/* Function called on the task's CPU with interrupts on, for example to make
			 * system calls as the task. */
			void (*fn)(struct tally_sim *sim, struct tally_sim_task *task, void *arg);
			void *arg;
		} call;
	};
};

/* A step is {.op = SIM_OP_..., .MEMBER = ...}, with the union member for this op. */
#define SIM_STEP(op_, ...)                      \
	{                                       \
		.op = SIM_OP_##op_, __VA_ARGS__ \
	}

#define SIM_RUN(mode_, ns_, rates_) \
	SIM_STEP(RUN, .run = {.mode = (mode_), .ns = (ns_), .rates = (rates_)})

#define SIM_SEGMENT(...) SIM_STEP(RUN, .run = {__VA_ARGS__})

#define SIM_LOOP(times_) SIM_STEP(LOOP, .times = (times_))

#define SIM_END_LOOP() SIM_STEP(END_LOOP, .ns = 0)

#define SIM_SLEEP(ns_) SIM_STEP(SLEEP, .ns = (ns_))

#define SIM_YIELD() SIM_STEP(YIELD, .ns = 0)

#define SIM_FORK(script_) SIM_STEP(FORK, .fork = {(script_), true, -1})

#define SIM_FORK_TO(script_, cpu_) SIM_STEP(FORK, .fork = {(script_), true, (cpu_)})

#define SIM_CLONE(script_) SIM_STEP(FORK, .fork = {(script_), false, -1})

#define SIM_CLONE_TO(script_, cpu_) SIM_STEP(FORK, .fork = {(script_), false, (cpu_)})

#define SIM_EXEC(comm_) SIM_STEP(EXEC, .exec = {(comm_), false})

#define SIM_EXEC_PRIVILEGED(comm_) SIM_STEP(EXEC, .exec = {(comm_), true})

#define SIM_COMM(comm_) SIM_STEP(COMM, .comm = (comm_))

#define SIM_MAP(mapping_) SIM_STEP(MAP, .mapping = (mapping_))

#define SIM_UNMAP(mapping_) SIM_STEP(UNMAP, .mapping = (mapping_))

#define SIM_NAMESPACES(links_) SIM_STEP(NAMESPACES, .links = (links_))

#define SIM_SOFTWARE(id_, nr_) SIM_STEP(SOFTWARE, .software = {.id = (id_), .nr = (nr_)})

#define SIM_HIT(tracepoint_, raw_, len_) SIM_STEP(HIT, .hit = {(tracepoint_), (raw_), (len_)})

#define SIM_ACCESS(type_, addr_, len_) \
	SIM_STEP(ACCESS, .access = {(addr_), (len_), (type_), SIM_USER})

#define SIM_MIGRATE(cpu_) SIM_STEP(MIGRATE, .cpu = (cpu_))

#define SIM_PRIORITY(priority_) SIM_STEP(PRIORITY, .priority = (priority_))

#define SIM_CALL(fn_, arg_) SIM_STEP(CALL, .call = {(fn_), (arg_)})

#define SIM_EXIT() SIM_STEP(EXIT, .ns = 0)

/* An attr's type and config (without the PMU type in the upper bits), and the signal that they
 * select. */
struct tally_sim_event {
	uint32_t type;
	uint64_t config;
	uint8_t signal;
};

/* Description of a PMU. Counters 0 .. nr_generic - 1 can count any signal. The counters from
 * nr_generic on are fixed to one signal each. For PERF_TYPE_RAW and the PMU's own type, config is
 * the signal. PERF_TYPE_HW_CACHE supports only last-level reads. */
struct tally_sim_pmu {
	const char *name;
	uint32_t type;
	bool core; /* serves PERF_TYPE_HARDWARE, HW_CACHE and RAW */
	uint8_t nr_generic, nr_fixed;
	uint8_t fixed[8];               /* signal that each fixed counter counts */
	uint8_t width;                  /* in bits, 8 to 64 */
	uint32_t caps;                  /* TALLY_PMU_* */
	uint32_t constraint[SIM_NR_HW]; /* generic counters for a signal; 0 for all */
	uint32_t absent;                /* bit mask of signals that cannot be counted */
	uint32_t skid_ns;               /* delay from an overflow to the interrupt */
	uint8_t max_precise;            /* highest precise_ip; unless 0, skid_ns must be 0 */
	bool maskable;                  /* the interrupt is delayed while interrupts are off */
	bool immediate;                 /* no transactions: add() finds the counter */
	bool no_pause;                  /* no pause() and resume() operations */
	/* Events that the PMU counts, or NULL for the encodings above. Must outlive the machine. */
	const struct tally_sim_event *events;
	uint32_t nr_events;
};

struct tally_sim_config {
	uint32_t nr_cpus;                 /* all are online at the start */
	const struct tally_sim_pmu *pmus; /* copied by tally_sim_create() */
	uint32_t nr_pmus;
	uint8_t nr_breakpoints;                     /* registers per CPU; 0 for no breakpoint PMU */
	const struct tally_core_settings *settings; /* NULL for the core's defaults */
	const struct tally_sim_rates *idle;         /* event rates on idle CPUs */
	uint64_t quantum_ns;                        /* length of a time slice; 0 for 4 ms */
	uint64_t op_cost_ns;                        /* time taken by each host operation */
	uint64_t seed;                              /* determines where pages are placed */
	uint32_t nr_pages;                          /* pages for ring buffers; 0 for 16384 */
	uint32_t max_tasks;  /* further forks fail with -ENOMEM; 0 if unlimited */
	bool no_task_cpu;    /* omit the optional task_cpu() operation */
	bool says_running;   /* provide the optional running() operation */
	bool tells_switches; /* scripts report switches and migrations; the core does not */
	bool bare;           /* omit all other optional operations, and offer no features */
	/* If not NULL, called when a descriptor with an owner (tally_sim_set_owner()) is notified
	 * of TALLY_CORE_POLLIN or POLLHUP. Must not call the machine. */
	void (*notified)(void *owner, unsigned events);
	/* Called at each violation of host.h, before the violation is recorded. Need not return. */
	void (*violated)(void *arg, const char *what);
	void *violated_arg;
};

/* Initial state of a task that is not forked. The task is the only thread in its process. */
struct tally_sim_spawn {
	const struct tally_sim_step *script; /* must outlive the machine; NULL to sleep forever */
	uint32_t cpu;
	int32_t priority; /* lower numbers run first, and preempt higher ones */
	uint32_t uid;
	uint64_t caps;    /* bit mask of TALLY_CORE_CAP_* */
	uint64_t memlock; /* RLIMIT_MEMLOCK in bytes */
};

/* Signal counts: signals that notify() sent for the task's descriptors (tally_sim_set_async()), and
 * SIGTRAPs. Also contains the data from the last SIGTRAP. */
struct tally_sim_signals {
	uint64_t async, traps;
	uint64_t trap_addr, trap_data;
	uint32_t trap_type;
};

/* Filter for exact counts. An all-zero filter selects all tasks, including idle tasks, on all
 * CPUs. */
struct tally_sim_filter {
	const struct tally_sim_task *task;
	bool tree;      /* include all descendants of `task` */
	uint32_t cpus;  /* bit mask; 0 for all */
	uint32_t modes; /* bit mask by enum tally_sim_mode; 0 for all */
};

/* Number of notify() calls for a descriptor, with POLLIN and with POLLHUP. */
struct tally_sim_notifications {
	uint64_t in, hup;
};

/* Create a machine. Returns 0, -ENOMEM, -EINVAL for an invalid number of CPUs, PMUs, counters or
 * breakpoints, or an error from creating the core. */
int tally_sim_create(const struct tally_sim_config *config, struct tally_sim **ret_sim);

/* Make all tasks exit, close their files and destroy the core. Returns the number of bytes and
 * pages that the core did not free, which should be 0. NULL is allowed. */
size_t tally_sim_destroy(struct tally_sim *sim);

struct tally_core *tally_sim_core(struct tally_sim *sim);

/* Return the operations that the core was created with. */
const struct tally_host_ops *tally_sim_ops(const struct tally_sim *sim);

/* Return the core's first violation of host.h, or NULL. Examples: allocating or sleeping with
 * interrupts off, taking the lock twice, calling another CPU without the lock, leaving interrupts
 * off. */
const char *tally_sim_violation(const struct tally_sim *sim);

uint64_t tally_sim_now(const struct tally_sim *sim);

/* Take a CPU offline, or bring it online again. Tasks move to the first CPU that is still online.
 * Returns -EBUSY for the last online CPU. */
int tally_sim_cpu_offline(struct tally_sim *sim, uint32_t cpu);

int tally_sim_cpu_online(struct tally_sim *sim, uint32_t cpu);

/* Return the reason why the last open, ioctl or mmap was rejected. */
const struct tally_core_refusal *tally_sim_refusal(const struct tally_sim *sim);

/* Make the `nth` allocation from now on fail, once; 1 is the next allocation. 0 cancels a pending
 * failure. */
void tally_sim_fail_alloc(struct tally_sim *sim, uint64_t nth);

/* Set the accesses that the security module denies from now on: a bit mask by enum
 * tally_host_access. */
void tally_sim_forbid(struct tally_sim *sim, uint32_t accesses);

/* Make copies from or to this user memory fail from now on. If `len` is 0, no copies fail. */
void tally_sim_fail_copy(struct tally_sim *sim, const void *user, size_t len);

/* Return the number of bytes or pages that the core has allocated. */
size_t tally_sim_allocated_bytes(const struct tally_sim *sim);

size_t tally_sim_allocated_pages(const struct tally_sim *sim);

/* Return the cycle counter as seen by user space. It counts four cycles per ns. */
uint64_t tally_sim_tsc(const struct tally_sim *sim);

#endif
