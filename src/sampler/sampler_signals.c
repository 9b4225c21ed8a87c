/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sampler_signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

/* Return true if the signal is ignored and must remain ignored. It must not be blocked, because
 * signalfd would deliver it even though it is ignored. */
static bool is_to_be_ignored(int number)
{
	struct sigaction action;

	return number != SIGINT && number != SIGCHLD && !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

int tally_signals_open(const int *wanted, size_t nr)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < nr; i++) {
		if (!is_to_be_ignored(wanted[i]))
			sigaddset(&set, wanted[i]);
		if (wanted[i] == SIGCHLD)
			signal(SIGCHLD, SIG_DFL);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
