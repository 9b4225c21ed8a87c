/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes for features of this machine. Each probe tries the feature itself and does not use tally,
 * so that a bug in tally is never mistaken for a limitation of the machine. Include after cmocka.h.
 */
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

/* Skip the running test and print the reason. Also works in loops and helpers. */
#define probe_skip(...)                       \
	do {                                  \
		print_message("# skipped: "); \
		print_message(__VA_ARGS__);   \
		print_message("\n");          \
		skip();                       \
	} while (0)

/* Return true if a file's owner can be changed. This requires root, and fails in some user
 * namespaces. */
static inline bool probe_chown(uid_t uid)
{
	char path[] = "/tmp/tally-probe-XXXXXX";
	int fd = mkstemp(path);
	bool works = fd >= 0 && uid != geteuid() && !fchown(fd, uid, uid);

	unlink(path);
	close(fd);
	return works;
}

/* Return true if ptrace(2) can attach to a process. */
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

/* Return true if the kernel can count this task's CPU time in user space. */
static inline bool probe_task_clock(void)
{
	/* The first 64 bytes of perf_event_attr, which every kernel accepts: software event 1
	 * (task-clock), exclude_kernel and exclude_hv. */
	const uint64_t attr[8] = {1 | 64ull << 32, 1, 0, 0, 0, 1 << 5 | 1 << 6};
	int fd;

	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Return the modification time of a newly written file. */
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

/* Wait until a newly written file gets a later modification time than existing files. Modification
 * times have the resolution of the clock tick or, on some file systems, of one second. */
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
