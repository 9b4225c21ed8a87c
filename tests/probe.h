/* SPDX-License-Identifier: BSD-2-Clause */
/* What works on this machine. Each probe does the thing itself and without tally, so that a fault
 * of tally is never taken for a lack of the machine. Include after cmocka.h. */
#ifndef TALLY_TESTS_PROBE_H
#define TALLY_TESTS_PROBE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* End the test as skipped for a reason; in loops and helpers, too. */
#define probe_skip(...)                       \
	do {                                  \
		print_message("# skipped: "); \
		print_message(__VA_ARGS__);   \
		print_message("\n");          \
		skip();                       \
	} while (0)

/* Whether files can be given to another user: not without root, nor in every user namespace. */
static inline bool probe_chown(uid_t uid)
{
	char path[] = "/tmp/tally-probe-XXXXXX";
	int fd = mkstemp(path);
	bool works = fd >= 0 && uid != geteuid() && !fchown(fd, uid, uid);

	unlink(path);
	close(fd);
	return works;
}

/* Whether a process can be followed as a tracer does. */
static inline bool probe_ptrace(void)
{
	pid_t child = fork();
	bool works;

	if (!child)
		for (;;)
			pause();
	works = child > 0 && !ptrace(PTRACE_SEIZE, child, NULL, NULL);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return works;
}

/* Whether the kernel counts the CPU time of this task in user space. */
static inline bool probe_task_clock(void)
{
	/* The 64 bytes of attributes that every kernel knows: a software event, number 1, not of
	 * kernel and hypervisor. */
	const uint64_t attr[8] = {1 | 64ull << 32, 1, 0, 0, 0, 1 << 5 | 1 << 6};
	int fd;

	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The time of a file that is written now. */
static inline struct timespec probe_time_of_new_file(void)
{
	char path[] = "/tmp/tally-probe-XXXXXX";
	int fd = mkstemp(path);
	struct stat st = {0};

	fstat(fd, &st);
	unlink(path);
	close(fd);
	return st.st_mtim;
}

/* Wait until a file that is written now gets a later time than one that was written before: times
 * are those of the clock's last tick, and on some file systems whole seconds. */
static inline void probe_wait_for_later_files(void)
{
	const struct timespec before = probe_time_of_new_file();
	struct timespec now;

	do {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		now = probe_time_of_new_file();
	} while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
}

#endif
