/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SAMPLER_EVENT_CPUS_H
#define TALLY_SAMPLER_EVENT_CPUS_H

#include "base/messages.h"
#include "tally/client.h"

/* Warn about events that have none of the selected CPUs, and about members of groups that are
 * opened separately because their CPUs are not those of the group. `done` is a
 * participle such as "counted". */
void tally_event_cpus_warn(const struct tally_counters *counters,
			   const struct tally_event_list *list, const char *done,
			   const struct tally_messages *messages);

#endif
