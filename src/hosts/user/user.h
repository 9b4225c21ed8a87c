/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core in an ordinary Linux process: perf_event_open without the kernel's implementation, and
 * without privileges. Tasks are real threads that this process may trace. What they use is read
 * from procfs and replayed on the core's clock. A supervisor, which is a thread of this process,
 * follows them through forks, execs and exits by ptrace. docs/user-host.md describes how, and how
 * exact it is.
 *
 *	tally_user_create(&settings, &user);
 *	fd = tally_user_open(user, &attr, pid, -1, -1, 0);
 *	tally_user_read(user, fd, &count, sizeof(count));
 *	tally_user_close(user, fd);
 *	tally_user_destroy(user);
 *
 * The calls are those of perf_event_open(2) and return what the system calls do, except that errors
 * are -errno. They may be made from any thread but the supervisor.
 *
 * While a host exists, SIGCHLD is sent for children that ended but not for those that stopped
 * (SA_NOCLDSTOP), and the last but one of the real-time signals wakes the supervisor.
 *
 * Not supported: counting on CPUs (pid -1, cgroups), hardware events and tracepoints, records of
 * context switches (attr.context_switch), kernel stacks, and threads that others trace.
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
	/* Events may sample: threads are stopped for that while they run, and at their exit. */
	bool samples;
	/* Called by the supervisor when process `pid`, which is stopped, has executed a program, or
	 * when a process that is not a child is to be traced. If it returns false the process runs
	 * untraced, and its events end or cannot be opened (-EPERM). It must not call the host.
	 * NULL: all processes are traced. */
	bool (*executed)(void *arg, int32_t pid);
	void *arg;
};

/* Create a host and start its supervisor. Returns 0; -ENOMEM; -EXDEV if /proc is not that of this
 * process's PID namespace (base/proc.h), so that it would describe other processes; or the error of
 * pthread_create(3) or timer_create(2). */
int tally_user_create(const struct tally_user_settings *settings, struct tally_user **ret_user);

/* Close everything that is open, and let all tasks run untraced. NULL is allowed. */
void tally_user_destroy(struct tally_user *user);

/* As perf_event_open(2). In addition fails with -EPERM or -ESRCH of PTRACE_SEIZE for a thread that
 * cannot be traced; with -EACCES for an event that is not bound to a thread; and with -EOPNOTSUPP
 * for attr.context_switch, or for sampling without settings.samples. */
int tally_user_open(struct tally_user *user, struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		    int group_fd, unsigned long flags);
int tally_user_close(struct tally_user *user, int fd);

/* Set the inode of the socket that the program has for the event, and that becomes readable at each
 * wakeup. The signal that it sends is then changed from POLL_IN to POLL_HUP when the count of
 * PERF_EVENT_IOC_REFRESH is used up. Does nothing for a descriptor that is not of this host. */
void tally_user_set_socket(struct tally_user *user, int fd, uint64_t inode);

int64_t tally_user_read(struct tally_user *user, int fd, void *to, size_t len);
int tally_user_ioctl(struct tally_user *user, int fd, unsigned long request, uintptr_t arg);
int tally_user_mmap(struct tally_user *user, int fd, size_t len, bool writable, void **ret_memory);
int tally_user_munmap(struct tally_user *user, void *memory, size_t len);

/* Return the host's descriptor of the file that begins with the ring mapped at `memory`, so that
 * other processes can map it. Returns -EINVAL if no ring is mapped there. */
int tally_user_ring_file(struct tally_user *user, const void *memory);

/* poll(2), for descriptors of this host and others. */
int tally_user_poll(struct tally_user *user, struct pollfd *polls, size_t nr, int timeout_ms);

/*
 * wait4(2) for a child of this process. The supervisor waits for the children that it traces, so
 * that no other thread can. Returns the PID with status and usage; 0 if the child has not ended and
 * `block` is not set; -ECHILD if it is not traced here, or was waited for before. The supervisor
 * sends SIGCHLD to this process when there is a child to be waited for.
 */
pid_t tally_user_wait(struct tally_user *user, pid_t pid, bool block, int *ret_status,
		      struct rusage *ret_usage);

#endif
