/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performance Counters for Linux as a library: what an embedder calls. host.h is the
 * other half: what it supplies.
 *
 * Two kinds of functions. The *surface* has the system calls of perf_event_open(2); each
 * takes the task that calls. The *hooks* tell the core what happens on the host. Surface
 * functions, fork, exec and exit are called with interrupts on where the machine may sleep, from
 * several tasks at once, each of which can be preempted at any instruction; tally_core_poll() alone
 * does not sleep. The other hooks are called on the
 * CPU where it happened, with interrupts off, and neither sleep nor allocate. host.h says which
 * locks there are.
 *
 * Functions return 0 or -errno; `ret_` pointers are untouched on failure. Nothing prints,
 * there are no globals, no floating point, no libc.
 *
 *	tally_core_create(&ops, machine, nr_cpus, &settings, &core);
 *	tally_core_cpu_online(core, cpu);		for each CPU
 *	tally_core_task_init(&task->perf, ...);		for each task that comes to be
 *	...
 *	tally_core_open(core, current, attr, pid, cpu, group_fd, flags, &event, NULL);
 *	tally_core_switch(core, &prev->perf, &next->perf, false);
 *	tally_core_read(core, current, event, buffer, size);
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

#ifdef __cplusplus
extern "C" {
#endif

/* ---- life ------------------------------------------------------------------------------- */

/* The counterparts of /proc/sys/kernel/perf_*. May be changed at any time through
 * tally_core_settings(); each is one word. */
struct tally_core_settings {
	int32_t paranoid; /* perf_event_paranoid: -1 to 3 */
	/* Samples a second of each event; of cpu-clock and task-clock, of which anybody may open
	 * any number, all of a task together, and all of a CPU. (Linux limits each of these by
	 * itself too and gives up its timer interrupt for a while after three rounds without an
	 * end.) */
	uint32_t max_sample_rate;
	uint32_t tick_ns;      /* time between two calls of tally_core_tick() */
	uint32_t mlock_kb;     /* what each user may lock for each CPU beyond RLIMIT_MEMLOCK */
	uint32_t max_stack;    /* entries of a callchain, context markers apart */
	uint32_t max_contexts; /* context markers of a callchain */
	uint32_t record_max;   /* bytes of the largest record, 512 to 65,528; fixed at creation */
	bool scattered;        /* ring buffers of single pages, not one piece */
	bool contiguous;       /* and the metadata page right before the data: excludes scattered */
};

/* Linux's defaults: paranoid 2, 100,000 samples a second, 4 ms, 516 KB, 127 and 8, 65,528
 * bytes, the data of a ring in one piece. */
void tally_core_settings_init(struct tally_core_settings *settings);

/*
 * A core for CPUs 0 .. nr_cpus - 1, all off line. `ops` and `host` must outlive it;
 * `settings` are copied, NULL: the defaults. Registers the host's PMUs
 * (tally_core_pmu_init). -ENOMEM; -EINVAL for no CPUs, an operation that is missing, or
 * settings that exclude each other.
 */
int tally_core_create(const struct tally_host_ops *ops, void *host, uint32_t nr_cpus,
		      const struct tally_core_settings *settings, struct tally_core **ret_core);

/* All events must be closed and all tasks gone. NULL is allowed. */
void tally_core_destroy(struct tally_core *core);

struct tally_core_settings *tally_core_settings(struct tally_core *core);

/* A CPU came on line: its events begin to count. Called by any CPU, or before others run. */
int tally_core_cpu_online(struct tally_core *core, uint32_t cpu);

/* A CPU is about to go: its events stop and keep their counts. Tasks have left it. Called by any
 * CPU with interrupts on, while the one that goes still answers call(). Events of PMUs that count
 * for several CPUs (pmu->cpu_of) go to another. One CPU goes or comes at a time. */
void tally_core_cpu_offline(struct tally_core *core, uint32_t cpu);

/* Whether it is on line, as far as the core was told. From anywhere. */
bool tally_core_cpu_is_online(const struct tally_core *core, uint32_t cpu);

/* ---- tasks ------------------------------------------------------------------------------ */

/* The numbers a task has; it must be called before any other function sees it. */
void tally_core_task_init(struct tally_core_task *task, int32_t pid, int32_t tid);

/* ---- surface ---------------------------------------------------------------------------- */

/* Why something was refused, for people: constant texts. */
struct tally_core_refusal {
	int code; /* the -errno that was returned */
#if TALLY_CORE_REASONS
	const char *field; /* of the attr, or the argument; "" where there is none */
	const char *rule;  /* what was broken */
	const char *fix;   /* what would do; "" where nothing would */
#endif
};

/*
 * perf_event_open(2). `attr` is in the memory of the calling program. A shorter one is taken for
 * one with zeros behind it; the tail of a longer one has to be zero, else -E2BIG, and the size
 * known here is written back. `*ret_event` is what the host's new descriptor stands for. Errors
 * are those of the man page; with `ret_why` (NULL is allowed) they are explained.
 */
int tally_core_open(struct tally_core *core, struct tally_core_task *current, void *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags,
		    struct tally_core_event **ret_event, struct tally_core_refusal *ret_why);

/* The last descriptor and the last mapping of the event are gone. Its group, if it led one,
 * becomes single events. */
void tally_core_close(struct tally_core *core, struct tally_core_event *event);

/*
 * The events that are open, opened by descriptor or from inside, the last one last: `event` NULL
 * gives the first, one that was given the next; NULL: there are no more. What is given is held, and
 * stays where it is in the line, until it is handed in for the next one or put back; meanwhile it
 * may be closed, and its attr can be looked at still. Where the machine may sleep.
 *
 *	for (event = tally_core_event_next(core, NULL); event;
 *	     event = tally_core_event_next(core, event))
 */
struct tally_core_event *tally_core_event_next(struct tally_core *core,
					       struct tally_core_event *event);
void tally_core_event_put(struct tally_core_event *event);

/* Close whatever is open, before the core is destroyed: how many. The host forgets its descriptors
 * and takes its mappings away itself, before or after. Nobody opens or closes meanwhile; what
 * tally_core_event_next() gave may still be held, and is put back before tally_core_destroy(). */
uint32_t tally_core_close_all(struct tally_core *core);

/* What notify() is to be given for this event; the host's file, say. NULL until set. */
void tally_core_event_set_cookie(struct tally_core_event *event, void *cookie);

/* The attr as it is now (IOC_PERIOD changes it). */
const struct perf_event_attr *tally_core_event_attr(const struct tally_core_event *event);

/*
 * read(2): the counts in the attr's read_format: perf_event_open(2), "Reading results".
 * Bytes written; 0 (end of file) for a pinned event in the error state; -ENOSPC when `len`
 * is too small; -EFAULT.
 */
int64_t tally_core_read(struct tally_core *core, struct tally_core_event *event, void *buffer,
			size_t len);

/*
 * ioctl(2): perf_event_open(2), "perf_event ioctl calls". 0 or -errno: -ENOTTY for requests
 * that are none; -EINVAL; -EOPNOTSUPP for modifying what is no breakpoint; -EFAULT.
 */
int tally_core_ioctl(struct tally_core *core, struct tally_core_task *current,
		     struct tally_core_event *event, unsigned long request, uintptr_t arg,
		     struct tally_core_refusal *ret_why);

/* POLLIN, POLLHUP, POLLERR as Linux numbers them. */
enum { TALLY_CORE_POLLIN = 1, TALLY_CORE_POLLERR = 8, TALLY_CORE_POLLHUP = 16 };

/* poll(2): POLLIN once for each wakeup; POLLHUP without a buffer, or when the event's task and
 * those that inherited it are gone; POLLERR | POLLHUP for a pinned event in the error state. (That
 * a REFRESH count is used up only notify() tells.) */
unsigned tally_core_poll(struct tally_core *core, struct tally_core_event *event);

/* prctl(2): PR_TASK_PERF_EVENTS_ENABLE and _DISABLE for the events that `current` opened, as
 * the running Linux does. */
enum { TALLY_CORE_PRCTL_DISABLE = 31, TALLY_CORE_PRCTL_ENABLE = 32 };
int tally_core_prctl(struct tally_core *core, struct tally_core_task *current, int option);

/* ---- from inside ------------------------------------------------------------------------ */

/*
 * Called at each overflow of an event in place of writing a sample: `event` is the one that was
 * created, also where a child of it overflowed. On the CPU where it happened, in the overflow
 * interrupt: interrupts are off, and it may be one that irq_save does not mask. It must not sleep,
 * and call nothing of the core. The first call may come before tally_core_event_create() has
 * returned the event: recognize it by `arg`. Throttling, frequencies and REFRESH are as with
 * samples.
 */
typedef void (*tally_core_overflow_fn)(struct tally_core_event *event,
				       const struct tally_core_sample_data *sample_data, void *arg);

/* Whose and with whom. */
struct tally_core_event_setup {
	struct tally_core_task
		*task; /* held by the caller while it is opened; NULL: all of a CPU */
	int32_t cpu;   /* -1: any, of a task */
	struct tally_core_event *leader; /* NULL: none; held open by the caller */
	struct tally_core_event *output; /* whose buffer to write to; NULL: its own */
	tally_core_overflow_fn overflow; /* NULL: samples are written */
	void *overflow_arg;
};

/*
 * An event of the kernel itself, without descriptor and user memory: a watchdog's, a profiler's of
 * an RTOS. It has all rights; `attr` is copied. Errors are those of tally_core_open(). It ends with
 * tally_core_close(), and is controlled with tally_core_ioctl(), whose `current` may be NULL then:
 * ENABLE, DISABLE, RESET, REFRESH; and mapped with tally_core_mmap(), where a `current` of NULL
 * pays nothing. May sleep.
 */
int tally_core_event_create(struct tally_core *core, const struct perf_event_attr *attr,
			    const struct tally_core_event_setup *setup,
			    struct tally_core_event **ret_event,
			    struct tally_core_refusal *ret_why);

struct tally_core_counts {
	uint64_t value;
	uint64_t enabled, running; /* ns */
};

/* The counts of the event and its children. 0; -ENOSPC: it is pinned and found no room; -ENODEV: it
 * was revoked. May sleep. */
int tally_core_event_read(struct tally_core *core, struct tally_core_event *event,
			  struct tally_core_counts *ret_counts);

/* IOC_SET_OUTPUT by object; `target` NULL: write nowhere. 0; -EINVAL. May sleep. */
int tally_core_event_set_output(struct tally_core *core, struct tally_core_event *event,
				struct tally_core_event *target,
				struct tally_core_refusal *ret_why);

struct tally_core_buffer;

/*
 * Take the next record of a buffer that was mapped writable into `len` bytes at `to`: its bytes, 0
 * when there is none. -ENOSPC: it is longer and stays. -EINVAL: the buffer holds no record there,
 * as somebody else wrote to it or moved data_tail; all that it holds is dropped. One reader at a
 * time; from anywhere but the overflow interrupt.
 */
int64_t tally_core_buffer_read(struct tally_core_buffer *buffer, void *to, size_t len);

/* ---- the classic encoding --------------------------------------------------------------- */

/* tally/classic.h translates the calls of the design document to today's. These two have no
 * counterpart today. */

#if TALLY_CORE_CLASSIC
/* Have MUNMAP records written for the event and who inherits it from now on: laid out as MMAP, of
 * type TALLY_CLASSIC_CORE_MUNMAP. Once; there is no way back. */
void tally_core_event_emit_munmap(struct tally_core *core, struct tally_core_event *event);

/* prctl(2) as the design document has it: the group leaders on `current`, whoever opened them, and
 * none that it opened elsewhere. -EINVAL: no such option. */
int tally_core_prctl_attached(struct tally_core *core, struct tally_core_task *current, int option);
#endif

/* ---- mapping ---------------------------------------------------------------------------- */

/*
 * mmap(2) of an event: 1 + 2^n pages, `len` bytes, at `pgoff` 0. (Where pages are smaller than the
 * metadata, sizeof(struct perf_event_mmap_page), as many more as these take.) The first mapping
 * makes the buffer; further ones must be as long. `writable` is whether the program may write
 * data_tail: where it may not, the buffer is overwritten. The pages are accounted to `current`.
 * -EINVAL: a length that is none, an inherited event of all CPUs, or another length than the
 * buffer's; -EBUSY: the event writes to another one's buffer (IOC_SET_OUTPUT); -EPERM over the
 * locked-memory limit; -EACCES: ops->permit(); -ENODEV: it was revoked; -ENOMEM. Whoever holds the
 * descriptor may map it. May sleep.
 */
int tally_core_mmap(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_event *event, size_t len, uint64_t pgoff, bool writable,
		    struct tally_core_buffer **ret_buffer, struct tally_core_refusal *ret_why);

/* Bytes to map for a ring of `data_len` bytes of data, a power of two of pages or 0: the metadata
 * are added. From anywhere. */
size_t tally_core_mmap_size(const struct tally_core *core, size_t data_len);

/* A mapping that tally_core_mmap() gave is gone. The last one takes the buffer off its event and
 * calls the CPU that may write to it. May sleep. */
void tally_core_munmap(struct tally_core *core, struct tally_core_event *event,
		       struct tally_core_buffer *buffer);

/* The page at `index` of a mapping: 0 is the metadata page (struct perf_event_mmap_page), which
 * goes on in the next ones where pages are smaller; the data begin at index data_offset /
 * page_size, which is 1 else. NULL beyond the end. Page-aligned memory of pages_alloc(). With
 * settings.contiguous all of it is one piece, so that a program without an MMU has the data at
 * data_offset from the page, as one with a mapping. Else the metadata lie elsewhere than the data,
 * and these in one piece unless settings.scattered. From anywhere.
 *
 * On 32 bits data_head is written in two halves: read it until two readings agree. data_tail may be
 * written in halves: while a reader is interrupted in between, the ring can look full.
 * tally_core_buffer_read() has no such cares. */
void *tally_core_buffer_page(const struct tally_core_buffer *buffer, size_t index);

/* ---- hooks ------------------------------------------------------------------------------ */

/* What every core begins with. */
struct tally_core_watch {
	uint32_t users; /* not 0: an event is open, or there is a task that had one */
};

/*
 * Whether anybody wants to know what happens. The hooks that are called often ask this first:
 * without events they cost one load and a branch. Where the host has no running() operation it is
 * always true, as the core then has to be told who runs.
 */
static inline bool tally_core_is_watched(const struct tally_core *core)
{
	return __atomic_load_n(&((const struct tally_core_watch *)(const void *)core)->users,
			       __ATOMIC_RELAXED);
}

struct tally_core_mapping;
struct tally_core_tracepoint;

/* What the inline hooks below come to; called by them alone. */
void tally_core_watched_switch(struct tally_core *core, struct tally_core_task *prev,
			       struct tally_core_task *next, bool preempt);
void tally_core_watched_tick(struct tally_core *core,
			     const struct tally_core_sample_data *sample_data);
void tally_core_watched_comm(struct tally_core *core, struct tally_core_task *task,
			     const char *comm, bool exec);
void tally_core_watched_mapped(struct tally_core *core, struct tally_core_task *task,
			       const struct tally_core_mapping *mapping, bool unmapped);
void tally_core_watched_software(struct tally_core *core, uint32_t id, uint64_t nr,
				 const struct tally_core_sample_data *sample_data);
void tally_core_watched_tracepoint_hit(struct tally_core *core,
				       const struct tally_core_tracepoint *tracepoint,
				       const void *raw, uint32_t len,
				       const struct tally_core_sample_data *sample_data);

/*
 * The CPU changes from `prev` to `next` (NULL: a task without events, as idle is one).
 * `preempt`: prev could have run on. Called on that CPU; costs by the events of the two. Every
 * switch that happens has to be told; one that is told again, or of a task to itself, is nothing,
 * and one that was told but not made is put right by the next. The CPU knows who it was told of
 * last: `prev` counts only where that was nobody. Idle may be NULL as `prev` and as `next`.
 */
static inline void tally_core_switch(struct tally_core *core, struct tally_core_task *prev,
				     struct tally_core_task *next, bool preempt)
{
	if (tally_core_is_watched(core))
		tally_core_watched_switch(core, prev, next, preempt);
}

/* Once every settings.tick_ns on each CPU: rotation, frequencies, the end of throttling. */
static inline void tally_core_tick(struct tally_core *core,
				   const struct tally_core_sample_data *sample_data)
{
	if (tally_core_is_watched(core))
		tally_core_watched_tick(core, sample_data);
}

/* The deadline that ops->timer() was given has come. Called before it, this sets the timer again
 * and does no more. */
void tally_core_timer(struct tally_core *core, const struct tally_core_sample_data *sample_data);

/* What ops->defer() asked for. */
void tally_core_deferred(struct tally_core *core);

/* `current` makes `child`, a thread of its process or (process true) a process of its own. Both
 * have been through tally_core_task_init(), which goes for the boot and the idle task as well where
 * they make others. The child does not run yet, and task_get() does not find it; if it cannot be
 * started after all, tally_core_exit() ends it. -ENOMEM, and -EBUSY where somebody has opened an
 * event on the child all the same: nothing was inherited. May sleep. Without events on `current` no
 * lock is taken. */
int tally_core_fork(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_task *child, bool process);

/* `task` ends: it is the one that runs here, or one that runs nowhere and that no CPU changes to
 * meanwhile. Its counts go to its parents' events. May sleep. The core uses nothing of it
 * afterwards, but it stays in memory until the CPU that ran it last was told of a switch to
 * another. */
void tally_core_exit(struct tally_core *core, struct tally_core_task *task);

/* The same from anywhere, wherever `task` is: neither sleeps nor calls another CPU, so it may be
 * called with interrupts off, inside a critical section, for a task that runs on another CPU. True:
 * it left something, which tally_core_reap() ends; until then its counts are not in its parents'
 * events. `task` may go as after tally_core_exit(); where it was in the middle of a call of the
 * core, it stays in memory until that returned. */
bool tally_core_end(struct tally_core *core, struct tally_core_task *task);

/* End what tasks left that ended by tally_core_end(). May sleep; calls every CPU. Also before
 * tally_core_destroy(). */
void tally_core_reap(struct tally_core *core);

/* `task`, which runs here, has executed another program: enable_on_exec, remove_on_exec.
 * `privileged`: the program runs with more rights than who called it; foreign events of all
 * kinds but per-CPU ones come off. May sleep. */
void tally_core_exec(struct tally_core *core, struct tally_core_task *task, bool privileged);

/* The running task's name changed; `exec` when that came with a new program. */
static inline void tally_core_comm(struct tally_core *core, struct tally_core_task *task,
				   const char *comm, bool exec)
{
	if (tally_core_is_watched(core))
		tally_core_watched_comm(core, task, comm, exec);
}

/* A mapping, for MMAP and MMAP2 records. */
struct tally_core_mapping {
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	bool executable;       /* false: for attr.mmap_data only */
	uint8_t build_id_size; /* 0: none is known */
	uint8_t build_id[20];
	const char *filename;
};

/* The running task mapped something, or (`unmapped`) took it away; the latter is told only to
 * events of the classic encoding. */
static inline void tally_core_mapped(struct tally_core *core, struct tally_core_task *task,
				     const struct tally_core_mapping *mapping, bool unmapped)
{
	if (tally_core_is_watched(core))
		tally_core_watched_mapped(core, task, mapping, unmapped);
}

/* The running task is in these namespaces now: 7, in Linux's order (net, uts, ipc, pid, user,
 * mnt, cgroup). */
void tally_core_namespaces(struct tally_core *core, struct tally_core_task *task,
			   const struct perf_ns_link_info *links, uint32_t nr);

/* Kernel code came or (`gone`) went. */
void tally_core_ksymbol(struct tally_core *core, uint64_t addr, uint32_t len, uint16_t type,
			bool gone, const char *name);

/* Kernel code at `addr` is about to change from `before` to `after`: TEXT_POKE records. Both
 * lengths are below 65,536; what does not fit into a record is left out. For hosts that offer
 * TALLY_HOST_TEXT_POKE. */
void tally_core_text_poke(struct tally_core *core, uint64_t addr, const void *before,
			  uint32_t before_len, const void *after, uint32_t after_len);

/* A BPF program was loaded or unloaded (`type` PERF_BPF_EVENT_*): its id and its tag of 8 bytes.
 * For hosts that offer TALLY_HOST_BPF. */
void tally_core_bpf(struct tally_core *core, uint16_t type, uint32_t id, const uint8_t *tag);

/* A cgroup came to be: its id, as ops->cgroup() gives it, and its path. For hosts that offer
 * TALLY_HOST_CGROUP. */
void tally_core_cgroup(struct tally_core *core, uint64_t id, const char *path);

/* `nr` software events of this kind (PERF_COUNT_SW_*) happened in what runs here:
 * page faults, alignment and emulation faults. Context switches and migrations are the core's own
 * unless the host offers TALLY_HOST_TELLS_SWITCHES; clocks always are. */
static inline void tally_core_software(struct tally_core *core, uint32_t id, uint64_t nr,
				       const struct tally_core_sample_data *sample_data)
{
	if (tally_core_is_watched(core))
		tally_core_watched_software(core, id, nr, sample_data);
}

/* ---- tracepoints ------------------------------------------------------------------------ */

struct tally_core_field {
	const char *name;
	uint16_t offset, size; /* in the raw data; size 1, 2, 4 or 8 for integers */
	bool is_signed;
	bool is_string; /* NUL-terminated within size bytes */
};

/* A tracepoint: the host's, constant but for the links. */
struct tally_core_tracepoint {
	const char *system, *name;
	uint64_t id;                           /* attr.config; unique */
	const struct tally_core_field *fields; /* what filters can name */
	uint32_t nr_fields;
	bool about_own_task; /* its data are what the task that hits it knows anyway, as of a system
			      * call: without privileges PERF_SAMPLE_RAW is granted for own tasks */
	/* The core's, zero until registered. */
	uint32_t users; /* its events, and who looks at it */
	bool leaving;
	struct tally_core_tracepoint *next;
};

/* -EEXIST: the id, or the name, is taken; -EBUSY: it is half gone. */
int tally_core_tracepoint_register(struct tally_core *core,
				   struct tally_core_tracepoint *tracepoint);

/* A tracepoint goes, and is hit no more: what tally_core_pmu_unregister() says of a PMU. */
int tally_core_tracepoint_unregister(struct tally_core *core,
				     struct tally_core_tracepoint *tracepoint);

/* By "system:name"; NULL if there is none. Who unregisters tracepoints takes care that it is not
 * this one. */
const struct tally_core_tracepoint *
tally_core_tracepoint_find(struct tally_core *core, const char *system, const char *name);

/* It was hit by what runs here, with this raw data. */
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
#endif

#endif
