/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leave out the callees of functions that match a pattern: a sample below such a function counts as
 * a sample of the function. If several functions of a callchain match, the outermost one counts.
 */
#ifndef TALLY_PROFILE_PROCESS_IGNORE_CALLEES_H
#define TALLY_PROFILE_PROCESS_IGNORE_CALLEES_H

#include <regex.h>

#include "profile/process/feed.h"

struct tally_ignore_callees {
	regex_t pattern;
	bool is_set; /* otherwise nothing is left out */
	TALLY_VEC(uint64_t) chain;
};

/* Set the pattern, an extended regular expression. Returns 0, -EINVAL if it is wrong, or
 * -ENOMEM. */
int tally_ignore_callees_set(struct tally_ignore_callees *ignore, const char *pattern);

/* Change the address and callchain of a sample. The callchain is valid until the next call. Returns
 * 0 or -ENOMEM. */
int tally_ignore_callees_apply(struct tally_ignore_callees *ignore, struct tally_machine *machine,
			       struct tally_feed_sample *sample);

void tally_ignore_callees_free(struct tally_ignore_callees *ignore);

#endif
