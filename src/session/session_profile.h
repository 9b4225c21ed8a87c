/* SPDX-License-Identifier: BSD-2-Clause */
/* From a recording to a profile, and from a recording to costs by address. */
#ifndef TALLY_SESSION_PROFILE_H
#define TALLY_SESSION_PROFILE_H

#include "profile/profile_model.h"
#include "profile/annotate/profile_annotate.h"
#include "session/session.h"

/* sample() returns this to leave out the sample. */
#define TALLY_SESSION_LEAVE_OUT 1

/* Members that are NULL or 0 are not used. Callbacks return 0; any other value ends reading. */
struct tally_session_profile_options {
	/* Set the profile's options. Called once: at the first sample, when the events are known,
	 * or after the last record if there are no samples. */
	int (*start)(void *arg, struct tally_session *session,
		     struct tally_profile_options *options);
	/* Called before a sample is added; may set sample->label, or change the callchain. */
	int (*sample)(void *arg, const struct tally_perfdata_record *record,
		      struct tally_feed_sample *sample);
	/* Called for a record without a sample. Not called in the second pass. */
	int (*other)(void *arg, const struct tally_perfdata_record *record);
	/* Mark the buckets of `event` for which callers are needed (tally_hist_mark()). Needed if
	 * the profile has a second pass. */
	int (*mark)(void *arg, struct tally_profile *profile, uint32_t event);
	void *arg;             /* for the callbacks */
	uint64_t event_number; /* 1-based number of an event that must exist, or 0 */
	bool only_event;       /* add only this event's samples */
	/* Add each branch of a sample's branch stack, with its target as address and a period of 1,
	 * in place of the sample. sample() is then called for each branch. */
	bool branches;
	/* sample() uses the machine's symbols, so that samples must be resolved as they are added.
	 */
	bool resolves;
	/* The period of a sample is its weight, or 1 if it has none. Not for branches. */
	bool weights;
};

/* Read the recording to its end, and a second time if the profile needs it, and finish the profile.
 * If the file is damaged or truncated, or a callback ends reading, the profile contains the samples
 * before that point. `profile` must be all zero. If it was finished, possibly despite an error, its
 * machine is not NULL, and it must be freed. Returns 0; -EINVAL for a damaged or truncated file or
 * an unknown event; -E2BIG if there are too many events (tally_check_events()); a callback's value;
 * or another error as in tally_session_run(). Emits an error message, except for callbacks' values
 * other than -ENOMEM. */
int tally_session_profile(struct tally_session *session,
			  const struct tally_session_profile_options *options,
			  struct tally_profile *profile);

/* Read the recording to its end, add its samples to `samples`, and finish. Returns the result of
 * tally_session_run(), or -ENOMEM after emitting an error message; for -EINVAL, the samples before
 * the damage have been added. */
int tally_session_annotate(struct tally_session *session, struct tally_annotate *samples);

/* Read the recording again, add the samples for which `wanted` has a bit, and finish. `wanted` has
 * `nr` bits and is indexed by tally_kept.number. All samples are read, because some threads may be
 * known only from samples. The first pass has reported errors of the file. Returns 0, -ENOMEM, or
 * -ESPIPE for a stream. */
int tally_session_annotate_again(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
				 struct tally_annotate *samples);

#endif
