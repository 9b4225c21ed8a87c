/* SPDX-License-Identifier: BSD-2-Clause */
/* Selection of events to show together, and of functions and their order. */
#ifndef TALLY_CLI_ANNOTATE_CHOOSE_H
#define TALLY_CLI_ANNOTATE_CHOOSE_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/annotate/annotate.h"

/* Events with columns next to each other. */
struct annotate_group {
	uint32_t first, nr;    /* range in annotate_groups.events */
	struct tally_str name; /* "cycles", "anon group { cycles, instructions }" */
};

/* Zero-initialised: no groups. */
struct annotate_groups {
	TALLY_VEC(struct annotate_group) all;
	TALLY_VEC(uint32_t) events;
	TALLY_VEC(const char *) names; /* by event number */
};

/* Form groups of the recording's events that have samples: recorded groups stay together, other
 * events are alone; with `config->is_grouped` all events form one group. Returns 0, -ENOMEM, or an
 * error of tally_perfdata_env(). */
int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate, struct annotate_groups *ret_groups);
void annotate_groups_free(struct annotate_groups *groups);

/* Functions to show, heaviest first. */
struct annotate_functions {
	TALLY_VEC(const struct tally_annotate_function *) all;
};

/* Find the selected functions that have samples of a group's events. If a function was named, it is
 * also found if it only has callees with samples. Returns 0 or -ENOMEM. */
int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct annotate_groups *groups,
			    const struct annotate_group *group,
			    struct annotate_functions *ret_functions);

#endif
