/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of tally list. */
#ifndef TALLY_CLI_LIST_LIST_H
#define TALLY_CLI_LIST_LIST_H

#include <stdbool.h>

#include "sampler/event_source.h"

struct list_config {
	struct tally_event_source source;
	bool json, raw_dump, no_desc, details, deprecated;
	const char *unit;   /* name of a PMU, or NULL for all */
	const char *output; /* or NULL for standard output */
	bool force;         /* replace any file */
	int verbose;
};

#endif
