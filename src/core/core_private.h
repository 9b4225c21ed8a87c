/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core's objects. Letters in the comments on fields denote the access rules:
 *
 * - F: The family lock, one of the host's sleeping locks. A family is a set of contexts connected
 *   by inheritance (family.h). Events, groups and children are added to its contexts and removed
 *   from them under this lock. Events that can migrate between CPUs share one family, wherever they
 *   are.
 * - A: The *context rule*. A context that is on a CPU belongs to that CPU with interrupts off. A
 *   context that is on no CPU belongs to the holder of its spin lock, with interrupts off. Putting
 *   a context on a CPU or taking it off requires the lock. A CPU's own context is always on its
 *   CPU. So tally_context_run() can hold any context in place, and a switch, a tick or an overflow
 *   never waits for configuration.
 * - O: The overflow rule. The field is also written by the overflow interrupt of the CPU that the
 *   event is on. It is a single word, accessed through atomic.h.
 * - R: The registry's spin lock. It protects the global lists of objects, and the accounts.
 * - T: The task's spin lock. It protects the task's context and family pointers and its exited
 *   flag.
 * - K: Constant once the object is shared.
 *
 * Lists are walked under A and changed under A and F together, so either is enough to read them.
 * The lists of a CPU's own context are an exception: events of two families share them, so reading
 * them requires A. Rotation changes the order of `flexible` under A alone: F is enough to walk that
 * list only while `is_forking` is set.
 *
 * Lock order: the host's locks that are held when the core is called; F; context->lock or
 * buffer->lock; event->output_lock. R is taken alone or inside F, and before context->lock or T.
 * Interrupts are off under the spin locks. Nothing is allocated, freed, or copied from or to user
 * memory under any of these locks.
 */
#ifndef TALLY_CORE_PRIVATE_H
#define TALLY_CORE_PRIVATE_H

#include "abi/abi_sample.h"
#include "base/arith.h"
#include "base/linked_list.h"
#include "core/atomic.h"
#include "core/heap.h"
#include "tally/core.h"
#include "tally/errno.h"

enum {
	/* Number of the core's own PMUs: two clocks, software events and tracepoints. */
	TALLY_CORE_OWN_PMUS = 2 + TALLY_CORE_SOFTWARE_EVENTS + TALLY_CORE_TRACEPOINTS,
	TALLY_CORE_MIN_CLOCK = 10000, /* shortest sampling interval of clock events, in ns */
};

#define TALLY_NS_PER_S UINT64_C(1000000000)

/* ---- events ----------------------------------------------------------------------------- */

/* The order of the states is significant, because they are compared. The transitions are in
 * state.c. */
enum tally_state {
	TALLY_STATE_DEAD = -5,    /* being closed */
	TALLY_STATE_REVOKED = -4, /* PMU or tracepoint unregistered; can only be closed */
	TALLY_STATE_EXIT = -3,    /* the task has ended; the count remains */
	TALLY_STATE_ERROR = -2,   /* pinned, but did not fit on the PMU */
	TALLY_STATE_OFF = -1,     /* disabled */
	TALLY_STATE_INACTIVE = 0, /* enabled; waiting for its task or for a counter */
	TALLY_STATE_ACTIVE = 1,   /* on its PMU */
};

/* Work deferred by the overflow interrupt. */
enum tally_pending {
	TALLY_PENDING_WAKE = 1 << 0,
	TALLY_PENDING_HUP = 1 << 1, /* REFRESH count used up: disable and notify */
	TALLY_PENDING_TRAP = 1 << 2,
};

enum {
	TALLY_CORE_ATTR_KEPT =
		TALLY_CORE_WHOLE_ATTR ? sizeof(struct perf_event_attr) : PERF_ATTR_SIZE_VER1
};

/* The core's own attr size. It cannot sample the registers that later members select. */
enum { TALLY_CORE_ATTR_SIZE = PERF_ATTR_SIZE_VER9 };

struct tally_core_filter; /* tracepoint filter; see filter.h */

/* A set of contexts connected by inheritance; see family.h. */
struct tally_core_family {
	struct tally_core *core; /* K */
	void *lock;              /* K; from ops->lock_new() */
	uint32_t refs;           /* atomic; held by contexts, and by callers about to take `lock` */
};

/* An event's times in ns, measured by its context's time and accounted up to `stamp`. */
struct tally_core_times {
	uint64_t enabled, running, stamp;
};

struct tally_core_event {
	struct tally_core_hw hw;            /* A; the driver's part */
	struct tally_core *core;            /* K */
	struct tally_core_pmu *pmu;         /* K until revoked; then F, and in no context */
	struct tally_core_context *context; /* K, except in migrate.c: F and the new context's A */
	int32_t cpu;                        /* like `context`; CPU that is counted, or -1 for all */
	bool moves;                         /* K; can migrate between CPUs; F is core->movers */
	uint64_t id;                        /* K */
	void *viewer;                       /* K; the opener's namespace, for ops->ids() */
	bool is_seen;                       /* F; counted in context->seen */
	void *cookie;                       /* atomic; the host's data for ops->notify() */
	uint32_t refs;                      /* atomic; held by the opener and by iterators */
	struct tally_list opened;           /* R; link in core->events */

	/* Counting state. */
	int8_t state;   /* A; enum tally_state */
	bool on_pmu;    /* A; between add() and del() */
	uint64_t count; /* O */
	/* A; an update is written to the copy that `times_at` does not select, then `times_at` is
	 * flipped. So an overflow interrupt during an update sees consistent times. */
	struct tally_core_times times[2];
	uint32_t times_at;

	/* Group. `siblings` is empty unless the event leads a group. */
	struct tally_core_event *leader;  /* A and F; the event itself if leader or ungrouped */
	struct tally_list siblings;       /* A and F; members, if the event is a leader */
	struct tally_list sibling;        /* A and F; link in the leader's siblings */
	struct tally_core_pmu *group_pmu; /* A and F; leaders: the group's hardware PMU */
	uint32_t nr_siblings;             /* A and F */
	struct tally_list group;          /* A and F; leaders: link in slice->pinned or flexible */
	struct tally_list active;         /* A; leaders: link in context->active */
	uint64_t waits_since;  /* A; flexible leaders: when it joined the end of the queue */
	uint64_t turn;         /* A; flexible leaders: ns of turn used, minus `contended` if on */
	struct tally_list all; /* A and F; link in slice->events */

	/* Inheritance has one level: every child is a child of the event that was opened. */
	struct tally_core_event *parent; /* K; NULL for an event that was opened */
	struct tally_list children;      /* F */
	struct tally_list child;         /* F */
	uint32_t nr_children;            /* written under F, read at any time */
	/* Totals of the children that have been closed. Written under F, read at any time. */
	uint64_t child_count, child_enabled, child_running;

	/* R; links in the list of events that a task has opened, for prctl(). */
	struct tally_core_event *owned_next, **owned_at;

	/* A; links while the event is active. If the event is in no list or heap, the first word
	 * points to itself. */
	union {
		struct tally_list hook;     /* software events, tracepoints: in a list of the CPU */
		struct tally_heap_node due; /* clocks: keyed by the time of the next sample */
	};

	/* Sampling state. */
	struct tally_sample_layout layout; /* K */
	struct tally_spin output_lock;     /* taken after the buffer's lock */
	struct tally_core_buffer *buffer;  /* written under output_lock, read under O; children use
	                                    * the parent's */
	struct tally_list output;          /* under the buffer's lock; link in buffer->events */
	uint64_t lost;                     /* O; lost records; children use the parent's */
	int32_t limit;                     /* O; overflows left after IOC_REFRESH; 0 if unlimited */
	bool exhausted;                    /* O; limit reached, the event is about to be disabled */
	uint32_t throttled;                /* O; leaders: the group is stopped */
	uint32_t interrupts;               /* O; overflows in tick number `tick` */
	uint64_t tick;                     /* O; number of the tick that `interrupts` refers to */
#if TALLY_CORE_FREQUENCIES
	uint64_t freq_stamp, freq_sampled; /* O; frequency mode: time and count at last sample */
	uint64_t freq_tick, freq_count;    /* O; time and count at the last tick */
#endif
	uint32_t pending;                      /* O; enum tally_pending */
	struct tally_core_event *pending_next; /* O */
#if TALLY_CORE_TRAPS
	uint64_t trap_addr; /* O */
	uint32_t trap_due;  /* O; a SIGTRAP to its task is pending */
#endif
	uint32_t stacked;    /* atomic; CPUs that have the event stacked or are processing it */
	uint32_t stacked_on; /* the last CPU that pushed the event */

	struct tally_core_tracepoint *tracepoint; /* R; NULL if none or revoked */
	tally_core_overflow_fn overflow;  /* K; called instead of writing samples, or NULL */
	void *overflow_arg;               /* K; argument of `overflow` */
	struct tally_core_filter *filter; /* set once; children use the parent's */
	bool classic;                     /* A and F; set once; wants MUNMAP records */

	/* K; A for sample_period, sample_freq, enable_on_exec and the fields that ioctl() can
	 * modify. Must be last: only TALLY_CORE_ATTR_KEPT bytes of it are allocated. */
	struct perf_event_attr attr;
};

/* ---- contexts --------------------------------------------------------------------------- */

/* Kinds of records that events request. context->wants counts the events that request each kind. */
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

/* A subset of a context's events: the events for one CPU, or the events for any CPU. */
struct tally_core_slice {
	struct tally_list pinned;   /* A and F; pinned groups */
	struct tally_list flexible; /* A and F; flexible groups, longest waiting first */
	struct tally_list events;   /* A and F; all events */
};

/* IDs of a task that has ended, as seen from the namespace `viewer`; for use in records. */
struct tally_core_task_ids {
	void *viewer;
	int32_t pid, tid, ppid, ptid;
	uint32_t nr; /* number of events opened from `viewer`; the host keeps it while nr > 0 */
};

/* Number of namespaces for which the IDs of a task that has ended are saved. In other namespaces,
 * its IDs are 0. */
enum { TALLY_CORE_VIEWERS = 4 };

/* Sampling clock events; see clock.c. */
struct tally_clocks {
	struct tally_heap due; /* keyed by the time of the next sample */
	uint64_t since;        /* start of the current share of the sample rate */
	uint64_t held;         /* end of the last share that was used up */
	uint32_t served;       /* deadlines served in the current share */
};

/* The events of one task, or of one CPU. */
struct tally_core_context {
	struct tally_core *core;          /* K */
	struct tally_core_family *family; /* K */
	struct tally_core_task *task;     /* A and F; NULL for a CPU or if the task has ended */
	struct tally_spin lock;
	int32_t on_cpu;           /* A; -1 if the context is not on any CPU */
	struct tally_list active; /* A; active groups, in the order they were added */
	/* Set for a task that tally_core_end() has ended; see reap.c. */
	bool orphan;                    /* under the lock; a switch does not swap the context */
	struct tally_core_task_ids ids; /* R */
#if TALLY_CORE_USERS
	struct tally_core_task_ids seen[TALLY_CORE_VIEWERS]; /* F and R; the IDs that openers see */
#endif
	struct tally_core_context *orphan_next; /* R */

	struct tally_core_slice any; /* events for any CPU; all events in a CPU's own context */
	struct tally_core_slice
		*slices;    /* set once; a task's single-CPU events, by CPU; NULL if none */
	uint32_t refs;      /* atomic; held by the task or CPU, and by objects that point here */
	uint32_t nr_events; /* A and F */
	uint32_t nr_freq;   /* A and F; number of events in frequency mode */
	uint32_t nr_bound;  /* A and F; number of events with inherit_stat or sigtrap */
#if TALLY_CORE_SIDEBAND
	uint32_t wants[TALLY_WANTS_NR]; /* A and F */
#endif
	bool waiting;    /* A; a group did not fit */
	uint64_t time;   /* A; ns spent on a CPU, as of the last update */
	uint64_t offset; /* A; `time` minus the clock; constant while on a CPU */
#if TALLY_CORE_TRAPS
	uint32_t traps_due; /* O; number of events with a SIGTRAP pending */
#endif
	uint32_t pins;              /* A; callers that need the context to keep its task */
	uint32_t is_forking;        /* atomic; the task is forking: groups keep their order */
	struct tally_clocks clocks; /* A; active clock events */

	/* Contexts with the same origin and generation hold the same events; see switch.c. */
	uint64_t id;                        /* K */
	uint64_t generation;                /* A; changes with the list of events */
	uint64_t origin, origin_generation; /* A; 0 if the context is not a clone */
};

/* ---- CPUs ------------------------------------------------------------------------------- */

struct tally_core_pmu_cpu {
	uint32_t full;                      /* round in which the PMU rejected a lone event */
	uint32_t nr_active;                 /* number of active events */
	struct tally_core_event *exclusive; /* active exclusive group, or NULL */
};

/* Owned by its CPU with interrupts off, except as noted. */
struct tally_core_cpu {
	struct tally_core *core;            /* K */
	uint32_t number;                    /* K */
	bool online;                        /* written under own.family's lock, read at any time */
	struct tally_core_context own;      /* events of this CPU */
	struct tally_core_context *of_task; /* context of the running task, or NULL */
	struct tally_core_task *task;       /* running task, or NULL if it has no events */
	uint32_t round;                     /* number of the current scheduling round; never 0 */
	uint32_t nr_polled; /* number of active events read at each tick, before they wrap */
#if TALLY_CORE_SOFTWARE_EVENTS
	struct tally_list software[PERF_COUNT_SW_MAX]; /* active events, by kind */
	struct tally_list tracepoints[TALLY_CORE_BUCKETS];
#endif
	/* Set while a group is being started or stopped. During that time, clock events read
	 * context->time. */
	bool frozen;
	/* Time in ns during which groups were waiting on this CPU, accounted up to
	 * `turns_stamp`. */
	uint64_t contended, turns_stamp;
	uint32_t nr_throttled;            /* O */
	uint64_t tick;                    /* number of the current tick */
	struct tally_core_event *pending; /* O; stack of events with deferred work */
	uint32_t missed;                  /* O; some deferred work may be on another CPU's stack */
	uint32_t nesting;                 /* O; records being written, nested by interrupts */
	struct tally_core_scratch *scratch; /* scratch.h; NULL if this CPU may not write to rings */
	uint32_t scratch_each;              /* written under own.family's lock, read at any time */
	uint32_t scratch_holders;           /* atomic; leaves 0 only under own.family's lock */
};

struct tally_core {
	struct tally_core_watch watch;    /* atomic; must be first, because hooks read it */
	uint32_t epoch;                   /* written under watch_lock; invalidates older
	                                   * task->last_cpu */
	void *watch_lock;                 /* K; NULL if the hooks are always in use */
	const struct tally_host_ops *ops; /* K */
	void *host;                       /* K */
	struct tally_core_settings settings;
	uint32_t nr_cpus;            /* K */
	uint32_t nr_online;          /* atomic */
	struct tally_spin registry;  /* R; held for a few instructions, with interrupts off */
	struct tally_list events;    /* R; all opened events */
	struct tally_core_pmu *pmus; /* R; in reverse order of registration */
	struct tally_core_pmu cpu_clock, task_clock;
#if TALLY_CORE_SOFTWARE_EVENTS
	struct tally_core_pmu software, tracing;
#endif
	struct tally_core_pmu revoked;             /* K; PMU of revoked events; in no list */
	struct tally_core_tracepoint *tracepoints; /* R */
	uint64_t last_id;                          /* atomic */
	uint32_t watchers;                         /* atomic; leaves 0 only under watch_lock:
	                                            * watch.c */
#if TALLY_CORE_SEVERAL_CPUS
	struct tally_core_family *movers; /* K; family of events that can migrate (migrate.c) */
#endif
	struct tally_core_context *orphans; /* R; contexts to be reaped */
	struct tally_core_event *nobody;    /* R; dummy list head for events without an owner */
	struct tally_core_cpu cpus[];
};

/* ---- small helpers ---------------------------------------------------------------------- */

/* Initializer for a refusal: its code and, with TALLY_CORE_REASONS, its strings. */
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

/* Return true if the PMU's counters have to be read at each tick, because they wrap without an
 * interrupt. */
static inline bool tally_pmu_is_polled(const struct tally_core_pmu *pmu)
{
	return (pmu->caps & (TALLY_PMU_NO_INTERRUPT | TALLY_PMU_SOFTWARE)) ==
	       TALLY_PMU_NO_INTERRUPT;
}

static inline bool tally_event_is_software(const struct tally_core_event *event)
{
	return event->pmu->caps & TALLY_PMU_SOFTWARE;
}

/* Return the event that was opened: the parent of a child event, or the event itself. Children use
 * the opened event's buffer, ID, limit and filter. */
static inline struct tally_core_event *tally_event_root(struct tally_core_event *event)
{
	return TALLY_CORE_INHERITANCE && event->parent ? event->parent : event;
}

static inline bool tally_event_samples(const struct tally_core_event *event)
{
	return event->attr.sample_period != 0; /* shared with sample_freq */
}

/* Return true if the event can count on this CPU. */
static inline bool tally_event_matches(const struct tally_core_event *event,
				       const struct tally_core_cpu *cpu)
{
	return !TALLY_CORE_SEVERAL_CPUS || event->cpu < 0 || (uint32_t)event->cpu == cpu->number;
}

static inline const struct tally_core_times *tally_event_times(const struct tally_core_event *event)
{
	return &event->times[tally_load_acquire(&event->times_at)];
}

/* Return true if the task has the capability. Without TALLY_CORE_USERS or ops->capable, every task
 * has all capabilities, and so does the kernel itself (`current` is NULL). */
static inline bool tally_core_capable(const struct tally_core *core,
				      const struct tally_core_task *current, int capability)
{
	return !TALLY_CORE_USERS || !current || !core->ops->capable ||
	       core->ops->capable(core->host, current, capability);
}

/* Return true if the security module (ops->permit) allows the running task this access. */
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

/* Return the number of whole pages in `bytes`. */
static inline uint64_t tally_pages(const struct tally_core *core, uint64_t bytes)
{
	return bytes >> tally_log2(core->ops->page_size);
}

/* Return the number of metadata pages in a buffer: more than one if pages are small. */
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

/* Return a context's slices, indexed by CPU, or NULL if it needs none. On a single CPU, `any` holds
 * all events. */
static inline struct tally_core_slice *
tally_context_slices(const struct tally_core_context *context)
{
	return TALLY_CORE_SEVERAL_CPUS ? tally_load_acquire(&context->slices) : NULL;
}

/* Return the slice that an event is in. For a task's event on one CPU, the slices must exist. */
static inline struct tally_core_slice *tally_event_slice(const struct tally_core_event *event)
{
	struct tally_core_slice *slices = tally_context_slices(event->context);

	return slices && event->cpu >= 0 ? &slices[event->cpu] : &event->context->any;
}

/* Return the context's slice for a CPU, which is used in addition to `any`, or NULL if it does not
 * exist. */
static inline struct tally_core_slice *tally_context_slice(struct tally_core_context *context,
							   const struct tally_core_cpu *cpu)
{
	struct tally_core_slice *slices = tally_context_slices(context);

	return slices ? &slices[cpu->number] : NULL;
}

/* Return true if a SIGTRAP to the event's task is pending. */
static inline bool tally_event_trap_due(const struct tally_core_event *event)
{
#if TALLY_CORE_TRAPS
	return tally_load_relaxed(&event->trap_due);
#else
	return false;
#endif
}

/* Return the event after `event` in a context, or the first one if `event` is NULL. Return NULL at
 * the end. */
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

/* Iterate over the members of a leader's group, starting with the leader. */
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
