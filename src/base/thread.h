/* SPDX-License-Identifier: BSD-2-Clause */
/* Create additional threads. */
#ifndef TALLY_BASE_THREAD_H
#define TALLY_BASE_THREAD_H

#include <pthread.h>

/* Start a thread with signals blocked, so that handlers run in the main thread; the SIGTSTP
 * handler, for example, writes to the terminal. Fault signals are not blocked: the kernel kills the
 * program if a fault occurs while its signal is blocked, and the program may have a handler that
 * survives a fault in a truncated file. Returns 0 or the negated error of pthread_create(3). */
int tally_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
