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

/* Arrays without a length are C's. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
extern "C" {
#endif

/* ---- transport ----------------------------------------------------------- */

struct pollfd; /* of poll.h */

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
	/* poll(2): `polls` also holds descriptors that are not of this implementation. Needed by
	 * who waits for rings, else NULL. */
	int (*poll)(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		    int timeout_ms);
	bool estimates; /* it cannot count exactly: its counts are of quality ESTIMATED at best */
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

/* A list "0-3,5". Blanks around numbers and a comma at the end change nothing. -EINVAL for what is
 * none, or over 65,536 CPUs. */
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
	size_t nr_gone; /* of a list: how many of its numbers are no process or thread ... */
	int32_t gone;   /* ... and the first of them */
	struct tally_thread_id thread[];
};

/* "Every thread": one entry of -1, for per-CPU events. */
int tally_threads_any(struct tally_threads **ret_threads);

/* One thread, whose tid is `tid`; its process is looked up in procfs, else taken to be tid. */
int tally_threads_of_tid(int32_t tid, struct tally_threads **ret_threads);

/* All threads of the processes (or the threads themselves) in a list "12,34". Blanks around numbers
 * and a comma at the end change nothing. -ESRCH when none of them exists; -EINVAL when it is no
 * list of numbers. */
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

/* The rule that was broken: for programs to tell refusals apart. */
enum tally_rule {
	TALLY_RULE_NONE,       /* nothing was */
	TALLY_RULE_OTHER,      /* none that is known: the kernel's number is all there is */
	TALLY_RULE_NO_SYSCALL, /* the kernel has no perf_event_open */
	TALLY_RULE_SECCOMP,    /* a seccomp filter answers in the kernel's place */
	TALLY_RULE_FORBID_ALL, /* a distribution's level above 2: nobody without a capability */
	TALLY_RULE_SECURITY_MODULE, /* SELinux or its like: the capability is held and not enough */
	TALLY_RULE_KERNEL,          /* counting in the kernel; paranoid at most 1 */
	TALLY_RULE_KERNEL_BRANCHES, /* branches in the kernel; paranoid at most 1 */
	TALLY_RULE_KERNEL_ADDRESSES, /* kallsyms: kptr_restrict, CAP_SYSLOG */
	TALLY_RULE_FOREIGN_MAPS,     /* /proc/PID/maps of others: CAP_SYS_PTRACE */
	TALLY_RULE_PHYSICAL_ADDRESS, /* paranoid at most 1 */
	TALLY_RULE_NAMESPACES,       /* records of namespaces */
	TALLY_RULE_PROBE,            /* kprobes and uprobes */
	TALLY_RULE_CPU_WIDE,         /* every task on a CPU; paranoid at most 0 */
	TALLY_RULE_TRACEPOINT_DATA,  /* samples of tracepoints with their fields; paranoid -1 */
	TALLY_RULE_KERNEL_BREAKPOINT,
	TALLY_RULE_FOREIGN_TASK,  /* another user's, or one with more privileges */
	TALLY_RULE_LOCKED_MEMORY, /* ring buffers: perf_event_mlock_kb and RLIMIT_MEMLOCK */
	TALLY_RULE_NO_TASK,
	TALLY_RULE_NO_CPU, /* not there, or off line */
	TALLY_RULE_NO_PMU,
	TALLY_RULE_UNKNOWN_EVENT,
	TALLY_RULE_NOT_CAPABLE, /* the PMU cannot do what the attr asks for: sampling, branches */
	TALLY_RULE_BUSY, /* somebody else has the PMU, or all breakpoint registers, for himself */
	TALLY_RULE_DESCRIPTORS,  /* RLIMIT_NOFILE */
	TALLY_RULE_SYSTEM_FILES, /* fs.file-max */
	TALLY_RULE_MEMORY,
	TALLY_RULE_SAMPLE_RATE, /* above perf_event_max_sample_rate */
	TALLY_RULE_STACK_DEPTH, /* above perf_event_max_stack */
	TALLY_RULE_BAD_ATTR,    /* a field or a combination that the kernel does not take */
};

/* "seccomp", "cpu-wide", ...: stable, for machines. */
const char *tally_rule_name(enum tally_rule rule);

/* Whether a rule forbids what the machine could do. */
bool tally_rule_is_permission(enum tally_rule rule);

enum { TALLY_NR_FIXES = 5 };

/* Data for a message: which event, which field, which rule, what would help. */
struct tally_refusal {
	int code;         /* -errno of perf_event_open or mmap */
	size_t event;     /* index in the list */
	int32_t pid, cpu; /* where it was refused */
	enum tally_rule broken;
	char rule[160];                /* what was broken, in words */
	char field[32];                /* the attr's field that is to blame; "" if none was found */
	char found[224];               /* the value met: "perf_event_paranoid is 3"; "" if none */
	char needed[160];              /* the value that permits it; "" if none does */
	char fix[TALLY_NR_FIXES][288]; /* what would permit it, smallest change first; "" ends */
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

/* The record that tally_ring_next() would hand out: it is not handed out by this. */
const struct perf_event_header *tally_ring_peek(struct tally_ring *ring);

/* Give everything seen by tally_ring_data() or tally_ring_next() back to the writer. */
void tally_ring_consume(struct tally_ring *ring);

/* ---- capabilities ------------------------------------------------------- */

/* Capabilities by number, so that old headers and an old libcap do not matter. */
enum {
	TALLY_CAP_IPC_LOCK = 14,
	TALLY_CAP_SYS_PTRACE = 19,
	TALLY_CAP_SYS_ADMIN = 21,
	TALLY_CAP_SYSLOG = 34,
	TALLY_CAP_PERFMON = 38,
};

/* Whether this thread has a capability in its effective set. */
bool tally_access_capability(int capability);

/*
 * A program with file capabilities uses them for as short as can be: lowered at its start, raised
 * to open events, map rings and read procfs, dropped before it reads anything that a user wrote.
 *
 * All of these change the calling thread alone, as capset(2) does; threads that it starts later
 * have what it has then. 0 or the error of capset(2).
 */

/* Whether there is anything to raise or drop: something is permitted. */
bool tally_caps_held(void);
/* Nothing is in effect; what is permitted can be raised again. */
int tally_caps_lower(void);
/* All that is permitted is in effect. */
int tally_caps_raise(void);
/* Nothing is effective, permitted, inheritable or ambient any more, nor will be: for good.
 * -EBUSY when the process has other threads, which would keep what they have. */
int tally_caps_drop(void);
/* What an execve(2) of an ordinary file would leave: the ambient ones. For a child between fork
 * and exec, which looks for its program as the user and not as we. */
int tally_caps_drop_to_ambient(void);

/* ---- what is permitted --------------------------------------------------- */

/* How /proc/sys/kernel/perf_event_paranoid and its like read when they cannot be read. */
enum { TALLY_ACCESS_UNKNOWN = INT32_MIN };

/* The answer to a question that was not asked. */
enum { TALLY_ACCESS_NOT_ASKED = 1 };

/*
 * Everything that decides what is permitted, as it was at one moment: plain data, so that it can
 * be made up in tests, printed by a doctor, and judged without asking the kernel again.
 */
struct tally_access {
	uint32_t uid;                               /* effective */
	uint64_t effective, permitted, inheritable; /* capabilities: bit N is capability N */
	uint64_t bounding, ambient;
	bool initial_user_namespace; /* perf asks for capabilities in this one alone */
	bool initial_pid_namespace;
	bool sysctl_readonly;   /* /proc/sys is mounted like that: only the host changes it */
	bool no_new_privileges; /* prctl(2): file capabilities are not looked at */
	bool nosuid;            /* nor are they where our file system is mounted like that */
	int32_t seccomp;        /* 0 off, 1 strict, 2 filter */
	bool kills;         /* the filter kills who calls perf_event_open: for whoever found out */
	int32_t nr_threads; /* of this process */
	int32_t paranoid;   /* kernel.perf_event_paranoid */
	int32_t kptr_restrict;
	int32_t max_stack;
	int64_t max_sample_rate;
	uint64_t mlock_kb;          /* kernel.perf_event_mlock_kb: of each CPU, for each user */
	bool mlock_kb_is_assumed;   /* it could not be read: the kernel's default */
	uint64_t memlock;           /* RLIMIT_MEMLOCK in bytes, soft; UINT64_MAX: no limit */
	uint64_t pinned;            /* bytes of this process that count against it already */
	uint64_t files, files_hard; /* RLIMIT_NOFILE */
	uint64_t page_size;
	uint32_t cpus;                    /* on line */
	int32_t kprobe_type, uprobe_type; /* PMUs; TALLY_ACCESS_UNKNOWN: there is none */
	int32_t syscall;   /* what perf_event_open says where the kernel has to say EINVAL: 0 if it
			    * does, -errno of whoever answers instead; TALLY_ACCESS_NOT_ASKED */
	int32_t plain;     /* what a clock of our own in user space gets: 0, -errno; NOT_ASKED */
	char program[256]; /* the binary to give capabilities to; "tally" if it is not known */
};

/*
 * Take the snapshot, of the calling thread. `root` is put before /proc and /sys, for tests; NULL:
 * nothing. What cannot be read is TALLY_ACCESS_UNKNOWN or the kernel's default. Opens no event.
 */
void tally_access_read(const char *root, struct tally_access *ret_access);

/* Fill in `syscall` and `plain` by asking: two calls that count nothing. A seccomp filter that
 * kills kills: who cannot know that asks in a child. */
void tally_access_probe(const struct tally_transport *transport, struct tally_access *access);

/* Whether a capability counts: it is permitted (and so can be raised), in the namespace that perf
 * looks at. perfmon: CAP_PERFMON, or CAP_SYS_ADMIN in its place. */
bool tally_access_has(const struct tally_access *access, int capability);
bool tally_access_perfmon(const struct tally_access *access);

/* Whose task it is. */
enum tally_task_kind {
	TALLY_TASK_OWN,     /* ours to look at */
	TALLY_TASK_FOREIGN, /* another user's, or one that has more privileges than we */
	TALLY_TASK_GONE,
	TALLY_TASK_NONE, /* pid -1 */
};

/* Look a task up in procfs. `root` as above. */
enum tally_task_kind tally_access_task(const struct tally_access *access, const char *root,
				       int32_t pid);

/* What somebody wants to open. */
struct tally_access_request {
	const struct perf_event_attr *attr;
	int32_t pid, cpu; /* of perf_event_open(2) */
	enum tally_task_kind task;
	bool syscall_tracepoint; /* one of syscalls:*, which every task may trace on itself */
};

/*
 * Whether the kernel is going to permit it. Pure. When not, `*ret_why` (may be NULL) tells the rule
 * that it is going to name first, what was found, what is needed, and what to change, smallest
 * change first; its `event` is 0 and its `field` empty. The kernel's own answer is the truth where
 * the two differ.
 */
bool tally_access_event(const struct tally_access *access, const struct tally_access_request *ask,
			struct tally_refusal *ret_why);

/* Whether /proc/kallsyms tells us addresses. Pure; `*ret_why` as above. */
bool tally_access_kernel_addresses(const struct tally_access *access,
				   struct tally_refusal *ret_why);

/* Whether /proc/PID/maps of other users' processes tell us anything. Pure; as above. */
bool tally_access_foreign_maps(const struct tally_access *access, struct tally_refusal *ret_why);

/*
 * The most data pages, a power of two and at most `pages`, that `nr_rings` rings may have each: 0
 * when not even one fits. Pure. Less than asked for: `*ret_why` (may be NULL) tells what stands
 * against `pages`, as above. Other processes of the same user may have used up what it counts on:
 * the kernel's answer is the truth.
 */
size_t tally_access_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
			  struct tally_refusal *ret_why);

/* Why no more descriptors were to be had: RLIMIT_NOFILE. */
void tally_access_explain_descriptors(const struct tally_access *access,
				      struct tally_refusal *ret_why);

/* Why `nr_rings` rings of `pages` pages were refused with -EPERM, whatever the sums say. Pure. */
void tally_access_explain_rings(const struct tally_access *access, size_t pages, size_t nr_rings,
				struct tally_refusal *ret_why);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
