/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sampler/sampler_signals.h"

#include <cmocka.h>

/* Return the number of a received signal, or 0. */
static uint32_t next_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) == sizeof(info))
		return info.ssi_signo;
	assert_int_equal(errno, EAGAIN);
	return 0;
}

/* Check that signals ignored at startup, as under nohup and in shell scripts, stay ignored. */
static void ignored_signals_stay_ignored(void **state)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	struct sigaction action;
	int fd;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	fd = tally_signals_open(wanted, sizeof(wanted) / sizeof(wanted[0]));
	assert_true(fd >= 0);
	raise(SIGHUP);
	assert_int_equal(next_signal(fd), 0);
	raise(SIGINT);
	assert_int_equal(next_signal(fd), SIGINT);
	raise(SIGTERM);
	assert_int_equal(next_signal(fd), SIGTERM);
	assert_int_equal(sigaction(SIGCHLD, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_DFL);
	raise(SIGCHLD);
	assert_int_equal(next_signal(fd), SIGCHLD);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ignored_signals_stay_ignored)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
