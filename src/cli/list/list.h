/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally list share. */
#ifndef TALLY_CLI_LIST_LIST_H
#define TALLY_CLI_LIST_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "sampler/event_source.h"
#include "tally/client.h"
#include "tally/events.h"

struct list_config {
	struct tally_event_source source;
	bool json, no_desc, details, deprecated;
	int verbose;
};

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

/* What is listed: events as they are found, those of tables by topic. */
struct list_printer {
	const struct list_config *config;
	struct list_prober prober;
	struct tally_events_table table;
	struct tally_str out;
	char heading[128]; /* that was printed last */
	size_t nr;
};

void list_print_begin(struct list_printer *printer);
void list_print(struct list_printer *printer, const struct tally_event_info *info);
void list_print_end(struct list_printer *printer);

/* "Hardware event", "Metric". */
const char *list_kind_label(enum tally_event_kind kind);

/* Append the rule that an event is written by: "cpu/event=0xc0/"; nothing for patterns. */
void list_encoding(const struct list_printer *printer, const struct tally_event_info *info,
		   struct tally_str *out);

#endif
