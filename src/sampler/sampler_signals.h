/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals are read from a descriptor, so that a signal between a check and poll(2) is not
 * missed. */
#ifndef TALLY_SAMPLER_SIGNALS_H
#define TALLY_SAMPLER_SIGNALS_H

#include <stddef.h>

/*
 * Block the signals, and return a nonblocking descriptor to read them from, or -errno from
 * signalfd(2). Call this before starting threads or children. Ignored signals stay ignored (nohup),
 * with two exceptions: SIGINT, which should terminate background jobs of scripts, and SIGCHLD,
 * without which the command's exit status would be lost.
 */
int tally_signals_open(const int *wanted, size_t nr);

#endif
