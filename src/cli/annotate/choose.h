/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events are shown together, and which functions of them in which order. */
#ifndef TALLY_CLI_ANNOTATE_CHOOSE_H
#define TALLY_CLI_ANNOTATE_CHOOSE_H

#include "base/str.h"
#include "base/vec.h"
#include "cli/annotate/annotate.h"

/* Events that have columns beside each other. */
struct annotate_group {
	uint32_t first, nr;    /* in the events of the groups */
	struct tally_str name; /* "cycles", "anon group { cycles, instructions }" */
};

/* All zero is none. */
struct annotate_groups {
	TALLY_VEC(struct annotate_group) all;
	TALLY_VEC(uint32_t) events;
	TALLY_VEC(const char *) names; /* of all events */
};

/* The groups of a recording's events that have samples: each event by itself, those that were
 * recorded as a group together, or all with `config->is_grouped`. 0, -ENOMEM, or an error of
 * tally_perfdata_env(). */
int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate, struct annotate_groups *ret_groups);
void annotate_groups_free(struct annotate_groups *groups);

/* Functions that are shown, the heaviest first. */
struct annotate_functions {
	TALLY_VEC(const struct tally_annotate_function *) all;
};

/* Those wanted that have samples of a group's events; with a name that was given, also those that
 * only called. 0 or -ENOMEM. */
int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct annotate_groups *groups,
			    const struct annotate_group *group,
			    struct annotate_functions *ret_functions);

#endif
