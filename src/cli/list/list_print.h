/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the list as grouped text or as JSON. */
#ifndef TALLY_CLI_LIST_PRINT_H
#define TALLY_CLI_LIST_PRINT_H

#include "base/str.h"
#include "cli/list/list.h"
#include "cli/list/list_probe.h"
#include "tally/events.h"

/* Output state. Events are printed in the order in which they are passed. */
struct list_printer {
	const struct list_config *config;
	struct list_prober prober;
	struct tally_events_table table;
	struct tally_str out;
	char heading[128]; /* the heading that was printed last */
	size_t nr;
};

void list_print_begin(struct list_printer *printer);
void list_print(struct list_printer *printer, const struct tally_event_info *info);
void list_print_end(struct list_printer *printer);

#endif
