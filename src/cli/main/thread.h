/* SPDX-License-Identifier: BSD-2-Clause */
/* Additional threads. */
#ifndef TALLY_CLI_MAIN_THREAD_H
#define TALLY_CLI_MAIN_THREAD_H

#include <pthread.h>

/* Start a thread that handles no signals: handlers run in the main thread, as that of SIGTSTP
 * writes to the terminal. Faults are not blocked, because the kernel kills a program that blocks
 * one, and each thread must survive a mapped file that becomes shorter (truncation.h). Returns 0 or
 * the negated error of pthread_create(3). */
int tally_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
