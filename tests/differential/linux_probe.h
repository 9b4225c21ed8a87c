/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine's kernel can do, found out by doing it with events of the calling task. */
#ifndef TALLY_TESTS_DIFFERENTIAL_LINUX_PROBE_H
#define TALLY_TESTS_DIFFERENTIAL_LINUX_PROBE_H

#include <stdbool.h>
#include <stdint.h>

bool linux_probe_events(void);

/* Calls of sched_rr_get_interval() are counted by the tracepoint with this id. */
bool linux_probe_tracepoint(uint64_t id);

/* Stores to a watched variable are counted. Some virtual machines open breakpoints and lose the
 * debug registers, so that none of them ever fires. */
bool linux_probe_breakpoints(void);

#endif
