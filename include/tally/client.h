/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting and sampling with any implementation of perf_event_open: the Linux kernel's, or another
 * one that offers the same calls (a transport).
 *
 * Functions that return int return 0 or a negative errno unless stated otherwise. `ret_` pointers
 * are untouched on failure. Pointer arguments must not be NULL unless the comment allows it;
 * functions that free accept NULL. Nothing here prints.
 *
 * Threads: an object may be used by one thread at a time. Different objects may be used by
 * different threads at the same time, and there is no global state. The tally_caps_*() functions
 * act on the calling thread alone. Functions marked "Pure" only compute from their arguments and
 * may be called from any thread.
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

/* Flexible array members are a C99 feature that C++ compilers accept as an extension. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#endif

/* ---- transport ----------------------------------------------------------- */

struct pollfd; /* poll.h */

/* The calls of perf_event_open(2), as an implementation offers them. They return what the system
 * call returns, but -errno for errors. The caller owns the transport, which must outlive every
 * object that uses it. */
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
	/* poll(2). `polls` may also contain descriptors that do not belong to this implementation.
	 * NULL if the transport cannot wait for ring buffers. */
	int (*poll)(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		    int timeout_ms);
	bool estimates; /* it cannot count exactly: counts have quality ESTIMATED at best */
	void *private_data;
};

/* Return the transport of the running kernel. It is constant, is not freed, and may be used by all
 * threads. */
const struct tally_transport *tally_transport_linux(void);

/* ---- CPUs and threads ---------------------------------------------------- */

/* A CPU, identified by its number and not by its index in a list. -1: any CPU. */
struct tally_cpu {
	int32_t number;
};

/* A list of CPUs, freed with free(3). */
struct tally_cpus {
	size_t nr;
	struct tally_cpu cpu[]; /* ascending; a single entry of -1: any CPU */
};

/* Make the list "any CPU": one entry of -1. The caller frees it. Return 0 or -ENOMEM. */
int tally_cpus_any(struct tally_cpus **ret_cpus);

/* List the CPUs that are online now, from devices/system/cpu/online in sysfs. The numbers may have
 * gaps. `sysfs` NULL: /sys. The caller frees the list. Return 0; -EINVAL if the file does not
 * contain a list; -ENOMEM; or the error of reading it. */
int tally_cpus_online(const char *sysfs, struct tally_cpus **ret_cpus);

/* Parse a list such as "0-3,5". Blanks around numbers, and a comma or newline at the end, are
 * ignored. The caller frees the list. Return 0; -EINVAL if `text` is not a list or contains a
 * number above 65,535; -ENOMEM. */
int tally_cpus_parse(const char *text, struct tally_cpus **ret_cpus);

/* Return the index of a CPU number in the list, or -1 if it is not in it. */
int tally_cpus_index(const struct tally_cpus *cpus, int32_t number);

/* The location of a CPU; -1 for fields that sysfs does not provide. Core numbers are unique within
 * a die, die numbers within a socket. */
struct tally_cpu_location {
	int32_t socket, die, core, node;
};

/* Return the location of a CPU, from sysfs. `sysfs` NULL: /sys. */
struct tally_cpu_location tally_cpu_location(const char *sysfs, struct tally_cpu cpu);

/* A thread and its process. */
struct tally_thread_id {
	int32_t tid; /* -1: all threads */
	int32_t pid;
};

/* A list of threads, freed with free(3). */
struct tally_threads {
	size_t nr;
	size_t nr_gone; /* numbers in the parsed list that are not a process or thread ... */
	int32_t gone;   /* ... and the first of them */
	struct tally_thread_id thread[];
};

/* Make the list "every thread": one entry of -1, for per-CPU events. The caller frees it. Return 0
 * or -ENOMEM. */
int tally_threads_any(struct tally_threads **ret_threads);

/* Make a list of one thread. Its process is looked up in procfs; if that fails, `tid` is used. The
 * caller frees the list. Return 0 or -ENOMEM. */
int tally_threads_of_tid(int32_t tid, struct tally_threads **ret_threads);

/* List all threads of the processes in a list such as "12,34". Blanks around numbers and a comma at
 * the end are ignored. The caller frees the list. Return 0; -EINVAL if `pids` is not a list of
 * numbers; -ESRCH if none of the processes exists; -E2BIG for more than 1,048,576 threads; -ENOMEM;
 * or the error of opendir(3). */
int tally_threads_of_pids(const char *pids, struct tally_threads **ret_threads);

/* Like tally_threads_of_pids(), but `tids` is a list of thread ids. */
int tally_threads_of_tids(const char *tids, struct tally_threads **ret_threads);

/* List every thread of every process that procfs shows. The caller frees the list. Errors are those
 * of tally_threads_of_pids(). */
int tally_threads_all(struct tally_threads **ret_threads);

/* List all threads of a user, given by name or number. The caller frees the list. Return 0; -EINVAL
 * if there is no such user; -ESRCH if the user has no process; or an error of
 * tally_threads_of_pids(). Not thread-safe, because it calls getpwnam(3). */
int tally_threads_of_user(const char *user, struct tally_threads **ret_threads);

/* ---- counts -------------------------------------------------------------- */

/* The reliability of a value. Every count carries its quality. */
enum tally_quality {
	TALLY_QUALITY_EXACT,         /* ran all the time while enabled */
	TALLY_QUALITY_SCALED,        /* ran part of the time: the scaled value is an estimate */
	TALLY_QUALITY_NEVER_RAN,     /* was never on the PMU, or never enabled */
	TALLY_QUALITY_NOT_SUPPORTED, /* could not be opened on this machine */
	TALLY_QUALITY_NOT_PERMITTED,
	TALLY_QUALITY_ESTIMATED, /* counted by a transport that cannot count exactly */
};

/* Return the name of a quality: "exact", "scaled", "never ran" and so on. The string is constant.
 */
const char *tally_quality_name(enum tally_quality quality);

/* The value of a counter, with its times and its quality. */
struct tally_count {
	uint64_t value;            /* as counted, not scaled */
	uint64_t enabled, running; /* ns */
	uint64_t lost;             /* lost samples, with PERF_FORMAT_LOST */
	enum tally_quality quality;
};

/* Return the value extrapolated to the whole enabled time: value * enabled / running, computed in
 * 128 bits. For qualities other than SCALED, return the value. Pure. */
uint64_t tally_count_scaled(const struct tally_count *count);

/* Return the sum of two counts, with the worse of their qualities. A count without a value
 * (NEVER_RAN, NOT_SUPPORTED, NOT_PERMITTED) does not degrade one that has a value. Pure. */
struct tally_count tally_count_add(struct tally_count a, struct tally_count b);

/* Return a - b for each field: what was counted since `b` was read. Unless `a` has no value, the
 * quality is that of the interval. Pure. */
struct tally_count tally_count_since(struct tally_count a, struct tally_count b);

/* ---- why opening failed -------------------------------------------------- */

/* The reason why a request was rejected, for programs to distinguish. */
enum tally_rule {
	TALLY_RULE_NONE,       /* no rule is broken */
	TALLY_RULE_OTHER,      /* unknown: only the error code is available */
	TALLY_RULE_NO_SYSCALL, /* the kernel has no perf_event_open */
	TALLY_RULE_SECCOMP,    /* a seccomp filter rejects the call */
	TALLY_RULE_FORBID_ALL, /* a distribution's paranoid level above 2: requires a capability */
	TALLY_RULE_SECURITY_MODULE, /* SELinux or similar rejects it despite the capability */
	TALLY_RULE_KERNEL,          /* counting in the kernel; requires paranoid level 1 or lower */
	TALLY_RULE_KERNEL_BRANCHES, /* branches in the kernel; requires paranoid level 1 or lower */
	TALLY_RULE_KERNEL_ADDRESSES, /* addresses in kallsyms: kptr_restrict, CAP_SYSLOG */
	TALLY_RULE_FOREIGN_MAPS,     /* /proc/PID/maps of other users: CAP_SYS_PTRACE */
	TALLY_RULE_PHYSICAL_ADDRESS, /* requires paranoid level 1 or lower */
	TALLY_RULE_NAMESPACES,       /* records of namespaces */
	TALLY_RULE_PROBE,            /* kprobes and uprobes */
	TALLY_RULE_CPU_WIDE,         /* all tasks of a CPU; requires paranoid level 0 or lower */
	TALLY_RULE_TRACEPOINT_DATA,  /* tracepoint samples with fields; requires level -1 */
	TALLY_RULE_KERNEL_BREAKPOINT,
	TALLY_RULE_FOREIGN_TASK,  /* another user's task, or one with more privileges */
	TALLY_RULE_LOCKED_MEMORY, /* ring buffers: perf_event_mlock_kb and RLIMIT_MEMLOCK */
	TALLY_RULE_NO_TASK,
	TALLY_RULE_NO_CPU, /* does not exist or is offline */
	TALLY_RULE_NO_PMU,
	TALLY_RULE_UNKNOWN_EVENT,
	TALLY_RULE_NOT_CAPABLE,  /* the PMU does not support a property of the attr */
	TALLY_RULE_BUSY,         /* the PMU or all breakpoint registers are in exclusive use */
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

/* Return true if the rule is a permission: the machine could do what it forbids. Pure. */
bool tally_rule_is_permission(enum tally_rule rule);

enum { TALLY_NR_FIXES = 5 };

/* The reason of a failure, as data for a message. */
struct tally_refusal {
	int code;         /* -errno of perf_event_open or mmap */
	size_t event;     /* index of the event in the list */
	int32_t pid, cpu; /* the target that was rejected */
	enum tally_rule broken;
	char rule[160];                /* the broken rule, in words */
	char field[32];                /* the field of the attr that caused it; "" if unknown */
	char found[224];               /* the current value: "perf_event_paranoid is 3" */
	char needed[160];              /* the value that would permit it, or "" */
	char fix[TALLY_NR_FIXES][288]; /* possible changes, the smallest first; "" ends them */
};

/* ---- counters ------------------------------------------------------------ */

/* The open counters of a list of events. */
struct tally_counters;

/* Changes made to open an event that could not be opened as requested. */
enum tally_fallback {
	TALLY_FALLBACK_NONE = 0,
	TALLY_FALLBACK_NO_KERNEL = 1
				   << 0, /* exclude_kernel was set: only user space is permitted */
	TALLY_FALLBACK_CPU_CLOCK = 1 << 1, /* cpu-clock is counted instead of cycles: no PMU */
	TALLY_FALLBACK_PRECISE = 1 << 2,   /* precise_ip was reduced */
	TALLY_FALLBACK_OLD_KERNEL = 1
				    << 3, /* attr bits that the kernel does not know were cleared */
	TALLY_FALLBACK_GROUP_BROKEN = 1 << 4, /* the members of a weak group were ungrouped */
};

/* Options of tally_counters_open(). All zero are the defaults. */
struct tally_open_options {
	bool disabled;         /* open the events disabled; otherwise they count immediately */
	bool enable_on_exec;   /* enable the events when their threads call exec */
	bool inherit;          /* count child tasks, too */
	bool sampling;         /* use the attrs as they are: sample_type, periods and so on */
	bool read_group;       /* PERF_FORMAT_GROUP: read each group with one system call */
	bool may_fall_back;    /* replace cycles by cpu-clock if there is no PMU */
	bool skip_unsupported; /* skip events that cannot be opened instead of failing */
	int32_t cgroup_fd;     /* directory of the cgroup to count in; 0 or -1: none */
};

/*
 * Open every event of `list` on every CPU of `cpus` for every thread of `threads`. Events of uncore
 * PMUs are opened on the CPUs of their PMU instead, for all threads. `list`, `cpus`, `threads` and
 * `options` are copied; `options` NULL: all zero. Unless `options->sampling` is set, this function
 * sets read_format, disabled and inherit in the attrs.
 *
 * If the soft limit of file descriptors is too low, it is raised as far as the hard limit permits.
 * An event that is rejected is tried again with less: without bits that an old kernel does not
 * know; with exclude_kernel if only user space is permitted; as cpu-clock if there is no PMU (with
 * may_fall_back). Threads that end meanwhile are skipped.
 *
 * On failure everything is closed. `*ret_why` (may be NULL) must be zero-initialized; on failure it
 * receives the reason. Return 0; -ENOMEM; -ESRCH if all threads have ended; otherwise the error of
 * perf_event_open(2). The caller closes the counters with tally_counters_close().
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

/* Return the attr with which an event was opened. It belongs to `counters`. */
const struct perf_event_attr *tally_counters_attr(const struct tally_counters *counters,
						  size_t event);

/* Return the changes made to open an event: a mask of enum tally_fallback. */
unsigned tally_counters_fallback(const struct tally_counters *counters, size_t event);

/* Return why skip_unsupported skipped an event; NULL if the event is open. It belongs to
 * `counters`. */
const struct tally_refusal *tally_counters_refusal(const struct tally_counters *counters,
						   size_t event);

/* Return the CPUs on which an event is opened. The list belongs to `counters`. */
const struct tally_cpus *tally_counters_cpus(const struct tally_counters *counters, size_t event);

/* Return the number of threads, including those that have ended. */
size_t tally_counters_nr_threads(const struct tally_counters *counters);

/* Return the descriptor of one counter, or -1 if it is not open. `cpu` and `thread` are indices. */
int tally_counters_fd(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread);

/* Read the sample id of one counter. Return 0; -EBADF if it is not open; or the error of
 * PERF_EVENT_IOC_ID. */
int tally_counters_id(const struct tally_counters *counters, size_t event, size_t cpu,
		      size_t thread, uint64_t *ret_id);

/* Enable all counters. On an error continue with the others. Return 0 or the first error of
 * ioctl(2). */
int tally_counters_enable(struct tally_counters *counters);

/* Disable all counters. On an error continue with the others. Return 0 or the first error of
 * ioctl(2). */
int tally_counters_disable(struct tally_counters *counters);

/* Set a tracepoint filter on all counters of an event. Return 0 or the first error of ioctl(2). */
int tally_counters_filter(struct tally_counters *counters, size_t event, const char *filter);

/* Read the current value of one counter. A counter that is not open has a value of 0 and quality
 * NOT_SUPPORTED, NOT_PERMITTED or, if only its thread has ended, NEVER_RAN. End of file (a pinned
 * event in the error state) is reported as NEVER_RAN. Return 0 or the error of read(2). */
int tally_counters_read(struct tally_counters *counters, size_t event, size_t cpu, size_t thread,
			struct tally_count *ret_count);

/* Return the index of the event that leads the group of an event; the event's own index if it has
 * no group. */
size_t tally_counters_leader(const struct tally_counters *counters, size_t event);

/* Read the group led by `leader` at one moment. Without options.read_group only the leader is read.
 * `ret_counts` has one element per event of the list. The count of each open member is stored at
 * the member's index; other elements are untouched, and so are all at end of file (a pinned group
 * in the error state). Return 0 or the error of read(2). */
int tally_counters_read_group(struct tally_counters *counters, size_t leader, size_t cpu,
			      size_t thread, struct tally_count *ret_counts);

/* ---- reading without a system call ------------------------------------------- */

/* Access to the counters of this processor without a system call. */
struct tally_self_reader {
	uint64_t (*counter)(void *arg, uint32_t number); /* reads counter page->index - 1, not
	                                                  * sign-extended */
	uint64_t (*cycles)(void *arg);                   /* the clock that time_mult and time_shift
	                                                  * convert */
	void *arg;
};

/* Return the native reader: rdpmc and rdtsc on x86-64, the PMUv3 registers that user space may read
 * on arm64. NULL on other architectures. It is constant, and may be used by all threads. */
const struct tally_self_reader *tally_self_reader_native(void);

/*
 * Read the count of an event that the calling thread opened on itself, from the event's metadata
 * page and the counter: see cap_user_rdpmc in perf_event_open(2). Only the counted thread may call
 * it. The result is correct across counter overflow, migration, multiplexing and disabling: if one
 * of these happens, the function reads again. `reader` may be NULL.
 *
 * Return true with the count. Return false if the caller must use read(2): there is no reader, the
 * PMU has no such counters, user space may not read them, or the event is not on a counter now.
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

/* Map the ring buffer of `fd` with `pages` data pages, a power of two, and the metadata page.
 * `overwrite` maps it read-only, for write_backward events. `fd` stays open and belongs to the
 * caller. Free the mapping with tally_ring_unmap(). Return 0; -EPERM if the locked-memory limit
 * would be exceeded; -ENOMEM; or the error of mmap(2). */
int tally_ring_map(const struct tally_transport *transport, int fd, size_t pages, bool overwrite,
		   struct tally_ring **ret_ring);

/* Unmap the ring buffer and free the object. NULL is allowed. */
void tally_ring_unmap(struct tally_ring *ring);

/* Return the descriptor that was mapped. */
int tally_ring_fd(const struct tally_ring *ring);

/* Return all data that was written and not consumed yet, as whole records, without copying. The
 * data stays valid until tally_ring_consume(). For an overwrite ring, which should be paused first,
 * return the records that still exist, newest first. Return false if there is no data. */
bool tally_ring_data(struct tally_ring *ring, struct tally_ring_data *ret_data);

/* Return the next whole record in place. Only a record that wraps is copied, into memory of the
 * ring. The record stays valid until the next call. NULL at the end, for an overwrite ring, or if
 * there is no memory for the copy. */
const struct perf_event_header *tally_ring_next(struct tally_ring *ring);

/* Return the record that tally_ring_next() would return next, without advancing. */
const struct perf_event_header *tally_ring_peek(struct tally_ring *ring);

/* Release everything that tally_ring_data() or tally_ring_next() returned, so that the kernel can
 * overwrite it. */
void tally_ring_consume(struct tally_ring *ring);

/* ---- capabilities ------------------------------------------------------- */

/* Capabilities by number, independent of the version of installed headers and of libcap. */
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
 * them to open events, map ring buffers and read procfs, and drop them before it reads data that a
 * user wrote.
 *
 * The functions below change only the calling thread, like capset(2). Threads that it starts later
 * inherit its sets. They return 0 or the error of capget(2) or capset(2).
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
/* Reduce the sets to the ambient capabilities, which are those that execve(2) of an ordinary file
 * preserves. For a child between fork and exec, which must look up its program with the rights of
 * the user. */
int tally_caps_drop_to_ambient(void);

/* ---- permissions --------------------------------------------------------- */

/* Value of /proc/sys/kernel/perf_event_paranoid and similar files that cannot be read. */
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
	bool sysctl_readonly;   /* /proc/sys is read-only: only the host can change it */
	bool no_new_privileges; /* prctl(2): file capabilities have no effect */
	bool nosuid;            /* our file system is mounted nosuid: same effect */
	int32_t seccomp;        /* 0 off, 1 strict, 2 filter */
	bool kills;         /* the filter kills callers of perf_event_open; the caller sets it */
	int32_t nr_threads; /* threads of this process */
	int32_t paranoid;   /* kernel.perf_event_paranoid */
	int32_t kptr_restrict;
	int32_t max_stack;
	int64_t max_sample_rate;
	uint64_t mlock_kb;          /* kernel.perf_event_mlock_kb: per CPU and user */
	bool mlock_kb_is_assumed;   /* mlock_kb could not be read; it is the kernel's default */
	uint64_t memlock;           /* RLIMIT_MEMLOCK in bytes, soft; UINT64_MAX: no limit */
	uint64_t pinned;            /* bytes of this process that already count against memlock */
	uint64_t files, files_hard; /* RLIMIT_NOFILE */
	uint64_t page_size;
	uint32_t cpus;                    /* online CPUs */
	int32_t kprobe_type, uprobe_type; /* PMU types; TALLY_ACCESS_UNKNOWN: no such PMU */
	int32_t syscall;   /* result of a call that must fail with EINVAL: 0 if it does; -errno if a
	                    * filter answers instead; TALLY_ACCESS_NOT_ASKED */
	int32_t plain;     /* result of opening our own task-clock in user space: 0, -errno or
	                    * TALLY_ACCESS_NOT_ASKED */
	char program[256]; /* the binary to give file capabilities to; "tally" if unknown */
};

/*
 * Take the snapshot for the calling thread. `root` is prepended to /proc and /sys, for tests; NULL:
 * nothing. Values that cannot be read are TALLY_ACCESS_UNKNOWN or the kernel's default. Opens no
 * event.
 */
void tally_access_read(const char *root, struct tally_access *ret_access);

/* Set `syscall` and `plain` by trying: two calls that count nothing. A seccomp filter that kills
 * callers kills this one; if that is possible, call it in a child process. */
void tally_access_probe(const struct tally_transport *transport, struct tally_access *access);

/* Return true if a capability is usable: it is permitted (and so can be raised) in the namespace
 * that perf checks. Pure. */
bool tally_access_has(const struct tally_access *access, int capability);

/* Return true if CAP_PERFMON is usable, or CAP_SYS_ADMIN, which includes it. Pure. */
bool tally_access_perfmon(const struct tally_access *access);

/* The relation of a task to the caller. */
enum tally_task_kind {
	TALLY_TASK_OWN,     /* we may observe it */
	TALLY_TASK_FOREIGN, /* belongs to another user, or has more privileges */
	TALLY_TASK_GONE,
	TALLY_TASK_NONE, /* pid -1 */
};

/* Look up a task in procfs. `pid` 0 is the caller, -1 no task. `root` as for tally_access_read().
 */
enum tally_task_kind tally_access_task(const struct tally_access *access, const char *root,
				       int32_t pid);

/* An event that a program wants to open. */
struct tally_access_request {
	const struct perf_event_attr *attr;
	int32_t pid, cpu; /* of perf_event_open(2) */
	enum tally_task_kind task;
	bool syscall_tracepoint; /* one of syscalls:*, which every task may trace on itself */
};

/*
 * Return true if the kernel should permit the event. Pure. If not, `*ret_why` (may be NULL)
 * receives the rule that the kernel checks first, what was found, what is needed, and the possible
 * changes, the smallest first; its `event` is 0 and its `field` empty. If the kernel decides
 * differently, the kernel is right.
 */
bool tally_access_event(const struct tally_access *access, const struct tally_access_request *ask,
			struct tally_refusal *ret_why);

/* Return true if /proc/kallsyms shows addresses to us. Pure; `*ret_why` as for
 * tally_access_event(). */
bool tally_access_kernel_addresses(const struct tally_access *access,
				   struct tally_refusal *ret_why);

/* Return true if we can read /proc/PID/maps of other users' processes. Pure; `*ret_why` as for
 * tally_access_event(). */
bool tally_access_foreign_maps(const struct tally_access *access, struct tally_refusal *ret_why);

/*
 * Return the largest number of data pages, a power of two and at most `pages`, that each of
 * `nr_rings` ring buffers can have; 0 if not even one fits. Pure. If it is less than `pages`,
 * `*ret_why` (may be NULL) receives the reason, as for tally_access_event(). Other processes of the
 * user may have used part of the budget, so the kernel may still reject the mappings.
 */
size_t tally_access_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
			  struct tally_refusal *ret_why);

/* Describe a failure with -EMFILE: RLIMIT_NOFILE. Pure. */
void tally_access_explain_descriptors(const struct tally_access *access,
				      struct tally_refusal *ret_why);

/* Describe a failure with -EPERM to map `nr_rings` ring buffers of `pages` data pages, even if the
 * limits seem to permit them. Pure. */
void tally_access_explain_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
				struct tally_refusal *ret_why);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
