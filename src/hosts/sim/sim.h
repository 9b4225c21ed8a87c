/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated machine: one struct tally_sim hosts one core and knows the truth.
 *
 * CPUs, a clock in nanoseconds and counters, none of them real; tasks that follow scripts. One
 * host thread runs all of it, event by event, so that the same calls always do the same. What
 * happens is counted twice: by the machine, exactly, for each task, CPU, mode and signal
 * (tally_sim_truth()), and by the core under test, out of counters that wrap, interrupt and are
 * too few. Code of the core takes no simulated time unless config.op_cost_ns says so.
 *
 *	static const struct tally_sim_rates busy = {.per_ms = {[SIM_CYCLES] = 3000000}};
 *	static const struct tally_sim_step script[] = {
 *		SIM_LOOP(10), SIM_RUN(SIM_USER, 500000, &busy), SIM_SLEEP(100000), SIM_END_LOOP(),
 *		SIM_EXIT(),
 *	};
 *
 *	tally_sim_create(&(struct tally_sim_config){.nr_cpus = 2, .pmus = pmus, .nr_pmus = 1}, &sim);
 *	task = tally_sim_task_new(sim, &(struct tally_sim_spawn){.script = script});
 *	fd = tally_sim_open(sim, task, &attr, 0, -1, -1, 0);
 *	tally_sim_run(sim, 2000000);
 *	tally_sim_read(sim, task, fd, &count, sizeof(count));
 *	count == tally_sim_truth(sim, (struct tally_sim_filter){.task = task}, SIM_CYCLES);
 *	tally_sim_destroy(sim);
 *
 * The machine watches that the core keeps to host.h: see tally_sim_violation(). Functions
 * return 0 or -errno; those that must not fail in a test (tasks, steps) say so.
 */
#ifndef TALLY_HOSTS_SIM_H
#define TALLY_HOSTS_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/core.h"

struct tally_sim;

struct tally_sim_task;

/* The cgroup of a task is SIM_CGROUP + its user. */
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
	SIM_IDLE, /* the idle task: kernel mode, and told apart */
	SIM_NR_MODES,
};

/* Signals. The first are numbered as enum perf_hw_id; a PMU counts all up to SIM_NR_HW. Raw events
 * name them in the encoding of Intel's Core (0x3c is cycles, 0x4064 SIM_EXTRA: pmu.c), or by their
 * number. The others are the machine's own: SIM_NS is the time spent, SIM_SW + n are
 * PERF_COUNT_SW_n. */
enum tally_sim_signal {
	SIM_CYCLES = PERF_COUNT_HW_CPU_CYCLES,
	SIM_INSTRUCTIONS = PERF_COUNT_HW_INSTRUCTIONS,
	SIM_CACHE_REFERENCES = PERF_COUNT_HW_CACHE_REFERENCES,
	SIM_CACHE_MISSES = PERF_COUNT_HW_CACHE_MISSES,
	SIM_BRANCHES = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	SIM_BRANCH_MISSES = PERF_COUNT_HW_BRANCH_MISSES,
	SIM_BUS_CYCLES = PERF_COUNT_HW_BUS_CYCLES,
	SIM_REF_CYCLES = PERF_COUNT_HW_REF_CPU_CYCLES,
	SIM_EXTRA = PERF_COUNT_HW_MAX, /* and the following: whatever a test wants them to be */
	SIM_NR_HW = 16,
	SIM_NS = SIM_NR_HW,
	SIM_SW,
	SIM_NR_SIGNALS = SIM_SW + PERF_COUNT_SW_MAX,
};

/* Events in a million nanoseconds, and (below 1000) in a second on top of that. What does not make
 * a whole event is carried to the task's next segment. */
struct tally_sim_rates {
	uint32_t per_ms[SIM_NR_HW];
	uint16_t per_s[SIM_NR_HW];
};

/*
 * A stretch of execution. Where samples fall in it: `ip` + (ns done & ~3) % ip_len. A chain is
 * that ip, then ip + 0x1000, ip + 0x2000 ... of the segment; its user part, in kernel mode, that
 * of the last user segment. Register n is tid << 32 | n, of user space with the top bit set;
 * byte n of a user stack of SIM_STACK_BYTES is n; physical addresses are addr ^ SIM_PHYSICAL.
 */
struct tally_sim_segment {
	enum tally_sim_mode mode;
	uint64_t ns;
	const struct tally_sim_rates *rates; /* NULL: nothing but time passes */
	uint64_t ip, ip_len;                 /* 0: a place by the mode, 0x1000 bytes */
	uint64_t addr;                       /* data address of samples */
	uint32_t depth;                      /* entries of a callchain; 0: 1 */
};

/* A load, store or execution of `len` bytes, for breakpoints. */
struct tally_sim_access {
	uint64_t addr, len;
	uint32_t type; /* HW_BREAKPOINT_R, W or X */
	enum tally_sim_mode mode;
};

enum tally_sim_op {
	SIM_OP_EXIT, /* also where a script of zeros ends */
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
		uint64_t times;   /* LOOP: 0 is for ever */
		uint32_t cpu;     /* MIGRATE: and stays there */
		int32_t priority; /* PRIORITY */
		struct {
			const char *comm; /* NULL: as before */
			bool privileged;
		} exec;
		const char *comm;                         /* COMM */
		const struct tally_core_mapping *mapping; /* MAP, UNMAP */
		const struct perf_ns_link_info *links;    /* NAMESPACES: 7 */
		struct {
			const struct tally_sim_step *script;
			bool process;
			int32_t cpu; /* where the child starts; -1: where its parent is */
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
			/* System calls of the task, say. It runs, on its CPU, interrupts on. */
			void (*fn)(struct tally_sim *sim, struct tally_sim_task *task, void *arg);
			void *arg;
		} call;
	};
};

/* A step is {.op = SIM_OP_..., its member of the union}. */
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

/* An attr's type and config (without the PMU's number), and the signal that they name. */
struct tally_sim_event {
	uint32_t type;
	uint64_t config;
	uint8_t signal;
};

/* A PMU by description. Counters 0 .. nr_generic - 1 count any signal; nr_generic .. count the
 * signal they are fixed to. PERF_TYPE_RAW and the PMU's own type take the signal as config;
 * PERF_TYPE_HW_CACHE has the last level's reads alone. */
struct tally_sim_pmu {
	const char *name;
	uint32_t type;
	bool core; /* serves PERF_TYPE_HARDWARE, HW_CACHE and RAW */
	uint8_t nr_generic, nr_fixed;
	uint8_t fixed[8];               /* the signal of each */
	uint8_t width;                  /* bits, 8 to 64 */
	uint32_t caps;                  /* TALLY_PMU_* */
	uint32_t constraint[SIM_NR_HW]; /* generic counters that a signal can be on; 0: all */
	uint32_t absent;                /* bits: signals that it cannot count */
	uint32_t skid_ns;               /* from the overflow to its interrupt */
	uint8_t max_precise;            /* precise_ip up to it is granted: skid_ns must be 0 */
	bool maskable;                  /* the interrupt waits while interrupts are off */
	bool immediate;                 /* no transactions: add() decides */
	bool no_pause;                  /* no pause and resume */
	/* What it counts, in place of the numbers above; must outlive the machine. NULL: those. */
	const struct tally_sim_event *events;
	uint32_t nr_events;
};

struct tally_sim_config {
	uint32_t nr_cpus;                 /* all come up on line */
	const struct tally_sim_pmu *pmus; /* copied */
	uint32_t nr_pmus;
	uint8_t nr_breakpoints;                     /* registers of each CPU; 0: no such PMU */
	const struct tally_core_settings *settings; /* NULL: the core's defaults */
	const struct tally_sim_rates *idle;         /* of CPUs that have nothing to do */
	uint64_t quantum_ns;                        /* of tasks with equals; 0: 4 ms */
	uint64_t op_cost_ns; /* time that each call of the core to the machine takes */
	uint64_t seed;       /* where pages lie */
	uint32_t nr_pages;   /* of memory for ring buffers; 0: 16384 */
	uint32_t max_tasks;  /* forks over it fail with -ENOMEM; 0: no limit */
	bool no_task_cpu;    /* leave that operation out, as a machine may */
	bool says_running;   /* has the operation that lets hooks ask before they call */
	bool tells_switches; /* scripts tell of switches and migrations, the core counts none */
	bool bare;           /* and whatever else it need not have: it offers nothing */
	/* Called when a descriptor that has an owner (tally_sim_set_owner()) is notified of
	 * TALLY_CORE_POLLIN or POLLHUP; must not call the machine. NULL: nobody is. */
	void (*notified)(void *owner, unsigned events);
	/* Called at each violation of the contract, before it is noted; may not return. */
	void (*violated)(void *arg, const char *what);
	void *violated_arg;
};

/* How a task that always was there begins. It is the only thread of its process. */
struct tally_sim_spawn {
	const struct tally_sim_step *script; /* must outlive the machine; NULL: sleeps for ever */
	uint32_t cpu;
	int32_t priority; /* lower ones go first, and preempt */
	uint32_t uid;
	uint64_t caps;    /* bit per TALLY_CORE_CAP_* */
	uint64_t memlock; /* RLIMIT_MEMLOCK in bytes */
};

/* Signals that notify() sent to the task's descriptors (tally_sim_set_async()); and SIGTRAPs with
 * what the last one carried. */
struct tally_sim_signals {
	uint64_t async, traps;
	uint64_t trap_addr, trap_data;
	uint32_t trap_type;
};

/* Whose events; zeros: everybody's, idle included, everywhere. */
struct tally_sim_filter {
	const struct tally_sim_task *task;
	bool tree;      /* and all its descendants */
	uint32_t cpus;  /* bits; 0: all */
	uint32_t modes; /* bits by enum tally_sim_mode; 0: all */
};

/* How often notify() was called for the descriptor: with POLLIN, and with POLLHUP. */
struct tally_sim_notifications {
	uint64_t in, hup;
};

/* -ENOMEM; -EINVAL for no or too many CPUs or PMUs; what the core's creation fails with. */
int tally_sim_create(const struct tally_sim_config *config, struct tally_sim **ret_sim);

/* Ends all tasks, closes their files, destroys the core and counts what it leaves behind: bytes
 * and pages that it did not give back (0 is what one wants). NULL is allowed. */
size_t tally_sim_destroy(struct tally_sim *sim);

struct tally_core *tally_sim_core(struct tally_sim *sim);

/* The operations that the core was created with. */
const struct tally_host_ops *tally_sim_ops(const struct tally_sim *sim);

/* What the core first did against host.h; NULL: nothing. Allocating or sleeping with
 * interrupts off, taking the lock twice, calling another CPU without it, leaving interrupts off
 * ... */
const char *tally_sim_violation(const struct tally_sim *sim);

uint64_t tally_sim_now(const struct tally_sim *sim);

/* A CPU goes or comes back. Its tasks move to the first one that is left. -EBUSY for the last. */
int tally_sim_cpu_offline(struct tally_sim *sim, uint32_t cpu);

int tally_sim_cpu_online(struct tally_sim *sim, uint32_t cpu);

/* Why the last open, ioctl or mmap was refused. */
const struct tally_core_refusal *tally_sim_refusal(const struct tally_sim *sim);

/* The `nth` allocation from now on (1: the next) fails, once; 0: none does. */
void tally_sim_fail_alloc(struct tally_sim *sim, uint64_t nth);

/* What a security module says no to from now on: bits by enum tally_host_access. */
void tally_sim_forbid(struct tally_sim *sim, uint32_t accesses);

/* Copies from or to this user memory fail from now on; len 0: none does. */
void tally_sim_fail_copy(struct tally_sim *sim, const void *user, size_t len);

/* Bytes and pages that the core holds now. */
size_t tally_sim_held_bytes(const struct tally_sim *sim);

size_t tally_sim_held_pages(const struct tally_sim *sim);

/* The cycle counter of user space: four a nanosecond. */
uint64_t tally_sim_tsc(const struct tally_sim *sim);

#endif
