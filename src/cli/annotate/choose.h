/* SPDX-License-Identifier: BSD-2-Clause */
/* Select the events to show together, and select and sort the functions to show. */
#ifndef TALLY_CLI_ANNOTATE_CHOOSE_H
#define TALLY_CLI_ANNOTATE_CHOOSE_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/annotate/annotate.h"

/* Events shown in adjacent columns. */
struct annotate_group {
	uint32_t first, nr;    /* range in annotate_groups.events */
	struct tally_str name; /* "cycles", "anon group { cycles, instructions }" */
};

/* Groups of events. A zero-initialised structure has no groups. */
struct annotate_groups {
	TALLY_VEC(struct annotate_group) all;
	TALLY_VEC(uint32_t) events;
	TALLY_VEC(const char *) names; /* indexed by event number */
};

/* Group the recording's events that have samples. Recorded groups stay together, and every other
 * event is a group of its own. If `config->is_grouped` is set, all events form one group. Return 0,
 * -ENOMEM, or an error from tally_perfdata_env(). */
int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate, struct annotate_groups *ret_groups);
void annotate_groups_free(struct annotate_groups *groups);

/* Functions to show, heaviest first. */
struct annotate_functions {
	TALLY_VEC(const struct tally_annotate_function *) all;
};

/* Find the selected functions that have samples of a group's events. A function that the user named
 * is also found if only its callees have samples. Return 0 or -ENOMEM. */
int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct annotate_groups *groups,
			    const struct annotate_group *group,
			    struct annotate_functions *ret_functions);

#endif
