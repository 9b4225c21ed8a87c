/* SPDX-License-Identifier: BSD-2-Clause */
/* Select the events to show together, and select and sort the functions to show. */
#ifndef TALLY_CLI_ANNOTATE_CHOOSE_H
#define TALLY_CLI_ANNOTATE_CHOOSE_H

#include "base/vec.h"
#include "cli/annotate/annotate.h"
#include "session/event_groups.h"

/* Group the recording's events that have samples; see tally_event_groups_find(). */
int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate,
			 struct tally_event_groups *ret_groups);

/* Functions to show, heaviest first. */
struct annotate_functions {
	TALLY_VEC(const struct tally_annotate_function *) all;
};

/* Find the selected functions that have samples of a group's events. A function that the user named
 * is also found if only its callees have samples. Return 0 or -ENOMEM. */
int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct tally_event_groups *groups,
			    const struct tally_event_group *group,
			    struct annotate_functions *ret_functions);

#endif
