/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_profile.h"

#include <errno.h>

#include "base/arith.h"
#include "profile/process/branch_stack.h"
#include "session/session_events.h"
#include "session/session_private.h"

/* ---- profiles ------------------------------------------------------------------- */

struct profiling {
	const struct tally_session_profile_options *options;
	struct tally_session *session;
	struct tally_profile *profile;
	bool was_tried;  /* profiling_start() was called */
	bool is_started; /* the profile is initialized */
	bool may_split;  /* samples may be resolved in another thread */
};

static int profiling_start(struct profiling *profiling)
{
	const struct tally_session_profile_options *options = profiling->options;
	struct tally_profile_options made = {0};
	int ret = options->start(options->arg, profiling->session, &made);

	profiling->was_tried = true;
	if (!ret)
		ret = tally_machine_add_cut(profiling->session->machine);
	/* Adding samples must not need symbols. options->start() decides about branches. */
	made.is_split = profiling->may_split && !options->resolves && !options->branches;
	if (!ret)
		ret = tally_profile_init(profiling->profile, profiling->session->machine, &made);
	profiling->is_started = !ret;
	return ret;
}

static int profiling_add(struct profiling *profiling, const struct tally_perfdata_record *record,
			 struct tally_feed_sample *sample)
{
	const struct tally_session_profile_options *options = profiling->options;
	int ret = options->sample ? options->sample(options->arg, record, sample) : 0;

	if (ret == TALLY_SESSION_LEAVE_OUT)
		return 0;
	return ret ? ret : tally_profile_add(profiling->profile, sample);
}

struct branch_adding {
	struct profiling *profiling;
	const struct tally_perfdata_record *record;
};

static int profiling_add_branch(void *arg, struct tally_feed_sample *branch)
{
	const struct branch_adding *adding = arg;

	return profiling_add(adding->profiling, adding->record, branch);
}

static int profiling_record(void *arg, struct tally_session *session,
			    const struct tally_perfdata_record *record,
			    struct tally_feed_sample *sample)
{
	struct profiling *profiling = arg;
	const struct tally_session_profile_options *options = profiling->options;
	int ret = 0;

	if (!sample)
		return options->other && !profiling->profile->in_second_pass
			       ? options->other(options->arg, record)
			       : 0;
	if (!profiling->was_tried)
		ret = profiling_start(profiling);
	if (ret ||
	    (options->only_event && !tally_event_is_chosen(options->event_number, sample->event)))
		return ret;
	if (options->branches)
		return tally_branches_each(session->machine, sample, profiling_add_branch,
					   &(struct branch_adding){profiling, record});
	if (options->weights)
		sample->period = TALLY_MAX(tally_sample_weight(&sample->sample), UINT64_C(1));
	return profiling_add(profiling, record, sample);
}

/* Read the file again to find the callers of marked buckets. The first pass has reported errors of
 * the file. */
static int profiling_callers(struct profiling *profiling)
{
	const struct tally_session_profile_options *options = profiling->options;
	struct tally_profile *profile = profiling->profile;
	const uint64_t *wanted;
	uint64_t nr;
	int ret = 0;

	if (!profile->options.second_pass)
		return 0;
	for (uint32_t i = 0; i < profile->totals.len && !ret; i++)
		ret = options->mark(options->arg, profile, i);
	if (!ret)
		ret = tally_profile_second_pass(profile, &wanted, &nr);
	if (ret > 0)
		ret = tally_session_rerun(profiling->session, wanted, nr, profiling_record,
					  profiling);
	return ret == -EINVAL ? 0 : TALLY_MIN(ret, 0);
}

static int profiling_finish(struct profiling *profiling)
{
	int ret = tally_profile_flush(profiling->profile);

	if (!ret)
		ret = tally_check_events(profiling->session, profiling->profile);
	if (!ret)
		ret = tally_check_event_number(profiling->session,
					       profiling->options->event_number);
	if (!ret)
		ret = profiling_callers(profiling);
	if (!ret)
		ret = tally_profile_finish(profiling->profile);
	if (ret)
		tally_profile_free(profiling->profile);
	return ret;
}

int tally_session_profile(struct tally_session *session,
			  const struct tally_session_profile_options *options,
			  struct tally_profile *profile)
{
	struct profiling profiling = {.options = options, .session = session, .profile = profile};
	int ret, finished = 0;

	tally_machine_show_hidden(session->machine);
	profiling.may_split = tally_session_split(session);
	ret = tally_session_run(session, profiling_record, &profiling);
	if (!profiling.was_tried && (!ret || ret == -EINVAL))
		finished = profiling_start(&profiling);
	if (profiling.is_started)
		finished = profiling_finish(&profiling);
	if (finished == -ENOMEM)
		tally_session_out_of_memory(session);
	if (!ret && !finished && session->is_cut)
		return -EINVAL;
	return ret ? ret : finished;
}

/* ---- costs by address ------------------------------------------------------------- */

struct annotating {
	struct tally_annotate *samples;
	const uint64_t *wanted; /* bitmap, or NULL for all samples */
	uint64_t nr;
};

static bool is_wanted(const struct annotating *annotating, uint64_t number)
{
	if (!annotating->wanted)
		return true;
	number = TALLY_MIN(number, (uint64_t)UINT32_MAX); /* see struct tally_kept */
	return number < annotating->nr && tally_bit_is_set(annotating->wanted, number);
}

static int annotating_record(void *arg, struct tally_session *session,
			     const struct tally_perfdata_record *record,
			     struct tally_feed_sample *sample)
{
	struct annotating *annotating = arg;

	(void)session;
	(void)record;
	if (!sample || !is_wanted(annotating, sample->number))
		return 0;
	return tally_annotate_add(annotating->samples, sample);
}

int tally_session_annotate(struct tally_session *session, struct tally_annotate *samples)
{
	struct annotating annotating = {.samples = samples};
	int ret = tally_session_run(session, annotating_record, &annotating), finished = 0;

	if (!ret || ret == -EINVAL)
		finished = tally_annotate_finish(samples);
	if (finished == -ENOMEM)
		tally_session_out_of_memory(session);
	return finished ? finished : ret;
}

int tally_session_annotate_again(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
				 struct tally_annotate *samples)
{
	struct annotating annotating = {.samples = samples, .wanted = wanted, .nr = nr};
	int ret = tally_session_rerun(session, NULL, 0, annotating_record, &annotating);

	return ret && ret != -EINVAL ? ret : tally_annotate_finish(samples);
}
