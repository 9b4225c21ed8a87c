/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting and sampling with whichever perf_event_open answers: the Linux kernel's, or
 * another implementation behind the same calls (a transport).
 *
 * Functions return 0 or a negative errno; `ret_` pointers are untouched on failure; free
 * functions take NULL. Objects belong to one thread at a time; different objects do not
 * interfere. Nothing here prints, and there are no globals.
 *
 *	tally_events_new(NULL, NULL, &events);
 *	tally_events_parse(events, "cycles,faults", 13, &list, &event_error);
 *	tally_cpus_any(&cpus);
 *	tally_threads_of_pid(pid, &threads);
 *	tally_counters_open(tally_transport_linux(), list, cpus, threads, NULL, &counters, &why);
 *	tally_counters_enable(counters);
 *	...
 *	tally_counters_read(counters, event, cpu_index, thread_index, &count);
 *	tally_counters_close(counters);
 */
#ifndef TALLY_CLIENT_H
#define TALLY_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"
#include "tally/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- transport ----------------------------------------------------------- */

/* The calls of perf_event_open(2) as an implementation offers them. All return what the system
 * call does, but -errno for errors. */
struct tally_transport {
	const char *name;
	int (*open)(const struct tally_transport *transport, struct perf_event_attr *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags);
	int (*close)(const struct tally_transport *transport, int fd);
	int64_t (*read)(const struct tally_transport *transport, int fd, void *to, size_t len);
	int (*ioctl)(const struct tally_transport *transport, int fd, unsigned long request,
		     uintptr_t arg);
	int (*mmap)(const struct tally_transport *transport, int fd, size_t len, bool writable,
		    void **ret_memory);
	int (*munmap)(const struct tally_transport *transport, void *memory, size_t len);
	void *private_data;
};

/* The running kernel's. Constant. */
const struct tally_transport *tally_transport_linux(void);

/* ---- CPUs and threads ---------------------------------------------------- */

/* A CPU by its number, never by its index. -1: any CPU. */
struct tally_cpu {
	int32_t number;
};

struct tally_cpus {
	size_t nr;
	struct tally_cpu cpu[]; /* ascending; a single one of -1: any CPU */
};

/* "Any CPU": one entry of -1. Free with free(3), as all the others. */
int tally_cpus_any(struct tally_cpus **ret_cpus);

/* The CPUs that are on line now, gaps and all (sysfs devices/system/cpu/online). `sysfs`
 * NULL: /sys. The error of reading it; -EINVAL if it is not a list. */
int tally_cpus_online(const char *sysfs, struct tally_cpus **ret_cpus);

/* A list "0-3,5". -EINVAL for what is none, or over 65,536 CPUs. */
int tally_cpus_parse(const char *text, struct tally_cpus **ret_cpus);

/* Index of a CPU number, or -1. */
int tally_cpus_index(const struct tally_cpus *cpus, int32_t number);

/* Where a CPU sits. -1 for what sysfs does not tell. Cores are numbered within their die, dies
 * within their socket. */
struct tally_cpu_place {
	int32_t socket, die, core, node;
};

/* `sysfs` NULL: /sys. */
struct tally_cpu_place tally_cpu_place(const char *sysfs, struct tally_cpu cpu);

struct tally_thread_id {
	int32_t tid; /* -1: all threads */
	int32_t pid;
};

struct tally_threads {
	size_t nr;
	struct tally_thread_id thread[];
};

/* "Every thread": one entry of -1, for per-CPU events. */
int tally_threads_any(struct tally_threads **ret_threads);

/* One thread, whose tid is `tid`; its process is looked up in procfs, else taken to be tid. */
int tally_threads_of_tid(int32_t tid, struct tally_threads **ret_threads);

/* All threads of the processes (or the threads themselves) in a list "12,34". -ESRCH when none
 * of them exists; -EINVAL when it is no list of numbers. */
int tally_threads_of_pids(const char *pids, struct tally_threads **ret_threads);
int tally_threads_of_tids(const char *tids, struct tally_threads **ret_threads);

/* Every thread of every process that procfs shows. */
int tally_threads_all(struct tally_threads **ret_threads);

/* All threads of a user, by name or number. -ESRCH when there are none, -EINVAL no such user. */
int tally_threads_of_user(const char *user, struct tally_threads **ret_threads);

/* ---- counts -------------------------------------------------------------- */

/* How far a value can be trusted. There is no way to get one without it. */
enum tally_quality {
	TALLY_QUALITY_EXACT,         /* ran all the time it was enabled */
	TALLY_QUALITY_SCALED,        /* ran part of it: value is an estimate */
	TALLY_QUALITY_NEVER_RAN,     /* was never on the PMU, or never enabled */
	TALLY_QUALITY_NOT_SUPPORTED, /* could not be opened here */
	TALLY_QUALITY_NOT_PERMITTED,
	TALLY_QUALITY_ESTIMATED, /* by a machine that cannot count it exactly */
};

/* "exact", "scaled", ... */
const char *tally_quality_name(enum tally_quality quality);

struct tally_count {
	uint64_t value;            /* as counted, not scaled */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* samples, with PERF_FORMAT_LOST */
	enum tally_quality quality;
};

/* The value over the whole time enabled: value * enabled / running in 128 bits. */
uint64_t tally_count_scaled(const struct tally_count *count);

/* Sum of two counts and the worse of their qualities; a count that never ran, or is not there,
 * does not spoil one that did. */
struct tally_count tally_count_add(struct tally_count a, struct tally_count b);

/* a - b, field by field: what was counted since b was read. */
struct tally_count tally_count_since(struct tally_count a, struct tally_count b);

/* ---- why opening failed -------------------------------------------------- */

/* Data for a message: which event, which field, which rule, what would help. */
struct tally_refusal {
	int code;         /* -errno of perf_event_open */
	size_t event;     /* index in the list */
	int32_t pid, cpu; /* where it was refused */
	char rule[160];   /* what was broken, in words */
	char field[32];   /* the attr's field that is to blame; "" if none was found */
	char found[160];  /* the value met: "perf_event_paranoid is 3"; "" if none */
	char fix[3][160]; /* what would permit it, smallest change first; "" ends */
};

/* ---- counters ------------------------------------------------------------ */

struct tally_counters;

/* What was asked for and could not be had, but was done in another way. */
enum tally_fallback {
	TALLY_FALLBACK_NONE = 0,
	TALLY_FALLBACK_NO_KERNEL = 1
				   << 0, /* exclude_kernel was set: only user space is permitted */
	TALLY_FALLBACK_CPU_CLOCK = 1 << 1, /* cycles became cpu-clock: no PMU */
	TALLY_FALLBACK_PRECISE = 1 << 2,   /* precise_ip was lowered */
	TALLY_FALLBACK_OLD_KERNEL = 1
				    << 3, /* attr bits that the kernel does not know were dropped */
	TALLY_FALLBACK_GROUP_BROKEN = 1 << 4, /* members of a weak group were opened alone */
};

struct tally_open_options {
	bool disabled;         /* start disabled; else they count at once */
	bool enable_on_exec;   /* of the threads opened: start when they exec */
	bool inherit;          /* children too */
	bool sampling;         /* attrs are taken as they are: sample_type, periods ... */
	bool read_group;       /* PERF_FORMAT_GROUP: groups are read in one go */
	bool may_fall_back;    /* cycles to cpu-clock */
	bool skip_unsupported; /* an event that cannot be opened is left out, not an error */
	int32_t cgroup_fd;     /* directory of a cgroup to count in, -1 or 0: none */
};

/*
 * Open every event of `list` on every CPU of `cpus` for every thread of `threads`. Events of
 * uncore PMUs are opened on their own CPUs instead, for all threads. The attrs are copied;
 * with `sampling` off, read_format and disabled, inherit are set here.
 *
 * The soft limit of file descriptors is raised towards the hard one when it is too low.
 * What is refused is tried again with less: without bits that an old kernel does not know,
 * without the kernel when only user space is permitted, on the CPU's clock when there is no
 * PMU (with may_fall_back). Threads that end meanwhile are left out.
 *
 * On failure everything is closed and `*ret_why` (may be NULL) explains.
 * 0; -ENOMEM; -ESRCH when all threads are gone; else the error of perf_event_open(2).
 */
int tally_counters_open(const struct tally_transport *transport,
			const struct tally_event_list *list, const struct tally_cpus *cpus,
			const struct tally_threads *threads,
			const struct tally_open_options *options,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why);
void tally_counters_close(struct tally_counters *counters);

size_t tally_counters_nr_events(const struct tally_counters *counters);

/* The attr that an event was opened with, and what was given up to get it (enum
 * tally_fallback). */
const struct perf_event_attr *tally_counters_attr(const struct tally_counters *counters,
						  size_t event);
unsigned tally_counters_fallback(const struct tally_counters *counters, size_t event);

/* Why an event that skip_unsupported left out was refused; NULL if it was not. */
const struct tally_refusal *tally_counters_refusal(const struct tally_counters *counters,
						   size_t event);

/* The CPUs that an event is opened on, and the number of threads. */
const struct tally_cpus *tally_counters_cpus(const struct tally_counters *counters, size_t event);
size_t tally_counters_nr_threads(const struct tally_counters *counters);

/* The descriptor of one counter; -1 when it is not open. */
int tally_counters_fd(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread);

/* Its sample id. 0 or the error of PERF_EVENT_IOC_ID. */
int tally_counters_id(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread, uint64_t *ret_id);

/* All of them. The first error, after having tried all. */
int tally_counters_enable(struct tally_counters *counters);
int tally_counters_disable(struct tally_counters *counters);
int tally_counters_reset(struct tally_counters *counters);

/* Set a tracepoint filter on an event's counters. */
int tally_counters_filter(struct tally_counters *counters, size_t event, const char *filter);

/* One counter's value now. Counters that are not open give 0 of quality NOT_SUPPORTED or
 * NOT_PERMITTED. 0, or the error of read(2); end of file (a pinned event in error) is a count
 * that never ran. */
int tally_counters_read(struct tally_counters *counters, size_t event, size_t cpu, size_t thread,
			struct tally_count *ret_count);

/* Index of the event that leads the group which an event was opened in: itself when it is alone. */
size_t tally_counters_leader(const struct tally_counters *counters, size_t event);

/* Read the group led by `leader` at one moment (read_group; else just the leader). The count of
 * each member that is open goes to ret_counts[its index]; the others are untouched, as all are at
 * end of file (a pinned group in error). `ret_counts` has room for all events. 0, or the error of
 * read(2). */
int tally_counters_read_group(struct tally_counters *counters, size_t leader, size_t cpu,
			      size_t thread, struct tally_count *ret_counts);

/* ---- reading without a system call ------------------------------------------- */

/* How this processor reads its counters. */
struct tally_self_reader {
	uint64_t (*counter)(void *arg, uint32_t number); /* of page->index - 1, not extended */
	uint64_t (*cycles)(void *arg);                   /* what time_mult and time_shift convert */
	void *arg;
};

/* rdpmc and rdtsc of x86-64, or the registers that PMUv3 lets user space read on arm64; NULL where
 * this build knows none. Constant. */
const struct tally_self_reader *tally_self_reader_native(void);

/*
 * The count of an event that a thread opened on itself, from the event's metadata page and its
 * counter: perf_event_open(2), cap_user_rdpmc. Right over wraps of the counter, migration,
 * multiplexing and disabling: what happens meanwhile makes it look again. Only the thread that is
 * counted may call it.
 * True with the count; false when it has to be read with read(2): the PMU has no such counters,
 * user space may not read them, or the event is on none now.
 */
bool tally_self_read(const struct perf_event_mmap_page *page,
		     const struct tally_self_reader *reader, struct tally_count *ret_count);

/* ---- ring buffers -------------------------------------------------------- */

struct tally_ring;

/* Two pieces of a ring in order; the second is empty unless the data wraps. */
struct tally_ring_data {
	const uint8_t *first, *second;
	size_t first_len, second_len;
};

/* Map the ring buffer of `fd`: 1 + `pages` pages, a power of two. `overwrite` maps it read-only
 * for write_backward events. 0; -EPERM over the locked-memory limit; the error of mmap(2). */
int tally_ring_map(const struct tally_transport *transport, int fd, size_t pages, bool overwrite,
		   struct tally_ring **ret_ring);
void tally_ring_unmap(struct tally_ring *ring);
int tally_ring_fd(const struct tally_ring *ring);

/* Everything that was written and not consumed: whole records, nothing copied. False when empty.
 * Stays valid until consumed. Of an overwrite ring (pause it first): what is still there, newest
 * record first. */
bool tally_ring_data(struct tally_ring *ring, struct tally_ring_data *ret_data);

/* The next whole record, in place; only one that wraps is copied, into the ring's own
 * scratch. NULL at the end. The record stays valid until the next call. */
const struct perf_event_header *tally_ring_next(struct tally_ring *ring);

/* Give everything seen by tally_ring_data() or tally_ring_next() back to the writer. */
void tally_ring_consume(struct tally_ring *ring);

/* The largest power of two of pages, at most `pages`, that the locked-memory limits permit a user
 * without CAP_IPC_LOCK for `nr_rings` rings: perf_event_mlock_kb for each CPU and
 * RLIMIT_MEMLOCK. At least 1. */
size_t tally_ring_affordable_pages(size_t pages, size_t nr_rings);

/* ---- what is permitted --------------------------------------------------- */

/* Capabilities by number, so that old headers do not matter. */
enum { TALLY_CAP_SYS_ADMIN = 21, TALLY_CAP_IPC_LOCK = 14, TALLY_CAP_PERFMON = 38 };

/* Whether this thread has a capability in its effective set. */
bool tally_permits_capability(int capability);

/* /proc/sys/kernel/perf_event_paranoid; 2 when it cannot be read. */
int tally_permits_paranoid(void);

#ifdef __cplusplus
}
#endif

#endif
