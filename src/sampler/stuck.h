/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that open here and never happen: a count of 0 says nothing then. */
#ifndef TALLY_SAMPLER_STUCK_H
#define TALLY_SAMPLER_STUCK_H

#include "client/probe.h"
#include "sampler/messages.h"

/* If events of this kind never happen here, which is tried (tally_probe_fires()), warn of it: of
 * the event called `name`, and `what` comes of it. Whether it was warned of. */
bool tally_stuck_warn(const struct tally_transport *transport, const char *name,
		      const struct perf_event_attr *attr, const char *what,
		      const struct tally_messages *messages);

#endif
