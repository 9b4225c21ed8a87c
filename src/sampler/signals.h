/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals that come through a descriptor, so that none is missed between a check and poll(2). */
#ifndef TALLY_SAMPLER_SIGNALS_H
#define TALLY_SAMPLER_SIGNALS_H

#include <stddef.h>

/*
 * Block these signals, before anything is started, and have them read from a descriptor, which does
 * not block. Those that were ignored stay so (nohup), but for SIGINT: a script's job in the
 * background is ended by it; and SIGCHLD, without which a command's status would be lost. The
 * descriptor, or -errno of signalfd(2).
 */
int tally_signals_open(const int *wanted, size_t nr);

#endif
