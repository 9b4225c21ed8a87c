/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to hosts/sim/. There are no locks, as there is only one host thread. */
#ifndef TALLY_HOSTS_SIM_PRIVATE_H
#define TALLY_HOSTS_SIM_PRIVATE_H

#include "base/linked_list.h"
#include "base/vec.h"
#include "hosts/sim/sim.h"

enum { SIM_NS_PER_MS = 1000000, SIM_NS_PER_S = 1000000000, SIM_FIRST_TID = 100 };

#define SIM_NEVER UINT64_MAX

/* ---- hardware (hardware.c) ------------------------------------------------------- */

/* A counter's registers. */
struct sim_counter {
	uint64_t value; /* less than 2^width */
	uint8_t signal;
	uint32_t modes; /* bit mask of the modes that are counted */
	bool enabled;
	bool overflowed; /* overflow status bit */
	uint64_t interrupt_at;
};

/* A PMU's counters on one CPU. */
struct sim_bank {
	struct sim_counter counters[SIM_MAX_COUNTERS];
	uint8_t nr, width;
	uint32_t skid_ns;
	bool paused;
	bool maskable;
};

/* ---- the driver (sim_pmu.c) ------------------------------------------------------------ */

/* Index in hw->config of a bit mask: the counters that can count the event. */
enum { SIM_CONFIG_COUNTERS = 2 };

/* The driver's state on a CPU. */
struct sim_pmu_cpu {
	struct tally_core_hw *owner[SIM_MAX_COUNTERS]; /* event on each counter */
	bool adding;                                   /* between begin() and commit() */
	struct tally_core_hw *noted[SIM_MAX_COUNTERS]; /* events added since begin() */
	uint32_t nr_noted;
};

struct sim_pmu {
	struct tally_core_pmu pmu;
	struct tally_sim *sim;
	struct tally_sim_pmu desc;
	uint32_t number; /* index of the PMU's banks */
	struct sim_pmu_cpu cpus[SIM_MAX_CPUS];
};

/* ---- tasks -------------------------------------------------------------------------- */

/* An open file description. */
struct sim_file {
	struct tally_core_event *event; /* NULL if not an event */
	uint32_t refs;                  /* number of descriptors and mappings */
	struct tally_sim_notifications notifications;
	struct tally_sim_task *async; /* task to signal at each notification */
	void *owner;                  /* passed to config.notified, or NULL for no call */
};

struct sim_descriptor {
	struct sim_file *file; /* NULL if free */
	bool cloexec;
};

struct sim_mapping {
	struct sim_file *file;
	struct tally_core_buffer *buffer;
	void *memory;
	size_t len;
};

/* State shared by the threads of a process. */
struct sim_process {
	uint32_t threads;
	bool secret; /* not observable by the same user after a privileged exec */
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
	uint64_t left; /* remaining iterations; 0 to repeat forever */
};

struct tally_sim_task {
	struct tally_core_task perf;
	struct tally_list queued; /* link in its CPU's queue, or in the list of sleepers */
	struct tally_sim_task *parent;
	struct sim_process *process; /* NULL once the task has exited */
	bool is_idle;
	bool has_run;
	enum sim_state state;
	uint32_t cpu;      /* CPU it runs on, waits on, or is about to migrate to */
	uint32_t last_cpu; /* CPU it last ran on */
	uint32_t held;     /* task_get() calls without a matching task_put() */
	int32_t priority;
	uint32_t uid;
	uint64_t caps, memlock;
	struct tally_sim_signals signals;
	/* Script state. */
	const struct tally_sim_step *next; /* NULL to sleep forever */
	const struct tally_sim_segment *segment, *user_segment;
	uint64_t done_ns; /* elapsed time in the segment */
	uint64_t wake_at;
	struct sim_loop loops[SIM_MAX_LOOPS];
	uint32_t nr_loops;
	/* Exact counts. */
	uint32_t fraction[SIM_NR_HW];                     /* billionths of an event */
	uint64_t (*counts)[SIM_NR_MODES][SIM_NR_SIGNALS]; /* indexed by CPU */
};

/* ---- the machine ------------------------------------------------------------------- */

struct sim_cpu {
	bool online;
	struct tally_sim_task *current; /* never NULL */
	struct tally_sim_task idle;
	struct tally_list queue; /* tasks waiting for the CPU, sorted by priority */
	uint64_t settled;        /* time of the last update of counters and exact counts */
	uint32_t off;            /* nesting depth of disabled interrupts */
	bool in_interrupt;       /* the overflow interrupt is being handled */
	uint32_t busy;           /* calls in progress on behalf of tasks; they prevent switches */
	bool yielded;
	bool deferred; /* tally_core_deferred() must be called */
	uint64_t timer_at, tick_at, quantum_at;
	uint64_t overflow_at; /* time at which a counter wraps or its interrupt arrives */
	bool overflow_known;  /* overflow_at is valid */
	struct sim_bank banks[SIM_MAX_PMUS];
	struct tally_core_hw *breakpoints[SIM_MAX_BREAKPOINTS];
};

struct tally_sim {
	struct tally_sim_config config;
	struct tally_host_ops ops; /* sim_ops, adapted to the configuration */
	struct tally_core *core;
	uint64_t now;
	uint32_t cpu;                    /* current CPU */
	bool locked;                     /* a core lock is held */
	bool running;                    /* inside tally_sim_run() */
	int32_t next_pid, next_tid;      /* IDs for the next task; 0 for the next in sequence */
	bool passing;                    /* sim_pass_time() is running */
	struct tally_sim_segment idling; /* segment that idle tasks run */
	struct sim_cpu cpus[SIM_MAX_CPUS];
	struct sim_pmu pmus[SIM_MAX_PMUS];
	struct tally_core_pmu breakpoint_pmu;
	TALLY_VEC(struct tally_core_hw *) breakpoints; /* breakpoints with a register */
	TALLY_VEC(struct tally_sim_task *) tasks;
	struct tally_list sleepers;
	struct sim_user *users;
	const char *violation;
	uint32_t forbidden; /* bit mask by enum tally_host_access */
	struct tally_core_refusal refusal;
	/* Memory state. */
	size_t held_bytes, held_pages;
	uint64_t fail_alloc;
	uintptr_t fail_from, fail_to;
	int memory_fd;
	uint8_t *memory;    /* all pages */
	uint8_t *page_used; /* one byte per page */
	uint32_t nr_pages;
	uint64_t random;
};

/* sim.c */
void sim_violate(struct tally_sim *sim, const char *what);
uint64_t sim_random(struct tally_sim *sim);

/* sim_ops.c */
extern const struct tally_host_ops sim_ops;

/* The optional running() operation, omitted in some configurations. */
struct tally_core_task *sim_op_running(void *host);

/* Remove all optional operations. */
void sim_ops_strip(struct tally_host_ops *ops);

/* Check an operation that may sleep: report the violation `off` if interrupts are off, or `locked`
 * if a lock is held. */
void sim_check_may_sleep(struct tally_sim *sim, const char *off, const char *locked);

/* Run deferred work if interrupts are on. */
void sim_run_deferred(struct tally_sim *sim);

/* sim_memory.c */
int sim_memory_init(struct tally_sim *sim);
void sim_memory_exit(struct tally_sim *sim);
void *sim_alloc(void *host, size_t size);
void *sim_lock_new(void *host);
void sim_free(void *host, void *memory, size_t size);
void *sim_pages_alloc(void *host, size_t nr);
void sim_pages_free(void *host, void *pages, size_t nr);
int sim_copy_from_user(void *host, void *to, const void *user, size_t len);
int sim_copy_to_user(void *host, void *user, const void *from, size_t len);

/* Map a buffer's pages contiguously. Returns NULL on failure. */
void *sim_map_buffer(struct tally_sim *sim, const struct tally_core_buffer *buffer, size_t len,
		     bool writable);

/* sample_data.c: sample data and callchain of the task running on a CPU. */
struct tally_core_sample_data sim_sample_data(const struct sim_cpu *cpu);
uint16_t sim_misc(enum tally_sim_mode mode);
uint32_t sim_chain(const struct sim_cpu *cpu, const struct tally_core_sample_data *sample_data,
		   bool user, uint64_t *ret_ips, uint32_t max);

/* sim_files.c */
void sim_files_copy(struct sim_process *to, const struct sim_process *from);

/* Remove the mappings of the task's process, and close its descriptors: all of them or, if `exec`
 * is set, only those that an exec closes. */
void sim_files_close(struct tally_sim *sim, struct tally_sim_task *task, bool exec);

static inline struct sim_cpu *sim_this(struct tally_sim *sim)
{
	return &sim->cpus[sim->cpu];
}

#endif
