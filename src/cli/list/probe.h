/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this machine can count what is listed. */
#ifndef TALLY_CLI_LIST_PROBE_H
#define TALLY_CLI_LIST_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "tally/client.h"
#include "tally/events.h"

/* What was found of one kind and attr type: whether events of it can be counted here. */
struct list_probe {
	enum tally_event_kind kind;
	uint32_t type;
	const char *why; /* NULL: they can */
};

struct list_prober {
	struct tally_events *events;
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	struct tally_arena arena; /* of the reasons */
	TALLY_VEC(struct list_probe) probes;
	bool off; /* of another machine nothing can be said */
};

/* 0 or -ENOMEM. */
int list_prober_init(struct list_prober *prober, struct tally_events *events, bool off);
void list_prober_free(struct list_prober *prober);

/* Why this machine cannot count an event, in words that live as long as the prober; NULL if it
 * can, or if nothing is known. Nothing is asked twice that has one answer for all of its kind. */
const char *list_prober_why_not(struct list_prober *prober, const struct tally_event_info *info);

/* Whether the answer to that is known at all. */
bool list_prober_knows(const struct list_prober *prober, const struct tally_event_info *info);

#endif
