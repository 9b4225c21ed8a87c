/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrects the signals that events send. The program's descriptor for an event is a socket, which
 * sends POLL_IN (O_ASYNC) when it becomes readable. A kernel event sends POLL_HUP when its REFRESH
 * count is used up, so the host changes the signal when ptrace(2) stops the thread for its
 * delivery.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "hosts/user/user_files.h"
#include "hosts/user/user_signals.h"
#include "hosts/user/supervisor.h"

void tally_user_set_socket(struct tally_user *user, int fd, uint64_t inode)
{
	struct user_file *file;

	user_lock(user);
	file = user_file_find(user, fd);
	if (file)
		file->socket = inode;
	user_unlock(user);
}

void user_signals_used_up(struct tally_user *user, struct user_file *file, bool is_used_up)
{
	if (!file->socket || file->used_up == is_used_up)
		return;
	file->used_up = is_used_up;
	user->nr_used_up += is_used_up ? 1 : -1;
}

/* Return the inode of the socket that a process's file descriptor refers to, or 0 if it does not
 * refer to a socket. */
static uint64_t socket_of(int32_t pid, int fd)
{
	char path[64], target[64];
	uint64_t inode = 0;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%d", pid, fd);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	return sscanf(target, "socket:[%" SCNu64 "]", &inode) == 1 ? inode : 0;
}

/* Return whether this may be the signal sent when a descriptor becomes readable. Some signals use
 * the same si_code with other meanings. */
static bool is_of_descriptor(const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGILL:
	case SIGTRAP:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGCHLD:
	case SIGSYS: return false;
	default: return info->si_code == POLL_IN && info->si_band == (POLLIN | POLLRDNORM);
	}
}

void user_signals_amend(struct tally_user *user, const struct user_task *task)
{
	siginfo_t info;
	uint64_t inode;

	if (!user->nr_used_up || ptrace(PTRACE_GETSIGINFO, task->perf.tid, NULL, &info) ||
	    !is_of_descriptor(&info))
		return;
	inode = socket_of(task->perf.pid, info.si_fd);
	tally_vec_for_each (file, &user->files) {
		if (!(*file)->used_up || (*file)->socket != inode)
			continue;
		user_signals_used_up(user, *file, false);
		info.si_code = POLL_HUP;
		info.si_band = POLLHUP | POLLERR;
		ptrace(PTRACE_SETSIGINFO, task->perf.tid, NULL, &info);
		return;
	}
}
