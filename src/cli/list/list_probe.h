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
	const char *why; /* NULL: they can be counted */
};

struct list_prober {
	struct tally_events *events;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_arena arena; /* holds the reasons */
	TALLY_VEC(struct list_probe) probes;
	bool off; /* do not probe: the list is for another machine */
};

/* Returns 0 or -ENOMEM. */
int list_prober_init(struct list_prober *prober, struct tally_events *events, bool off);
void list_prober_free(struct list_prober *prober);

/* Return the reason why this machine cannot count an event; NULL if it can or if that is unknown.
 * The string lives as long as the prober. Results common to all events of a kind are cached. */
const char *list_prober_why_not(struct list_prober *prober, const struct tally_event_info *info);

/* True if events like this one are probed. */
bool list_prober_knows(const struct list_prober *prober, const struct tally_event_info *info);

#endif
