/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core in an ordinary Linux process: perf_event_open without the kernel's, and without
 * privileges. Tasks are real threads that this process may trace; what they use is read from procfs
 * and replayed on the core's clock, and a supervisor, a thread of this process, follows them
 * through forks, execs and exits by ptrace. docs/user-host.md says how, and how exact it is.
 *
 *	tally_user_create(&settings, &user);
 *	fd = tally_user_open(user, &attr, pid, -1, -1, 0);
 *	tally_user_read(user, fd, &count, sizeof(count));
 *	tally_user_close(user, fd);
 *	tally_user_destroy(user);
 *
 * The calls are those of perf_event_open(2) and return what the system calls do, but -errno for
 * errors. They may be made from any thread but the supervisor.
 *
 * While a host exists, SIGCHLD comes for children that ended and not for those that stopped
 * (SA_NOCLDSTOP), and the last but one of the real-time signals wakes the supervisor.
 *
 * What it does not do: count for CPUs (pid -1, cgroups), hardware and tracepoints, records of
 * context switches (attr.context_switch), kernel stacks. Only threads that nobody else traces.
 */
#ifndef TALLY_HOSTS_USER_USER_H
#define TALLY_HOSTS_USER_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "tally/abi.h"

struct tally_user;
struct pollfd;

/* All zero: count only. */
struct tally_user_settings {
	bool samples; /* events may sample: threads are stopped for it while they run, and on exit
		       */
	/* Called by the supervisor when process `pid`, which is stopped, has executed a program, or
	 * when one that is no child is to be traced. False: it runs on untraced, and its events
	 * end, or cannot be opened (-EPERM). Calls nothing of the host. NULL: all are traced. */
	bool (*executed)(void *arg, int32_t pid);
	void *arg;
};

/* Start the supervisor. 0; -ENOMEM; -EXDEV: /proc is not that of this process' pid namespace
 * (base/proc.h), and what is read there would be of other processes; the error of pthread_create(3)
 * or timer_create(2). */
int tally_user_create(const struct tally_user_settings *settings, struct tally_user **ret_user);

/* Close what is open and let all tasks go on untraced. NULL is allowed. */
void tally_user_destroy(struct tally_user *user);

/* As perf_event_open(2), and: -EPERM or -ESRCH of PTRACE_SEIZE for a thread that cannot be traced;
 * -EACCES for what is not of a thread; -EOPNOTSUPP for attr.context_switch. */
int tally_user_open(struct tally_user *user, struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		    int group_fd, unsigned long flags);
int tally_user_close(struct tally_user *user, int fd);

/* The program has the event as a socket of this inode, which becomes readable at each wakeup. The
 * signal that it sends says POLL_HUP, not POLL_IN, when the count of PERF_EVENT_IOC_REFRESH is used
 * up. Nothing happens for a descriptor that is none of this host. */
void tally_user_set_socket(struct tally_user *user, int fd, uint64_t inode);

int64_t tally_user_read(struct tally_user *user, int fd, void *to, size_t len);
int tally_user_ioctl(struct tally_user *user, int fd, unsigned long request, uintptr_t arg);
int tally_user_mmap(struct tally_user *user, int fd, size_t len, bool writable, void **ret_memory);
int tally_user_munmap(struct tally_user *user, void *memory, size_t len);

/* The file whose beginning is the ring that was mapped at `memory`, so that other processes can map
 * it: the host's descriptor. -EINVAL: no ring is mapped there. */
int tally_user_ring_file(struct tally_user *user, const void *memory);

/* poll(2) of descriptors of this host and of others. */
int tally_user_poll(struct tally_user *user, struct pollfd *polls, size_t nr, int timeout_ms);

/*
 * wait4(2) for a child of this process: the supervisor waits for those that it traces, so that
 * nobody else can. Its pid with status and usage; 0 when it has not ended and `block` is not set;
 * -ECHILD when it is not traced here, or was waited for before. The supervisor sends SIGCHLD to
 * this process when there is one to be waited for.
 */
pid_t tally_user_wait(struct tally_user *user, pid_t pid, bool block, int *ret_status,
		      struct rusage *ret_usage);

#endif
