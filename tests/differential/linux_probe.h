/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes for features of the running kernel, which open events on the calling task. */
#ifndef TALLY_TESTS_DIFFERENTIAL_LINUX_PROBE_H
#define TALLY_TESTS_DIFFERENTIAL_LINUX_PROBE_H

#include <stdbool.h>
#include <stdint.h>

bool linux_probe_events(void);

/* Return true if the tracepoint with this ID counts calls to sched_rr_get_interval(). */
bool linux_probe_tracepoint(uint64_t id);

/* Return true if stores to a watched variable are counted. Some virtual machines accept breakpoints
 * but lose the debug registers, so breakpoints never fire. */
bool linux_probe_breakpoints(void);

#endif
