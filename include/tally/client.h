/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting and sampling with any implementation of perf_event_open(2): the Linux kernel, or another
 * implementation of the same calls (a transport).
 *
 * Functions that return int return 0 or a negative errno unless stated otherwise. `ret_` pointers
 * are untouched on failure. Pointer arguments must not be NULL unless the description of the
 * function allows it; functions that free an object accept NULL. No function prints anything.
 *
 * Threads: an object may be used by one thread at a time. Different objects may be used by
 * different threads at the same time, and there is no global state. The tally_caps_*() functions
 * act only on the calling thread. Functions marked "Pure" only compute from their arguments and may
 * be called from any thread.
 *
 *	tally_events_new(NULL, NULL, &events);
 *	tally_events_parse(events, "cycles,faults", 13, &list, &event_error);
 *	tally_cpus_any(&cpus);
 *	tally_threads_of_pids("1234", &threads);
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

/* C++ compilers warn about flexible array members, and about functions named like structures. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

/* ---- transport ----------------------------------------------------------- */

struct pollfd; /* poll.h */

/* The system calls of perf_event_open(2), as provided by an implementation. Each function returns
 * the result of the system call, or -errno on error. The caller owns the transport, which must
 * outlive every object that uses it. */
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
	/* Like poll(2). `polls` may also contain descriptors that do not belong to this
	 * implementation. NULL if the transport cannot wait for ring buffers. */
	int (*poll)(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		    int timeout_ms);
	bool estimates; /* cannot count exactly; counts are ESTIMATED at best */
	void *private_data;
};

/* Return the transport of the running kernel. The transport is constant, must not be freed, and may
 * be used by all threads. */
const struct tally_transport *tally_transport_linux(void);

/* ---- CPUs and threads ---------------------------------------------------- */

/* A CPU, identified by its number, not by its index in a list. The number -1 means any CPU. */
struct tally_cpu {
	int32_t number;
};

/* A list of CPUs, freed with free(3). */
struct tally_cpus {
	size_t nr;
	struct tally_cpu cpu[]; /* in ascending order; a single entry of -1 means any CPU */
};

/* Make a list that means "any CPU": a single entry of -1. The caller frees the list. Return 0 or
 * -ENOMEM. */
int tally_cpus_any(struct tally_cpus **ret_cpus);

/* List the CPUs that are online now, from devices/system/cpu/online in sysfs. There may be gaps
 * between the numbers. If `sysfs` is NULL, /sys is used. The caller frees the list. Return 0;
 * -EINVAL if the file does not contain a list; -ENOMEM; or the error from reading the file. */
int tally_cpus_online(const char *sysfs, struct tally_cpus **ret_cpus);

/* Parse a list such as "0-3,5". Spaces around numbers, and a comma or newline at the end, are
 * ignored. The caller frees the list. Return 0; -EINVAL if `text` is not a list or contains a
 * number above 65,535; -ENOMEM. */
int tally_cpus_parse(const char *text, struct tally_cpus **ret_cpus);

/* Return the index of a CPU number in the list, or -1 if the list does not contain the number. */
int tally_cpus_index(const struct tally_cpus *cpus, int32_t number);

/* A CPU's location. Fields that sysfs does not provide are -1. Core numbers are unique within a
 * die, die numbers within a socket. */
struct tally_cpu_location {
	int32_t socket, die, core, node;
	int32_t cluster; /* 65535 on machines without clusters */
};

/* Return a CPU's location, from sysfs. If `sysfs` is NULL, /sys is used. */
struct tally_cpu_location tally_cpu_location(const char *sysfs, struct tally_cpu cpu);

/* A thread and its process. */
struct tally_thread_id {
	int32_t tid; /* -1: all threads */
	int32_t pid;
};

/* A list of threads, freed with free(3). */
struct tally_threads {
	size_t nr;
	size_t nr_gone; /* number of requested IDs that do not exist ... */
	int32_t gone;   /* ... and the first of these IDs */
	struct tally_thread_id thread[];
};

/* Make a list that means "every thread": a single entry of -1, for per-CPU events. The caller frees
 * the list. Return 0 or -ENOMEM. */
int tally_threads_any(struct tally_threads **ret_threads);

/* Make a list of one thread. Its process ID is looked up in procfs; if the lookup fails, `tid` is
 * used instead. The caller frees the list. Return 0 or -ENOMEM. */
int tally_threads_of_tid(int32_t tid, struct tally_threads **ret_threads);

/* List all threads of the processes in a list such as "12,34". Spaces around numbers and a comma at
 * the end are ignored. The caller frees the list. Return 0; -EINVAL if `pids` is not a list of
 * numbers; -ESRCH if none of the processes exists; -E2BIG for more than 1,048,576 threads; -ENOMEM;
 * or the error from opendir(3). */
int tally_threads_of_pids(const char *pids, struct tally_threads **ret_threads);

/* Like tally_threads_of_pids(), but `tids` is a list of thread IDs. */
int tally_threads_of_tids(const char *tids, struct tally_threads **ret_threads);

/* List every thread of every process that procfs shows. The caller frees the list. Return values
 * are as for tally_threads_of_pids(). */
int tally_threads_all(struct tally_threads **ret_threads);

/* List all threads of a user, given by name or user ID. The caller frees the list. Return 0;
 * -EINVAL if no user has this name; -ESRCH if the user has no process; or an error from
 * tally_threads_of_pids(). Not thread-safe, because it calls getpwnam(3). */
int tally_threads_of_user(const char *user, struct tally_threads **ret_threads);

/* ---- counts -------------------------------------------------------------- */

/* The reliability of a value. Every count carries its quality. */
enum tally_quality {
	TALLY_QUALITY_EXACT,         /* on the PMU for the whole enabled time */
	TALLY_QUALITY_SCALED,        /* on the PMU part of that time; scaled values are estimates */
	TALLY_QUALITY_NEVER_RAN,     /* never on the PMU or never enabled */
	TALLY_QUALITY_NOT_SUPPORTED, /* could not be opened on this machine */
	TALLY_QUALITY_NOT_PERMITTED,
	TALLY_QUALITY_ESTIMATED, /* counted by a transport that cannot count exactly */
};

/* Return the name of a quality, such as "exact", "scaled" or "never ran". The string is
 * constant. */
const char *tally_quality_name(enum tally_quality quality);

/* The value of a counter, with its enabled and running times and its quality. */
struct tally_count {
	uint64_t value;            /* as counted, not scaled */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* number of lost samples, if PERF_FORMAT_LOST is set */
	enum tally_quality quality;
};

/* Return the value extrapolated to the whole enabled time: value * enabled / running, computed in
 * 128 bits. For qualities other than SCALED, return the value. Pure. */
uint64_t tally_count_scaled(const struct tally_count *count);

/* Return the sum of two counts, with the worse of their qualities. A count without a value
 * (NEVER_RAN, NOT_SUPPORTED, NOT_PERMITTED) does not degrade the quality of the sum. Pure. */
struct tally_count tally_count_add(struct tally_count a, struct tally_count b);

/* Return a - b for each field, that is, the counts since `b` was read. The quality applies to the
 * interval between the two readings; without a value in `a`, the result has `a`'s quality. Pure. */
struct tally_count tally_count_since(struct tally_count a, struct tally_count b);

/* ---- why opening failed -------------------------------------------------- */

/* The rule that caused a request to be rejected, as a code that programs can test. */
enum tally_rule {
	TALLY_RULE_NONE,       /* no rule is broken */
	TALLY_RULE_OTHER,      /* unknown: only the error code is available */
	TALLY_RULE_NO_SYSCALL, /* the kernel has no perf_event_open */
	TALLY_RULE_SECCOMP,    /* a seccomp filter rejects the call */
	TALLY_RULE_FORBID_ALL, /* distribution-specific paranoid level > 2: needs a capability */
	TALLY_RULE_SECURITY_MODULE, /* SELinux or similar rejects the call despite the capability */
	TALLY_RULE_KERNEL,          /* counting in the kernel; requires paranoid level 1 or lower */
	TALLY_RULE_KERNEL_BRANCHES, /* branches in the kernel; requires paranoid level 1 or lower */
	TALLY_RULE_KERNEL_ADDRESSES, /* addresses in kallsyms; see kptr_restrict, CAP_SYSLOG */
	TALLY_RULE_FOREIGN_MAPS,     /* /proc/PID/maps of other users; requires CAP_SYS_PTRACE */
	TALLY_RULE_PHYSICAL_ADDRESS, /* requires paranoid level 1 or lower */
	TALLY_RULE_NAMESPACES,       /* namespace records */
	TALLY_RULE_PROBE,            /* kprobes and uprobes */
	TALLY_RULE_CPU_WIDE,         /* all tasks on a CPU; requires paranoid level 0 or lower */
	TALLY_RULE_TRACEPOINT_DATA,  /* tracepoint samples with fields; requires level -1 */
	TALLY_RULE_KERNEL_BREAKPOINT,
	TALLY_RULE_FOREIGN_TASK,  /* another user's task, or one with more privileges */
	TALLY_RULE_LOCKED_MEMORY, /* ring buffers; see perf_event_mlock_kb and RLIMIT_MEMLOCK */
	TALLY_RULE_NO_TASK,
	TALLY_RULE_NO_CPU, /* the CPU does not exist or is offline */
	TALLY_RULE_NO_PMU,
	TALLY_RULE_UNKNOWN_EVENT,
	TALLY_RULE_NOT_CAPABLE,  /* the PMU lacks a feature that the attr requests */
	TALLY_RULE_BUSY,         /* PMU in exclusive use, or no free breakpoint register */
	TALLY_RULE_DESCRIPTORS,  /* RLIMIT_NOFILE */
	TALLY_RULE_SYSTEM_FILES, /* fs.file-max */
	TALLY_RULE_MEMORY,
	TALLY_RULE_SAMPLE_RATE, /* above perf_event_max_sample_rate */
	TALLY_RULE_STACK_DEPTH, /* above perf_event_max_stack */
	TALLY_RULE_BAD_ATTR,    /* the kernel does not accept a field or a combination */
};

/* Return the name of a rule, such as "seccomp" or "cpu-wide". The names are stable, for use by
 * programs. The string is constant. */
const char *tally_rule_name(enum tally_rule rule);

/* Return true for the rules up to LOCKED_MEMORY (except NONE), which may forbid a request that the
 * machine supports. Pure. */
bool tally_rule_is_permission(enum tally_rule rule);

enum { TALLY_NR_FIXES = 5 };

/* The reason for a failure, in a form from which a message can be composed. */
struct tally_refusal {
	int code;         /* -errno of perf_event_open or mmap */
	size_t event;     /* index of the event in the list */
	int32_t pid, cpu; /* the target that was rejected */
	enum tally_rule broken;
	char rule[160];                /* the broken rule, in plain words */
	char field[32];                /* attr field that caused the failure; "" if unknown */
	char found[224];               /* the current value, such as "perf_event_paranoid is 3" */
	char needed[160];              /* the value that would permit the request, or "" */
	char fix[TALLY_NR_FIXES][288]; /* possible changes, smallest first; "" ends the list */
};

/* ---- counters ------------------------------------------------------------ */

/* The open counters for a list of events. */
struct tally_counters;

/* Changes made to open an event that could not be opened as requested. */
enum tally_fallback {
	TALLY_FALLBACK_NONE = 0,
	TALLY_FALLBACK_NO_KERNEL = 1
				   << 0, /* exclude_kernel was set: only user space is permitted */
	TALLY_FALLBACK_CPU_CLOCK = 1 << 1, /* no PMU: cpu-clock is counted instead of cycles */
	TALLY_FALLBACK_PRECISE = 1 << 2,   /* precise_ip was reduced */
	TALLY_FALLBACK_OLD_KERNEL = 1
				    << 3, /* attr bits that the kernel does not know were cleared */
	TALLY_FALLBACK_GROUP_BROKEN = 1 << 4, /* the members of a weak group were ungrouped */
	TALLY_FALLBACK_NO_DEFER = 1 << 5,     /* defer_callchain and defer_output were cleared */
};

/* Options of tally_counters_open(). An all-zero structure selects the defaults. */
struct tally_open_options {
	bool disabled;         /* open the events disabled; otherwise they count immediately */
	bool enable_on_exec;   /* enable the events when their threads call exec */
	bool inherit;          /* also count child tasks */
	bool sampling;         /* use the attrs unchanged, including sample_type and periods */
	bool read_group;       /* PERF_FORMAT_GROUP: read each group with one system call */
	bool may_fall_back;    /* replace cycles with cpu-clock if there is no PMU */
	bool skip_unsupported; /* skip events that cannot be opened instead of failing */
	/* Directory of the cgroup to count in; 0 or -1 if none. Dummy events are opened for all
	 * cgroups. */
	int32_t cgroup_fd;
};

/*
 * Open every event in `list` on every CPU in `cpus` for every thread in `threads`. Uncore events
 * are opened on the CPUs of their PMU instead, for all threads. `list`, `cpus`, `threads` and
 * `options` are copied; a NULL `options` is the same as an all-zero structure. Unless
 * `options->sampling` is set, this function sets read_format, disabled and inherit in the attrs.
 *
 * If the soft limit on file descriptors is too low, it is raised as far as the hard limit permits.
 * If an event is rejected, the open is retried: with exclude_kernel if only user space is
 * permitted; with a lower precise_ip; as cpu-clock if there is no PMU (with may_fall_back); without
 * bits that an old kernel does not know. Threads that exit in the meantime are skipped.
 *
 * On failure everything is closed. `*ret_why` (may be NULL) must be zero-initialized; on failure it
 * receives the reason. Return 0; -ENOMEM; -ESRCH if all threads have exited; otherwise the error
 * from perf_event_open(2). The caller closes the counters with tally_counters_close().
 */
int tally_counters_open(const struct tally_transport *transport,
			const struct tally_event_list *list, const struct tally_cpus *cpus,
			const struct tally_threads *threads,
			const struct tally_open_options *options,
			struct tally_counters **ret_counters, struct tally_refusal *ret_why);

/* Close all counters and free the object. NULL is allowed. */
void tally_counters_close(struct tally_counters *counters);

/* Return the number of events, including those that were skipped. */
size_t tally_counters_nr_events(const struct tally_counters *counters);

/* Return the attr with which an event was opened. The attr belongs to `counters`. */
const struct perf_event_attr *tally_counters_attr(const struct tally_counters *counters,
						  size_t event);

/* Return the changes made to open an event: a mask of enum tally_fallback. */
unsigned tally_counters_fallback(const struct tally_counters *counters, size_t event);

/* Return the reason why skip_unsupported skipped an event, or NULL if the event is open. The result
 * belongs to `counters`. */
const struct tally_refusal *tally_counters_refusal(const struct tally_counters *counters,
						   size_t event);

/* Return the CPUs on which an event is opened. The list belongs to `counters`. */
const struct tally_cpus *tally_counters_cpus(const struct tally_counters *counters, size_t event);

/* Return the number of threads, including threads that have exited. */
size_t tally_counters_nr_threads(const struct tally_counters *counters);

/* Return a counter's descriptor, or -1 if it is not open. `cpu` and `thread` are indices. */
int tally_counters_fd(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread);

/* Read the sample ID of one counter. Return 0; -EBADF if the counter is not open; or the error from
 * PERF_EVENT_IOC_ID. */
int tally_counters_id(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread, uint64_t *ret_id);

/* Enable all counters. After an error, continue with the remaining counters. Return 0 or the first
 * error from ioctl(2). */
int tally_counters_enable(struct tally_counters *counters);

/* Disable all counters. After an error, continue with the remaining counters. Return 0 or the first
 * error from ioctl(2). */
int tally_counters_disable(struct tally_counters *counters);

/* Set a tracepoint filter on all of an event's counters. Return 0 or the first ioctl(2) error. */
int tally_counters_filter(struct tally_counters *counters, size_t event, const char *filter);

/* Read the current value of one counter. A counter that is not open has a value of 0 and quality
 * NOT_SUPPORTED, NOT_PERMITTED or, if it is closed only because its thread has exited, NEVER_RAN.
 * End of file (a pinned event in the error state) is reported as NEVER_RAN. Return 0 or the error
 * from read(2). */
int tally_counters_read(struct tally_counters *counters, size_t event, size_t cpu, size_t thread,
			struct tally_count *ret_count);

/* Return the index of the event that leads an event's group, or the event's own index if the event
 * has no group. If skip_unsupported skipped the first event of the group, the next one leads it. */
size_t tally_counters_leader(const struct tally_counters *counters, size_t event);

/* Read the counts of all events in the group led by `leader` with one read(2). Without
 * options.read_group, only the leader is read. `ret_counts` has one element per event in the list.
 * The count of each open member is stored at the member's index; other elements are untouched. At
 * end of file (a pinned group in the error state), all elements are untouched. Return 0 or the
 * error from read(2). */
int tally_counters_read_group(struct tally_counters *counters, size_t leader, size_t cpu,
			      size_t thread, struct tally_count *ret_counts);

/* ---- reading without a system call ------------------------------------------- */

/* Access to the current CPU's counters without a system call. */
struct tally_self_reader {
	uint64_t (*counter)(void *arg, uint32_t number); /* reads counter page->index - 1, not
	                                                  * sign-extended */
	uint64_t (*cycles)(void *arg);                   /* the clock that time_mult and time_shift
	                                                  * convert */
	void *arg;
};

/* Return the native reader, which uses rdpmc and rdtsc on x86-64, and the user-readable PMUv3
 * registers on arm64. Return NULL on other architectures. The reader is constant and may be used by
 * all threads. */
const struct tally_self_reader *tally_self_reader_native(void);

/*
 * Read the count of an event that the calling thread opened on itself, from the event's metadata
 * page and the hardware counter; see cap_user_rdpmc in perf_event_open(2). Only the counted thread
 * may call this function. The result is correct across counter overflow, migration, multiplexing
 * and disabling: if one of these happens during the read, the function retries. `reader` may be
 * NULL.
 *
 * Return true and the count on success. Return false if the caller must use read(2) because there
 * is no reader, the PMU's counters cannot be read without a system call, user space may not read
 * them, or the event is not on a counter at the moment.
 */
bool tally_self_read(const struct perf_event_mmap_page *page,
		     const struct tally_self_reader *reader, struct tally_count *ret_count);

/* ---- ring buffers -------------------------------------------------------- */

/* A mapped ring buffer. */
struct tally_ring;

/* The data of a ring buffer in order, in two pieces. The second piece is empty unless the data
 * wraps. */
struct tally_ring_data {
	const uint8_t *first, *second;
	size_t first_len, second_len;
};

/* Map the ring buffer of `fd`: the metadata page and `pages` data pages (a power of two).
 * `overwrite` maps the ring read-only, for write_backward events. `fd` stays open and belongs to
 * the caller. Free the mapping with tally_ring_unmap(). Return 0; -EPERM if the locked-memory limit
 * would be exceeded; -ENOMEM; or the error from mmap(2). */
int tally_ring_map(const struct tally_transport *transport, int fd, size_t pages, bool overwrite,
		   struct tally_ring **ret_ring);

/* Unmap the ring buffer and free the object. NULL is allowed. */
void tally_ring_unmap(struct tally_ring *ring);

/* Return the descriptor that the ring buffer belongs to. */
int tally_ring_fd(const struct tally_ring *ring);

/* Return all data that has been written but not yet consumed, as whole records, without copying.
 * The data stays valid until tally_ring_consume(). For an overwrite ring, which should be paused
 * first, return the records that still exist, newest first. Return false if there is no data. */
bool tally_ring_data(struct tally_ring *ring, struct tally_ring_data *ret_data);

/* Return the next whole record in place. Only a record that wraps is copied, into memory that
 * belongs to the ring. The record stays valid until the next call. Return NULL if there are no more
 * records, if the ring is an overwrite ring, or if there is no memory for the copy. */
const struct perf_event_header *tally_ring_next(struct tally_ring *ring);

/* Return the record that tally_ring_next() would return next, without advancing. */
const struct perf_event_header *tally_ring_peek(struct tally_ring *ring);

/* Release everything that tally_ring_data() or tally_ring_next() returned, so that the kernel can
 * overwrite it. */
void tally_ring_consume(struct tally_ring *ring);

/* ---- capabilities ------------------------------------------------------- */

/* Capability numbers, independent of the versions of the installed headers and libcap. */
enum {
	TALLY_CAP_IPC_LOCK = 14,
	TALLY_CAP_SYS_PTRACE = 19,
	TALLY_CAP_SYS_ADMIN = 21,
	TALLY_CAP_SYSLOG = 34,
	TALLY_CAP_PERFMON = 38,
};

/* Return true if the calling thread has a capability in its effective set. */
bool tally_access_capability(int capability);

/*
 * A program with file capabilities should use them only briefly: lower them when it starts, raise
 * them to open events, map ring buffers and read procfs, and drop them before it reads data written
 * by a user.
 *
 * Like capset(2), the functions below change only the calling thread. Threads that it starts later
 * inherit its sets. Each function that returns int returns 0 or the error from capget(2) or
 * capset(2).
 */

/* Return true if the calling thread has permitted capabilities, which it can raise or drop. */
bool tally_caps_held(void);
/* Clear the effective set. The permitted capabilities can be raised again. */
int tally_caps_lower(void);
/* Make all permitted capabilities effective. */
int tally_caps_raise(void);
/* Clear the effective, permitted, inheritable and ambient sets permanently. Fails with -EBUSY if
 * the process has other threads, because those would keep their capabilities. */
int tally_caps_drop(void);
/* Reduce the sets to the ambient capabilities, the only ones that survive execve(2) of an ordinary
 * file. Call this in a child between fork and exec, so that the child looks up its program with the
 * user's permissions. */
int tally_caps_drop_to_ambient(void);

/* ---- permissions --------------------------------------------------------- */

/* Value reported for settings that cannot be read, such as /proc/sys/kernel/perf_event_paranoid. */
enum { TALLY_ACCESS_UNKNOWN = INT32_MIN };

/* Value of `syscall` and `plain` before tally_access_probe(). */
enum { TALLY_ACCESS_NOT_ASKED = 1 };

/*
 * A snapshot of everything that determines which events are permitted. It is plain data: tests can
 * construct it, a program can print it, and it can be evaluated without asking the kernel again.
 */
struct tally_access {
	uint32_t uid;                               /* effective user id */
	uint64_t effective, permitted, inheritable; /* capabilities: bit N is capability N */
	uint64_t bounding, ambient;
	bool initial_user_namespace; /* perf checks capabilities in this namespace only */
	bool initial_pid_namespace;
	bool sysctl_readonly;   /* /proc/sys is read-only; only the host can change it */
	bool no_new_privileges; /* set with prctl(2); file capabilities have no effect */
	bool nosuid;            /* on a nosuid mount; file capabilities have no effect */
	int32_t seccomp;        /* 0 off, 1 strict, 2 filter */
	bool kills;             /* the filter kills callers of perf_event_open; set by the caller */
	int32_t nr_threads;     /* number of threads in this process */
	int32_t paranoid;       /* kernel.perf_event_paranoid */
	int32_t kptr_restrict;
	int32_t max_stack;
	int64_t max_sample_rate;
	uint64_t mlock_kb;          /* kernel.perf_event_mlock_kb, per CPU and user */
	bool mlock_kb_is_assumed;   /* mlock_kb could not be read and is the kernel's default */
	uint64_t memlock;           /* soft RLIMIT_MEMLOCK in bytes; UINT64_MAX if unlimited */
	uint64_t pinned;            /* bytes that this process has already charged to memlock */
	uint64_t files, files_hard; /* RLIMIT_NOFILE */
	uint64_t page_size;
	uint32_t cpus;                    /* online CPUs */
	int32_t kprobe_type, uprobe_type; /* PMU types; TALLY_ACCESS_UNKNOWN if there is none */
	/* Result of a call that must fail with EINVAL: 0 if it did, -errno if a filter rejected it
	 * first, or TALLY_ACCESS_NOT_ASKED. */
	int32_t syscall;
	/* Result of opening a user-space task-clock event on the calling thread: 0, -errno or
	 * TALLY_ACCESS_NOT_ASKED. */
	int32_t plain;
	char program[256]; /* the binary that needs file capabilities; "tally" if unknown */
};

/*
 * Take the snapshot for the calling thread. `root` is prepended to /proc and /sys, for tests; NULL
 * prepends nothing. Values that cannot be read are TALLY_ACCESS_UNKNOWN or the kernel's default.
 * This function does not open an event.
 */
void tally_access_read(const char *root, struct tally_access *ret_access);

/* Set `syscall` and `plain` to the results of two trial calls that count nothing. If a seccomp
 * filter may kill callers of perf_event_open, call this function in a child process. */
void tally_access_probe(const struct tally_transport *transport, struct tally_access *access);

/* Return true if a capability is usable, that is, permitted (and so can be raised) in the namespace
 * that perf checks. Pure. */
bool tally_access_has(const struct tally_access *access, int capability);

/* Return true if CAP_PERFMON is usable, or CAP_SYS_ADMIN, which implies it. Pure. */
bool tally_access_perfmon(const struct tally_access *access);

/* A task's relation to the caller. */
enum tally_task_kind {
	TALLY_TASK_OWN,     /* the caller may observe it */
	TALLY_TASK_FOREIGN, /* belongs to another user, or has more privileges */
	TALLY_TASK_GONE,
	TALLY_TASK_NONE, /* no task: pid is -1 */
};

/* Look up a task in procfs. `pid` is 0 for the caller or -1 for no task. `root` is as for
 * tally_access_read(). */
enum tally_task_kind tally_access_task(const struct tally_access *access, const char *root,
				       int32_t pid);

/* An event that a program wants to open. */
struct tally_access_request {
	const struct perf_event_attr *attr;
	int32_t pid, cpu; /* arguments of perf_event_open(2) */
	enum tally_task_kind task;
	bool syscall_tracepoint; /* a syscalls:* event, which any task may open on itself */
};

/*
 * Return true if the kernel should permit the event. Pure. If not, `*ret_why` (may be NULL)
 * receives the reason: the first broken rule in the order in which the kernel checks them, the
 * current value, the needed value, and the possible changes, smallest first; its `event` is 0 and
 * its `field` empty. If the kernel decides differently, the kernel is right.
 */
bool tally_access_event(const struct tally_access *access, const struct tally_access_request *ask,
			struct tally_refusal *ret_why);

/* Return true if /proc/kallsyms shows addresses to the caller. Pure; `*ret_why` as for
 * tally_access_event(). */
bool tally_access_kernel_addresses(const struct tally_access *access,
				   struct tally_refusal *ret_why);

/* Return true if the caller can read /proc/PID/maps of other users' processes. Pure; `*ret_why` is
 * as for tally_access_event(). */
bool tally_access_foreign_maps(const struct tally_access *access, struct tally_refusal *ret_why);

/*
 * Return the largest number of data pages, a power of two and at most `pages`, that each of
 * `nr_rings` ring buffers can have. Return 0 if not even one page fits. Pure. If the result is less
 * than `pages`, `*ret_why` (may be NULL) receives the reason, as for tally_access_event(). The
 * user's other processes may have used part of the budget, so the kernel may still reject the
 * mappings.
 */
size_t tally_access_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
			  struct tally_refusal *ret_why);

/* Describe a failure with -EMFILE: the call exceeded RLIMIT_NOFILE. Pure. */
void tally_access_explain_descriptors(const struct tally_access *access,
				      struct tally_refusal *ret_why);

/* Describe why mapping `nr_rings` ring buffers of `pages` data pages each failed with -EPERM. A
 * reason is returned even if the limits seem to permit the mappings. Pure. */
void tally_access_explain_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
				struct tally_refusal *ret_why);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
