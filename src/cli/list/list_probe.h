/* SPDX-License-Identifier: BSD-2-Clause */
/* Check whether this machine can count an event. */
#ifndef TALLY_CLI_LIST_PROBE_H
#define TALLY_CLI_LIST_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "tally/client.h"
#include "tally/events.h"

/* Cached result for all events of a kind and attr type. */
struct list_probe {
	enum tally_event_kind kind;
	uint32_t type;
	const char *why; /* NULL if the events can be counted */
};

struct list_prober {
	struct tally_events *events;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_arena arena; /* holds the reasons */
	TALLY_VEC(struct list_probe) probes;
	bool off; /* do not probe, because the list is for another machine */
};

/* Initialize the prober; `off` disables probing. Return 0 or -ENOMEM. */
int list_prober_init(struct list_prober *prober, struct tally_events *events, bool off);
void list_prober_free(struct list_prober *prober);

/* Return the reason why this machine cannot count an event. Return NULL if the machine can count
 * the event or if the answer is unknown. The string is valid until the prober is freed. Results
 * common to all events of a kind are cached. */
const char *list_prober_why_not(struct list_prober *prober, const struct tally_event_info *info);

/* Return true if events like this one are probed. */
bool list_prober_knows(const struct list_prober *prober, const struct tally_event_info *info);

#endif
