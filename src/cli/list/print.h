/* SPDX-License-Identifier: BSD-2-Clause */
/* What is listed, as text in groups or as JSON. */
#ifndef TALLY_CLI_LIST_PRINT_H
#define TALLY_CLI_LIST_PRINT_H

#include "base/str.h"
#include "cli/list/list.h"
#include "cli/list/probe.h"
#include "tally/events.h"

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

#endif
