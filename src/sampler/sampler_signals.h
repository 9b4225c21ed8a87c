/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals read from a descriptor, so that none is missed between a check and poll(2). */
#ifndef TALLY_SAMPLER_SIGNALS_H
#define TALLY_SAMPLER_SIGNALS_H

#include <stddef.h>

/*
 * Block the signals, and return a nonblocking descriptor to read them from, or -errno of
 * signalfd(2). Call this before starting threads or children. Ignored signals stay ignored (nohup),
 * except two: SIGINT, which should end a background job of a script; and SIGCHLD, without which the
 * status of a command would be lost.
 */
int tally_signals_open(const int *wanted, size_t nr);

#endif
