/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of the core. Who may touch what:
 *
 * F  The family's lock, one of the host's sleeping locks. A family is the contexts that
 *    inheritance connects: family.h. Events, groups and children in its contexts come and go
 *    under it; but events that move from CPU to CPU have one family, wherever they are.
 * A  The *context rule*. A context that is on a CPU belongs to that CPU with interrupts off;
 *    one that is on none belongs to who holds its spin lock, interrupts off. Going on and
 *    coming off a CPU takes the lock. A CPU's own context is always on its CPU. So
 *    tally_context_run() can find a context still, and nothing that a switch, a tick or an
 *    overflow does waits for configuration.
 * O  The overflow rule: also written by the overflow interrupt of the CPU that the event is
 *    on. Single words, through atomic.h.
 * R  The registry's spin lock: lists of what there is of a kind, and the accounts.
 * T  The task's spin lock: that it gets a context and a family, and that it has exited.
 * K  Constant once the object is shared.
 *
 * Lists are walked under A and changed under A and F together: either is enough to read, but for
 * the lists of a CPU's own context, which events of two families share: A alone. Rotation changes
 * the order of `flexible` under A alone: F is enough to walk that only while `is_forking`.
 *
 * Order: the locks of the host that its calls come with, F, then context->lock or buffer->lock,
 * then event->output_lock; R alone or inside F, then context->lock or T. Under the spin locks
 * interrupts are off. Nothing is allocated, freed, or copied from or to user memory under any of
 * them.
 */
#ifndef TALLY_CORE_PRIVATE_H
#define TALLY_CORE_PRIVATE_H

#include "abi/sample.h"
#include "base/arith.h"
#include "base/list.h"
#include "core/atomic.h"
#include "core/heap.h"
#include "tally/core.h"
#include "tally/errno.h"

enum {
	/* Clocks, software, tracepoints. */
	TALLY_CORE_OWN_PMUS = 2 + TALLY_CORE_SOFTWARE_EVENTS + TALLY_CORE_TRACEPOINTS,
	TALLY_CORE_MIN_CLOCK = 10000, /* ns: clock events do not interrupt more often */
};

#define TALLY_NS_PER_S UINT64_C(1000000000)

/* ---- events ----------------------------------------------------------------------------- */

/* In this order: comparisons mean something. state.c has the table of transitions. */
enum tally_state {
	TALLY_STATE_DEAD = -5,    /* being closed */
	TALLY_STATE_REVOKED = -4, /* its PMU or tracepoint is gone; nothing is left but closing */
	TALLY_STATE_EXIT = -3,    /* its task is gone; the count stays */
	TALLY_STATE_ERROR = -2,   /* pinned, and there was no room */
	TALLY_STATE_OFF = -1,     /* disabled */
	TALLY_STATE_INACTIVE = 0, /* enabled, waiting for its task or for room */
	TALLY_STATE_ACTIVE = 1,   /* on its PMU */
};

/* What was put off by the overflow interrupt. */
enum tally_pending {
	TALLY_PENDING_WAKE = 1 << 0,
	TALLY_PENDING_HUP = 1 << 1, /* REFRESH count used up: disable and notify */
	TALLY_PENDING_TRAP = 1 << 2,
};

enum {
	TALLY_CORE_ATTR_KEPT =
		TALLY_CORE_WHOLE_ATTR ? sizeof(struct perf_event_attr) : PERF_ATTR_SIZE_VER1
};

struct tally_core_filter; /* of a tracepoint: filter.h */

/* The contexts that inheritance connects: family.h. */
struct tally_core_family {
	struct tally_core *core; /* K */
	void *lock;              /* K; the host's */
	uint32_t refs;           /* atomic; contexts, and who is about to lock it */
};

/* Of an event, in ns of its context's time, up to `stamp`. */
struct tally_core_times {
	uint64_t enabled, running, stamp;
};

struct tally_core_event {
	struct tally_core_hw hw;            /* A; the driver's side */
	struct tally_core *core;            /* K */
	struct tally_core_pmu *pmu;         /* K, but for being revoked: F, in no context */
	struct tally_core_context *context; /* K, but for migrate.c: A of the new one, and F */
	int32_t cpu;                        /* K, but so too; the only CPU it counts on; -1: all */
	bool moves;                         /* K; its CPU can change, and F is core->movers */
	uint64_t id;                        /* K */
	void *viewer;                       /* K; of who opened it */
	bool is_seen;                       /* F; counted in its context's `seen` */
	void *cookie;                       /* the host's; atomic */
	uint32_t refs;                      /* atomic; who opened it, who iterates */
	struct tally_list opened;           /* R; in core->events */

	/* Counting. */
	int8_t state;   /* A; enum tally_state */
	bool on_pmu;    /* A; between add() and del() */
	uint64_t count; /* O */
	/* A; written where `times_at` is not, which then changes: so an overflow interrupt in the
	 * midst of it sees times that belong together. */
	struct tally_core_times times[2];
	uint32_t times_at;

	/* Group: a leader's siblings; for others empty. */
	struct tally_core_event *leader;  /* A and F; itself when it leads or is alone */
	struct tally_list siblings;       /* A and F; the leader's list ... */
	struct tally_list sibling;        /* ... of these */
	struct tally_core_pmu *group_pmu; /* A and F; a leader's: the hardware PMU of its group */
	uint32_t nr_siblings;             /* A and F */
	struct tally_list group;          /* A and F; leaders: in its slice's pinned or flexible */
	struct tally_list active;         /* A; leaders: in context->active */
	uint64_t waits_since; /* A; flexible leaders: when they came to the end of the line */
	uint64_t turn;        /* A; flexible leaders: ns of their turn; less `contended` while on */
	struct tally_list all; /* A and F; in its slice's events */

	/* Inheritance: one level, every child hangs on the event that was opened. */
	struct tally_core_event *parent; /* K; NULL: was opened */
	struct tally_list children;      /* F */
	struct tally_list child;         /* F */
	uint32_t nr_children;            /* F; read at any time */
	/* Of children that are gone: F; read at any time. */
	uint64_t child_count, child_enabled, child_running;

	/* In the list of the task that opened it, for prctl: R. */
	struct tally_core_event *owned_next, **owned_at;

	/* Where it is found while it is on: A. In neither, the first word leads to itself. */
	union {
		struct tally_list hook;     /* software events, tracepoints: a list of its CPU */
		struct tally_heap_node due; /* clocks: by when the next sample is due */
	};

	/* Sampling. */
	struct tally_sample_layout layout; /* K */
	struct tally_spin output_lock;     /* after the buffer's lock */
	struct tally_core_buffer *buffer;  /* output_lock writes, O reads; the parent's counts for
					    * children */
	struct tally_list output;          /* the buffer's lock; in buffer->events */
	uint64_t lost;                     /* O; records not written; the parent's */
	int32_t limit;                     /* O; overflows left after IOC_REFRESH; 0: no limit */
	bool exhausted;                    /* O; the limit was reached, to be disabled */
	uint32_t throttled;                /* O; a leader's: its group stands still */
	uint32_t interrupts;               /* O; in this tick ... */
	uint64_t tick;                     /* O; ... which is this one */
#if TALLY_CORE_FREQUENCIES
	uint64_t freq_stamp, freq_sampled; /* O; frequency mode: the last sample's time and count */
	uint64_t freq_tick, freq_count;    /* O; when the tick last looked, and the count then */
#endif
	uint32_t pending;                      /* O; enum tally_pending */
	struct tally_core_event *pending_next; /* O */
#if TALLY_CORE_TRAPS
	uint64_t trap_addr; /* O */
	uint32_t trap_due;  /* O; its task is owed a SIGTRAP */
#endif
	uint32_t stacked;    /* atomic; how many stacks of CPUs have it, or are just serving it */
	uint32_t stacked_on; /* the last of them */

	struct tally_core_tracepoint *tracepoint; /* R; NULL: none, or revoked */
	tally_core_overflow_fn
		overflow;   /* K; called instead of writing samples; NULL: they are ... */
	void *overflow_arg; /* K; ... written */
	struct tally_core_filter *filter; /* set once; the parent's counts */
	bool classic;                     /* K; wants MUNMAP records */

	/* K, but sample_period, sample_freq, the enable_on_exec bit: A. The last member: there is
	 * memory for TALLY_CORE_ATTR_KEPT bytes of it. */
	struct perf_event_attr attr;
};

/* ---- contexts --------------------------------------------------------------------------- */

/* What a context's events want to be told; counts how many do. */
enum tally_wants {
	TALLY_WANTS_MMAP,
	TALLY_WANTS_COMM,
	TALLY_WANTS_TASK,
	TALLY_WANTS_SWITCH,
	TALLY_WANTS_NAMESPACES,
	TALLY_WANTS_KSYMBOL,
	TALLY_WANTS_TEXT_POKE,
	TALLY_WANTS_BPF,
	TALLY_WANTS_CGROUP,
	TALLY_WANTS_NR
};

/* The events of a context that one CPU looks at. */
struct tally_core_slice {
	struct tally_list pinned;   /* A and F; groups */
	struct tally_list flexible; /* A and F; groups: who waits longest goes first */
	struct tally_list events;   /* A and F; all */
};

/* What records say of a task that is gone, to one who looks at it from `viewer`. */
struct tally_core_task_ids {
	void *viewer;
	int32_t pid, tid, ppid, ptid;
	uint32_t
		nr; /* events that are seen from there; the host keeps the viewer while there are */
};

/* Namespaces that the events of one task are opened from; for those beyond, its numbers are 0. */
enum { TALLY_CORE_VIEWERS = 4 };

/* Clocks that sample: clock.c. */
struct tally_clocks {
	struct tally_heap due; /* by when they are */
	uint64_t since;        /* when the share began that they are using up ... */
	uint64_t held;         /* ... when the last one ended that they used up ... */
	uint32_t served;       /* ... and how many were due since it began */
};

/* The events of one task, or of one CPU. */
struct tally_core_context {
	struct tally_core *core;          /* K */
	struct tally_core_family *family; /* K */
	struct tally_core_task *task;     /* A and F; NULL: a CPU's, or its task is gone */
	struct tally_spin lock;
	int32_t on_cpu;           /* A; -1: on none */
	struct tally_list active; /* A; groups that are on, in order of going on */
	/* A task's that ended elsewhere: reap.c. */
	bool orphan;                    /* its lock; no switch exchanges it */
	struct tally_core_task_ids ids; /* R */
#if TALLY_CORE_USERS
	struct tally_core_task_ids seen[TALLY_CORE_VIEWERS]; /* F and R; as its viewers see them */
#endif
	struct tally_core_context *orphan_next; /* R */

	struct tally_core_slice any; /* of every CPU; of a CPU's own context: all */
	struct tally_core_slice
		*slices;    /* set once; of a task's, by CPU: NULL without such events */
	uint32_t refs;      /* atomic; its task or CPU, and who names it */
	uint32_t nr_events; /* A and F */
	uint32_t nr_freq;   /* A and F; events in frequency mode */
	uint32_t nr_bound;  /* A and F; events with inherit_stat or sigtrap */
#if TALLY_CORE_SIDEBAND
	uint32_t wants[TALLY_WANTS_NR]; /* A and F */
#endif
	bool waiting;    /* A; a group found no room */
	uint64_t time;   /* A; ns it was on a CPU, up to the last time it was asked for */
	uint64_t offset; /* A; that time less the clock's; constant while it is on one */
#if TALLY_CORE_TRAPS
	uint32_t traps_due; /* O; events whose task is owed a SIGTRAP */
#endif
	uint32_t pins;              /* A; who needs it to stay with its task */
	uint32_t is_forking;        /* atomic; its task forks: its groups keep their order */
	struct tally_clocks clocks; /* A; those that are on */

	/* Contexts of the same origin and generation hold the same events: switch.c. */
	uint64_t id;                        /* K */
	uint64_t generation;                /* A; changes with the list of events */
	uint64_t origin, origin_generation; /* A; 0: none */
};

/* ---- CPUs ------------------------------------------------------------------------------- */

struct tally_core_pmu_cpu {
	uint32_t full;                      /* the round in which it turned a lone event away */
	uint32_t nr_active;                 /* events that are on */
	struct tally_core_event *exclusive; /* the group that has it for itself */
};

/* All of it belongs to its CPU with interrupts off, but for what says otherwise. */
struct tally_core_cpu {
	struct tally_core *core;            /* K */
	uint32_t number;                    /* K */
	bool online;                        /* own.family; read at any time */
	struct tally_core_context own;      /* events of this CPU */
	struct tally_core_context *of_task; /* the running task's; NULL: has none */
	struct tally_core_task *task;       /* who runs; NULL: nobody with events */
	uint32_t round;                     /* of looking who can go on; never 0 */
	uint32_t nr_polled; /* events that are on and are read in each tick, lest they wrap */
#if TALLY_CORE_SOFTWARE_EVENTS
	struct tally_list software[PERF_COUNT_SW_MAX]; /* events that are on, by kind */
	struct tally_list tracepoints[TALLY_CORE_BUCKETS];
#endif
	bool frozen;                     /* events go on or come off, all at their context's time */
	uint64_t contended, turns_stamp; /* ns that groups waited here, up to the clock's stamp */
	uint32_t nr_throttled;           /* O */
	uint64_t tick;                   /* number of this tick */
	struct tally_core_event *pending; /* O; stack */
	uint32_t missed;  /* O; something was put off that another CPU's stack may have */
	uint32_t nesting; /* O; samples being made, one inside the other */
	struct tally_core_scratch *scratch; /* scratch.h; NULL: no ring that this CPU may write */
	uint32_t scratch_each;              /* own.family writes, read at any time */
	uint32_t scratch_holders;           /* atomic; from 0 with own.family */
};

struct tally_core {
	struct tally_core_watch watch;    /* first: hooks look at it. atomic */
	uint32_t epoch;                   /* watch_lock writes; of who ran where */
	void *watch_lock;                 /* K; NULL: always watched */
	const struct tally_host_ops *ops; /* K */
	void *host;                       /* K */
	struct tally_core_settings settings;
	uint32_t nr_cpus;            /* K */
	uint32_t nr_online;          /* atomic */
	struct tally_spin registry;  /* R: lists of all there is, accounts. Interrupts off, and only
				      * for a few instructions */
	struct tally_list events;    /* R; all that were opened */
	struct tally_core_pmu *pmus; /* R; the last registered first */
	struct tally_core_pmu cpu_clock, task_clock;
#if TALLY_CORE_SOFTWARE_EVENTS
	struct tally_core_pmu software, tracing;
#endif
	struct tally_core_pmu revoked;             /* K; of events whose own is gone; in no list */
	struct tally_core_tracepoint *tracepoints; /* R */
	uint64_t last_id;                          /* atomic */
	uint32_t watchers;                         /* atomic; from 0 with watch_lock: watch.c */
#if TALLY_CORE_SEVERAL_CPUS
	struct tally_core_family *movers; /* K; of events that move: migrate.c */
#endif
	struct tally_core_context *orphans; /* R; to be reaped */
	struct tally_core_event *nobody;    /* R; head of lists of events whose task is gone */
	struct tally_core_cpu cpus[];
};

/* ---- small helpers ---------------------------------------------------------------------- */

/* A refusal as it is initialized: its code and, where they are built, the words. */
#if TALLY_CORE_REASONS
#define TALLY_WHY(code, field, rule, fix) \
	{                                 \
		code, field, rule, fix    \
	}
#else
#define TALLY_WHY(code, field, rule, fix) \
	{                                 \
		code                      \
	}
#endif

static inline struct tally_core_event *tally_event_of_hw(struct tally_core_hw *hw)
{
	return tally_container_of(hw, struct tally_core_event, hw);
}

static inline struct tally_core_cpu *tally_this_cpu(struct tally_core *core)
{
	return &core->cpus[TALLY_CORE_SEVERAL_CPUS ? core->ops->this_cpu(core->host) : 0];
}

static inline uint64_t tally_clock(const struct tally_core *core)
{
	return core->ops->clock(core->host);
}

static inline bool tally_event_is_leader(const struct tally_core_event *event)
{
	return event->leader == event;
}

/* Whether its counters are read in each tick, as they cannot say when they wrap. */
static inline bool tally_pmu_is_polled(const struct tally_core_pmu *pmu)
{
	return (pmu->caps & (TALLY_PMU_NO_INTERRUPT | TALLY_PMU_SOFTWARE)) ==
	       TALLY_PMU_NO_INTERRUPT;
}

static inline bool tally_event_is_software(const struct tally_core_event *event)
{
	return event->pmu->caps & TALLY_PMU_SOFTWARE;
}

/* The event that was opened: whose buffer, id, limit and filter count. */
static inline struct tally_core_event *tally_event_root(struct tally_core_event *event)
{
	return TALLY_CORE_INHERITANCE && event->parent ? event->parent : event;
}

static inline bool tally_event_samples(const struct tally_core_event *event)
{
	return event->attr.sample_period != 0; /* shared with sample_freq */
}

/* Whether the event counts on this CPU at all. */
static inline bool tally_event_matches(const struct tally_core_event *event,
				       const struct tally_core_cpu *cpu)
{
	return !TALLY_CORE_SEVERAL_CPUS || event->cpu < 0 || (uint32_t)event->cpu == cpu->number;
}

static inline const struct tally_core_times *tally_event_times(const struct tally_core_event *event)
{
	return &event->times[tally_load_acquire(&event->times_at)];
}

/* Without operations for users, everybody may everything; so may the kernel, which is no task. */
static inline bool tally_core_capable(const struct tally_core *core,
				      const struct tally_core_task *current, int capability)
{
	return !TALLY_CORE_USERS || !current || !core->ops->capable ||
	       core->ops->capable(core->host, current, capability);
}

/* Whether a security module lets who runs here do this with the event. */
static inline bool tally_event_permitted(const struct tally_core_event *event,
					 enum tally_host_access access)
{
	const struct tally_core *core = event->core;

	return !TALLY_CORE_USERS || !core->ops->permit ||
	       core->ops->permit(core->host, access, &event->attr,
				 tally_load_relaxed(&event->cookie));
}

static inline uint64_t tally_next_id(struct tally_core *core)
{
	return tally_fetch_add(&core->last_id, 1) + 1;
}

/* Whole pages in `bytes`. */
static inline uint64_t tally_pages(const struct tally_core *core, uint64_t bytes)
{
	return bytes >> tally_log2(core->ops->page_size);
}

/* Pages that the metadata of a buffer take: more than one where pages are small. */
static inline uint32_t tally_metadata_pages(const struct tally_core *core)
{
	size_t page = core->ops->page_size;

	return (uint32_t)tally_pages(core, sizeof(struct perf_event_mmap_page) + page - 1);
}

static inline void *tally_core_alloc(const struct tally_core *core, size_t size)
{
	return core->ops->alloc(core->host, size);
}

static inline void tally_core_free(const struct tally_core *core, void *memory, size_t size)
{
	if (memory)
		core->ops->free(core->host, memory, size);
}

static inline uintptr_t tally_registry_lock(struct tally_core *core)
{
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_spin_lock(&core->registry, core->ops, core->host);
	return flags;
}

static inline void tally_registry_unlock(struct tally_core *core, uintptr_t flags)
{
	tally_spin_unlock(&core->registry);
	core->ops->irq_restore(core->host, flags);
}

/* A context's slices by CPU; NULL: it needs none. On one CPU `any` is all of it. */
static inline struct tally_core_slice *
tally_context_slices(const struct tally_core_context *context)
{
	return TALLY_CORE_SEVERAL_CPUS ? tally_load_acquire(&context->slices) : NULL;
}

/* Where an event is in its context; a task's event of one CPU needs the slices. */
static inline struct tally_core_slice *tally_event_slice(const struct tally_core_event *event)
{
	struct tally_core_slice *slices = tally_context_slices(event->context);

	return slices && event->cpu >= 0 ? &slices[event->cpu] : &event->context->any;
}

/* The slice for a CPU besides `any`; NULL: there is none. */
static inline struct tally_core_slice *tally_context_slice(struct tally_core_context *context,
							   const struct tally_core_cpu *cpu)
{
	struct tally_core_slice *slices = tally_context_slices(context);

	return slices ? &slices[cpu->number] : NULL;
}

/* Whether its task is owed a SIGTRAP. */
static inline bool tally_event_trap_due(const struct tally_core_event *event)
{
#if TALLY_CORE_TRAPS
	return tally_load_relaxed(&event->trap_due);
#else
	return false;
#endif
}

/* Every event of a context: the first one, and the one after. */
static inline struct tally_core_event *tally_context_next(const struct tally_core_context *context,
							  const struct tally_core_event *event)
{
	const struct tally_core_slice *slice = event ? tally_event_slice(event) : &context->any;
	struct tally_list *link = event ? event->all.next : slice->events.next;

	while (link == &slice->events) {
		slice = slice == &context->any ? tally_context_slices(context) : slice + 1;
		if (!slice || slice == tally_context_slices(context) + context->core->nr_cpus)
			return NULL;
		link = slice->events.next;
	}
	return tally_container_of(link, struct tally_core_event, all);
}

#define tally_context_for_each(event, context)                                            \
	for (struct tally_core_event *event = tally_context_next((context), NULL); event; \
	     event = tally_context_next((context), event))

/* Every member of a leader's group, the leader first. */
#define tally_group_for_each(event, of) \
	for (struct tally_core_event *event = (of); event; event = tally_group_next((of), event))

static inline struct tally_core_event *tally_group_next(struct tally_core_event *leader,
							struct tally_core_event *event)
{
	struct tally_list *link = event == leader ? leader->siblings.next : event->sibling.next;

	if (link == &leader->siblings)
		return NULL;
	return tally_container_of(link, struct tally_core_event, sibling);
}

#endif
