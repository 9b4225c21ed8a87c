/* SPDX-License-Identifier: BSD-2-Clause */
/* Detect events that can be opened on this machine but never occur, so that a count of 0 is
 * meaningless. */
#ifndef TALLY_SAMPLER_STUCK_H
#define TALLY_SAMPLER_STUCK_H

#include "client/client_probe.h"
#include "base/messages.h"

/* Probe whether events of this kind occur on this machine (tally_probe_fires()). If not, warn about
 * the event `name`; `what` is the consequence. Returns true if it warned. */
bool tally_stuck_warn(const struct tally_transport *transport, const char *name,
		      const struct perf_event_attr *attr, const char *what,
		      const struct tally_messages *messages);

#endif
