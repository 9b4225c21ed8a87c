/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/thread.h"

#include <signal.h>

#include "base/arith.h"

int tally_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *arg)
{
	static const int faults[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
	sigset_t blocked, before;
	int ret;

	sigfillset(&blocked);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(faults); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	ret = pthread_create(ret_thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -ret;
}
