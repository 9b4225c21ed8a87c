/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/selftest/selftest_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/main/print.h"
#include "sampler/privileges.h"

enum { MAX_WHY = 1000 };

static enum selftest_result run_here(const struct selftest_case *one, struct selftest *test)
{
	enum selftest_result result;

	if (!one->opens_events)
		return one->run(test);
	tally_privileges_raise();
	result = one->run(test);
	tally_privileges_lower();
	return result;
}

/* Run the case in the child, send the reason for its result to `out`, and exit with the result.
 * Everything else that is printed is discarded, unless -v is given. */
static void run_in_child(const struct selftest_case *one, struct selftest *test, int out)
{
	enum selftest_result result;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	null = test->verbose ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	/* A case that opens no events may read files. */
	if (!one->opens_events && tally_privileges_drop(&tally_print_messages))
		result = selftest_fail(test, "cannot drop the capabilities");
	else
		result = run_here(one, test);
	fflush(stdout);
	(void)tally_file_write_all(out, tally_str_text(&test->why),
				   test->why.len < MAX_WHY ? test->why.len : MAX_WHY);
	_exit((int)result);
}

/* Read from the child until it closes its end. Returns false when the time is over. */
static bool read_reason(int in, struct tally_str *why)
{
	uint64_t end = tally_clock_now() + (uint64_t)SELFTEST_SECONDS * 1000000000;
	struct pollfd polls = {.fd = in, .events = POLLIN};
	char bytes[MAX_WHY];

	for (uint64_t now = tally_clock_now(); now < end; now = tally_clock_now()) {
		int ready = poll(&polls, 1, (int)((end - now) / 1000000) + 1);
		ssize_t len = ready > 0 ? read(in, bytes, sizeof(bytes)) : -1;

		if (!len)
			return true;
		if (len > 0 && why->len + (size_t)len <= MAX_WHY)
			tally_str_add_bytes(why, bytes, (size_t)len);
	}
	return false;
}

static enum selftest_result finish_child(struct selftest *test, pid_t child, bool in_time)
{
	int status = 0;

	if (!in_time)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		return selftest_fail(test, "no result after %d seconds", SELFTEST_SECONDS);
	if (WIFSIGNALED(status))
		return selftest_fail(test, "ended by signal %d (%s)", WTERMSIG(status),
				     strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) > SELFTEST_FAILED)
		return selftest_fail(test, "ended with exit status %d", WEXITSTATUS(status));
	return (enum selftest_result)WEXITSTATUS(status);
}

enum selftest_result selftest_run(const struct selftest_case *one, struct selftest *test,
				  bool no_fork)
{
	int ends[2];
	bool in_time, changed;
	pid_t child;

	tally_str_clear(&test->why);
	if (no_fork)
		return run_here(one, test);
	if (pipe2(ends, O_CLOEXEC))
		return selftest_fail(test, "cannot open a pipe: %s", strerror(errno));
	fflush(stdout);
	changed = tally_privileges_fork_begin();
	child = fork();
	if (!child) {
		close(ends[0]);
		run_in_child(one, test, ends[1]);
	}
	tally_privileges_fork_end(changed);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return selftest_fail(test, "cannot start a process: %s", strerror(errno));
	}
	if (test->verbose)
		printf("test child forked, pid %d\n", (int)child);
	fflush(stdout);
	in_time = read_reason(ends[0], &test->why);
	close(ends[0]);
	return finish_child(test, child, in_time);
}
