/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "sampler/privileges.h"

static _Noreturn void child_main(char *const *argv, int output, int go, int why)
{
	sigset_t none;
	ssize_t n;
	char word;
	int code;

	tally_privileges_drop_in_child();
	sigemptyset(&none);
	do {
		n = read(go, &word, 1);
	} while (n < 0 && errno == EINTR);
	/* The parent has exited or has freed the child. */
	if (n != 1)
		_exit(TALLY_EXIT_NOT_FOUND);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (output != STDOUT_FILENO)
		dup2(output, STDOUT_FILENO);
	execvp(argv[0], argv);
	code = errno;
	n = write(why, &code, sizeof(code));
	_exit(code == ENOENT ? TALLY_EXIT_NOT_FOUND : TALLY_EXIT_NOT_EXECUTABLE);
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

int tally_child_start(struct tally_child *child, char *const *argv, int output)
{
	int go[2], why[2], ret;
	bool changed;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(why, O_CLOEXEC)) {
		ret = -errno;
		close_pair(go);
		return ret;
	}
	changed = tally_privileges_fork_begin();
	pid = fork();
	ret = -errno;
	tally_privileges_fork_end(changed && pid);
	if (pid < 0) {
		close_pair(go);
		close_pair(why);
		return ret;
	}
	if (!pid) {
		close(go[1]);
		close(why[0]);
		child_main(argv, output, go[0], why[1]);
	}
	close(go[0]);
	close(why[1]);
	*child = (struct tally_child){.pid = pid, .go = go[1], .why = why[0]};
	return 0;
}

int tally_child_exec(struct tally_child *child)
{
	ssize_t n;

	do {
		n = write(child->go, "", 1);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Both a successful exec and the exit of the process close the pipe. */
int tally_child_exec_error(struct tally_child *child)
{
	int code = 0;
	ssize_t n;

	if (!child->pid || child->why < 0)
		return child->error;
	do {
		n = read(child->why, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close_end(&child->why);
	child->error = n == sizeof(code) ? -code : 0;
	return child->error;
}

bool tally_child_is_running(const struct tally_child *child)
{
	enum { EXITING = 4 }; /* PF_EXITING in the flags field of /proc/PID/stat */
	char path[32], *text, state = 'Z', *rest;
	unsigned flags = EXITING;
	siginfo_t info = {0};
	size_t len;

	if (!child->pid || child->gone)
		return false;
	if (!tally_proc_matches_us())
		return !waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
		       !info.si_pid;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child->pid);
	if (tally_file_read(path, 4096, &text, &len))
		return false;
	rest = strrchr(text, ')'); /* the name may contain any character */
	if (rest)
		sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags);
	free(text);
	return !(flags & EXITING) && state != 'Z' && state != 'X';
}

static pid_t wait_self(struct tally_child *child, bool block)
{
	pid_t pid;

	do {
		pid = wait4(child->pid, &child->status, block ? 0 : WNOHANG, &child->usage);
	} while (pid < 0 && errno == EINTR);
	return pid;
}

void tally_child_wait(struct tally_child *child, bool block)
{
	const struct tally_child_reaper *reaper = child->reaper;
	pid_t pid = -ECHILD;

	if (!child->pid || child->gone)
		return;
	if (reaper)
		pid = reaper->wait(reaper->arg, child->pid, block, &child->status, &child->usage);
	if (pid == -ECHILD)
		pid = wait_self(child, block);
	if (!pid)
		return;
	/* An error can only mean that other code has already waited for the child. */
	child->gone = true;
}

int tally_child_exit_status(const struct tally_child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

void tally_child_detach(struct tally_child *child)
{
	close_end(&child->go);
	close_end(&child->why);
	*child = (struct tally_child){0};
}

void tally_child_free(struct tally_child *child)
{
	if (!child->pid)
		return;
	/* Closing its pipe makes a child exit that has not yet been allowed to exec. */
	close_end(&child->go);
	close_end(&child->why);
	if (!child->gone) {
		kill(child->pid, SIGTERM);
		tally_child_wait(child, true);
	}
	*child = (struct tally_child){0};
}
