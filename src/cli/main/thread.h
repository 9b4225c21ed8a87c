/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads beside the main one. */
#ifndef TALLY_CLI_MAIN_THREAD_H
#define TALLY_CLI_MAIN_THREAD_H

#include <pthread.h>

/* Start a thread that no signal is handled in: handlers are for the main thread, that of SIGTSTP
 * writes to the terminal. Faults are not blocked, as the kernel ends a program that blocks one: a
 * mapped file that becomes shorter is survived in every thread (truncation.h). 0, or the negative
 * error of pthread_create(3). */
int tally_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
