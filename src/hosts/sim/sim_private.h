/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the simulated machine share. Everything is guarded by there being one host
 * thread. */
#ifndef TALLY_HOSTS_SIM_PRIVATE_H
#define TALLY_HOSTS_SIM_PRIVATE_H

#include "base/list.h"
#include "base/vec.h"
#include "hosts/sim/sim.h"

enum { SIM_NS_PER_MS = 1000000, SIM_NS_PER_S = 1000000000, SIM_FIRST_TID = 100 };

#define SIM_NEVER UINT64_MAX

/* ---- hardware (hardware.c) ------------------------------------------------------- */

/* One counter: what its registers hold. */
struct sim_counter {
	uint64_t value; /* below 2^width */
	uint8_t signal;
	uint32_t modes; /* in which it counts */
	bool enabled;
	bool overflowed; /* the status bit */
	uint64_t interrupt_at;
};

/* The counters of one PMU on one CPU. */
struct sim_bank {
	struct sim_counter counters[SIM_MAX_COUNTERS];
	uint8_t nr, width;
	uint32_t skid_ns;
	bool paused;
	bool maskable;
};

/* ---- the driver (pmu.c) ------------------------------------------------------------ */

/* hw->config[]: bits of the counters that an event can be on. */
enum { SIM_CONFIG_COUNTERS = 2 };

/* What the driver knows about one CPU. */
struct sim_pmu_cpu {
	struct tally_core_hw *owner[SIM_MAX_COUNTERS]; /* who is on the counter */
	bool adding;                                   /* between begin() and commit() */
	struct tally_core_hw *noted[SIM_MAX_COUNTERS]; /* added meanwhile */
	uint32_t nr_noted;
};

struct sim_pmu {
	struct tally_core_pmu pmu;
	struct tally_sim *sim;
	struct tally_sim_pmu desc;
	uint32_t number; /* of its banks */
	struct sim_pmu_cpu cpus[SIM_MAX_CPUS];
};

/* ---- tasks -------------------------------------------------------------------------- */

/* A description: what a descriptor stands for. */
struct sim_file {
	struct tally_core_event *event; /* NULL: something that is none */
	uint32_t refs;                  /* descriptors and mappings */
	struct tally_sim_notifications notifications;
	struct tally_sim_task *async; /* who gets a signal at each notice */
	void *owner;                  /* for config.notified; NULL: nobody */
};

struct sim_descriptor {
	struct sim_file *file; /* NULL: free */
	bool cloexec;
};

struct sim_mapping {
	struct sim_file *file;
	struct tally_core_buffer *buffer;
	void *memory;
	size_t len;
};

/* What the threads of a process share. */
struct sim_process {
	uint32_t threads;
	bool secret; /* nobody of the same user may look: a privileged exec */
	struct tally_core_account space;
	TALLY_VEC(struct sim_descriptor) fds;
	TALLY_VEC(struct sim_mapping) mappings;
};

struct sim_user {
	struct sim_user *next;
	uint32_t uid;
	struct tally_core_account account;
};

enum sim_state { SIM_RUNNING, SIM_READY, SIM_SLEEPING, SIM_EXITED };

struct sim_loop {
	const struct tally_sim_step *first;
	uint64_t left; /* 0: for ever */
};

struct tally_sim_task {
	struct tally_core_task perf;
	struct tally_list queued; /* in its CPU's queue, or among the sleepers */
	struct tally_sim_task *parent;
	struct sim_process *process; /* NULL once it has exited */
	bool is_idle;
	bool has_run;
	enum sim_state state;
	uint32_t cpu;      /* where it runs or waits; of one that runs elsewhere: is to go */
	uint32_t last_cpu; /* where it ran last */
	uint32_t held;     /* task_get() without task_put() */
	int32_t priority;
	uint32_t uid;
	uint64_t caps, memlock;
	struct tally_sim_signals signals;
	/* The script. */
	const struct tally_sim_step *next; /* NULL: sleeps for ever */
	const struct tally_sim_segment *segment, *user_segment;
	uint64_t done_ns; /* of the segment */
	uint64_t wake_at;
	struct sim_loop loops[SIM_MAX_LOOPS];
	uint32_t nr_loops;
	/* Truth. */
	uint32_t fraction[SIM_NR_HW];                     /* billionths of an event */
	uint64_t (*counts)[SIM_NR_MODES][SIM_NR_SIGNALS]; /* by CPU */
};

/* ---- the machine ------------------------------------------------------------------- */

struct sim_cpu {
	bool online;
	struct tally_sim_task *current; /* never NULL */
	struct tally_sim_task idle;
	struct tally_list queue; /* those who wait for it, by priority */
	uint64_t settled;        /* up to when its truth and its counters are */
	uint32_t off;            /* how often interrupts were turned off */
	bool in_interrupt;       /* the overflow interrupt */
	uint32_t busy;           /* in a task's name: no switching */
	bool yielded;
	bool deferred; /* tally_core_deferred() is wanted */
	uint64_t timer_at, tick_at, quantum_at;
	uint64_t overflow_at; /* when a counter of its wraps or its interrupt comes */
	bool overflow_known;  /* overflow_at is right */
	struct sim_bank banks[SIM_MAX_PMUS];
	struct tally_core_hw *breakpoints[SIM_MAX_BREAKPOINTS];
};

struct tally_sim {
	struct tally_sim_config config;
	struct tally_host_ops ops; /* sim_ops, as the config has them */
	struct tally_core *core;
	uint64_t now;
	uint32_t cpu;                    /* the one whose code runs */
	bool locked;                     /* a lock of the core's */
	bool running;                    /* inside tally_sim_run() */
	int32_t next_pid, next_tid;      /* of the next task; 0: as it comes */
	bool passing;                    /* time passes for an operation */
	struct tally_sim_segment idling; /* what idle tasks do */
	struct sim_cpu cpus[SIM_MAX_CPUS];
	struct sim_pmu pmus[SIM_MAX_PMUS];
	struct tally_core_pmu breakpoint_pmu;
	TALLY_VEC(struct tally_core_hw *) breakpoints; /* those that there is room for */
	TALLY_VEC(struct tally_sim_task *) tasks;
	struct tally_list sleepers;
	struct sim_user *users;
	const char *violation;
	uint32_t forbidden; /* bits by enum tally_host_access */
	struct tally_core_refusal refusal;
	/* Memory. */
	size_t held_bytes, held_pages;
	uint64_t fail_alloc;
	uintptr_t fail_from, fail_to;
	int memory_fd;
	uint8_t *memory;    /* all pages */
	uint8_t *page_used; /* one byte each */
	uint32_t nr_pages;
	uint64_t random;
};

/* sim.c */
void sim_violate(struct tally_sim *sim, const char *what);
uint64_t sim_random(struct tally_sim *sim);

/* ops.c */
extern const struct tally_host_ops sim_ops;

/* The operation that only some configurations have. */
struct tally_core_task *sim_op_running(void *host);

/* Leave out what a host need not have. */
void sim_ops_strip(struct tally_host_ops *ops);

/* The core asks for what may sleep: a violation with interrupts off, or with a lock taken. */
void sim_sleeping(struct tally_sim *sim, const char *off, const char *locked);

/* Have what was deferred done, where interrupts are on. */
void sim_run_deferred(struct tally_sim *sim);

/* memory.c */
int sim_memory_init(struct tally_sim *sim);
void sim_memory_exit(struct tally_sim *sim);
void *sim_alloc(void *host, size_t size);
void *sim_lock_new(void *host);
void sim_free(void *host, void *memory, size_t size);
void *sim_pages_alloc(void *host, size_t nr);
void sim_pages_free(void *host, void *pages, size_t nr);
int sim_copy_from_user(void *host, void *to, const void *user, size_t len);
int sim_copy_to_user(void *host, void *user, const void *from, size_t len);

/* One piece of address space for the pages of a buffer; NULL when there is none. */
void *sim_view(struct tally_sim *sim, const struct tally_core_buffer *buffer, size_t len,
	       bool writable);

/* sample_data.c: what the running task of a CPU is doing, and its chain. */
struct tally_core_sample_data sim_sample_data(const struct sim_cpu *cpu);
uint16_t sim_misc(enum tally_sim_mode mode);
uint32_t sim_chain(const struct sim_cpu *cpu, const struct tally_core_sample_data *sample_data,
		   bool user, uint64_t *ret_ips, uint32_t max);

/* files.c */
void sim_files_copy(struct sim_process *to, const struct sim_process *from);

/* Take away the mappings of the task's process and its descriptors: all, or (`exec`) those that
 * an exec closes. */
void sim_files_close(struct tally_sim *sim, struct tally_sim_task *task, bool exec);

static inline struct sim_cpu *sim_this(struct tally_sim *sim)
{
	return &sim->cpus[sim->cpu];
}

#endif
