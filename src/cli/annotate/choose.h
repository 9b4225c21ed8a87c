/* SPDX-License-Identifier: BSD-2-Clause */
/* Select the events to show together, and select and sort the functions to show. */
#ifndef TALLY_CLI_ANNOTATE_CHOOSE_H
#define TALLY_CLI_ANNOTATE_CHOOSE_H

#include "base/vec.h"
#include "cli/annotate/annotate.h"
#include "profile/annotate/inlined_uses.h"
#include "session/event_groups.h"

/* Group the recording's events that have samples; see tally_event_groups_find(). */
int annotate_groups_find(const struct annotate_config *config, struct tally_session *session,
			 const struct tally_annotate *annotate,
			 struct tally_event_groups *ret_groups);

/* Functions to show, heaviest first. */
struct annotate_functions {
	TALLY_VEC(const struct tally_annotate_function *) all;
	enum tally_symbol_match match; /* of all functions */
};

/* Find the selected functions that have samples of a group's events. A function that the user named
 * is also found if only its callees have samples. If whole names match, functions that match in
 * part are left out. Return 0 or -ENOMEM. */
int annotate_functions_find(const struct annotate_config *config,
			    const struct tally_annotate *annotate,
			    const struct tally_event_groups *groups,
			    const struct tally_event_group *group,
			    struct annotate_functions *ret_functions);

/* Print an error with the functions that match the user's word, and their shares of the first
 * event's samples. */
void annotate_functions_list(const struct annotate_config *config,
			     const struct tally_annotate *annotate, uint32_t event,
			     const struct annotate_functions *functions);

/* Return true if a part of a name matches several inlined functions. */
bool annotate_inlined_are_mixed(const struct tally_inlined_uses *uses);

/* Print an error with the inlined functions that match the user's word, each with the function that
 * contains it. */
void annotate_inlined_list(const struct annotate_config *config,
			   const struct tally_annotate *annotate, uint32_t event,
			   const struct tally_inlined_uses *uses);

#endif
