/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core in an ordinary Linux process: perf_event_open without the kernel's implementation and
 * without privileges. Tasks are real threads that this process may trace. Their resource usage is
 * read from procfs and replayed on the core's clock. A supervisor, which is a thread of this
 * process, uses ptrace to trace the tasks through forks, execs and exits. docs/user-host.md
 * describes the method and its accuracy.
 *
 *	tally_user_create(&settings, &user);
 *	fd = tally_user_open(user, &attr, pid, -1, -1, 0);
 *	tally_user_read(user, fd, &count, sizeof(count));
 *	tally_user_close(user, fd);
 *	tally_user_destroy(user);
 *
 * The functions correspond to the system calls in perf_event_open(2) and return the same values,
 * except that errors are returned as -errno. They may be called from any thread except the
 * supervisor.
 *
 * While a host exists, SIGCHLD is sent for children that exit but not for children that stop
 * (SA_NOCLDSTOP), and the host uses the signal SIGRTMAX - 1 to wake the supervisor.
 *
 * Not supported: counting on CPUs (pid -1, cgroups), hardware events and tracepoints, context
 * switch records (attr.context_switch), kernel stacks, and threads traced by other processes.
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

/* Settings of a host. With all settings zero, the host only counts. */
struct tally_user_settings {
	/* Allow events to sample. To take samples, threads are stopped while they run and when they
	 * exit. */
	bool samples;
	/* Called by the supervisor when process `pid`, which is stopped, has executed a program, or
	 * when a process that is not a child is about to be traced. If the callback returns false,
	 * the process runs untraced; its events end, or cannot be opened (-EPERM). The callback
	 * must not call the host. If the callback is NULL, all processes are traced. */
	bool (*executed)(void *arg, int32_t pid);
	void *arg;
};

/* Create a host and start its supervisor. Returns 0; -ENOMEM; -EXDEV if /proc belongs to another
 * PID namespace (base/proc.h) and would describe other processes; or an error from
 * pthread_create(3) or timer_create(2). */
int tally_user_create(const struct tally_user_settings *settings, struct tally_user **ret_user);

/* Close all events, and let all tasks run untraced. NULL is allowed. */
void tally_user_destroy(struct tally_user *user);

/* Open an event, like perf_event_open(2). Also fails with -EPERM or -ESRCH from PTRACE_SEIZE for a
 * thread that cannot be traced, with -EACCES for an event that is not bound to a thread, and with
 * -EOPNOTSUPP for attr.context_switch, or for sampling without settings.samples. */
int tally_user_open(struct tally_user *user, struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		    int group_fd, unsigned long flags);
int tally_user_close(struct tally_user *user, int fd);

/* Set the inode of the program's socket for the event; the socket becomes readable at each wakeup.
 * From then on, the host changes the socket's signal from POLL_IN to POLL_HUP when the
 * PERF_EVENT_IOC_REFRESH count is used up. Does nothing if the descriptor does not belong to this
 * host. */
void tally_user_set_socket(struct tally_user *user, int fd, uint64_t inode);

int64_t tally_user_read(struct tally_user *user, int fd, void *to, size_t len);
int tally_user_ioctl(struct tally_user *user, int fd, unsigned long request, uintptr_t arg);
int tally_user_mmap(struct tally_user *user, int fd, size_t len, bool writable, void **ret_memory);
int tally_user_munmap(struct tally_user *user, void *memory, size_t len);

/* Return a descriptor for the file that contains the ring buffer mapped at `memory`, so that other
 * processes can map it. The ring buffer is at the start of the file. The host owns the descriptor.
 * Returns -EINVAL if no ring buffer is mapped there. */
int tally_user_ring_file(struct tally_user *user, const void *memory);

/* Poll descriptors, like poll(2). They may belong to this host or not. */
int tally_user_poll(struct tally_user *user, struct pollfd *polls, size_t nr, int timeout_ms);

/*
 * Wait for a child of this process, like wait4(2). The supervisor reaps the children that it
 * traces, so no other thread can. Returns the PID with status and usage; 0 if the child has not
 * exited and `block` is not set; -ECHILD if the child is not traced by this host or has already
 * been waited for. The supervisor sends SIGCHLD to this process when it has reaped a child.
 */
pid_t tally_user_wait(struct tally_user *user, pid_t pid, bool block, int *ret_status,
		      struct rusage *ret_usage);

#endif
