/* SPDX-License-Identifier: BSD-2-Clause */
/* Read a recording: pass its records to the machine, and its samples to the caller. */
#include <errno.h>
#include <string.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "perfdata/ahead.h"
#include "session/session.h"
#include "session/session_filter.h"
#include "session/session_private.h"

/* ---- samples -------------------------------------------------------------------- */

/* Pass on a record, without a sample if `sample` is NULL. */
static int record_pass(struct tally_session *session, const struct tally_perfdata_record *record,
		       struct tally_feed_sample *sample)
{
	return session->fn(session->arg, session, record, sample);
}

static int sample_pass(void *arg, struct tally_feed_sample *sample)
{
	if (tally_group_reads_has(sample) && !session_switch_passes(arg, sample))
		return 0;
	return record_pass(arg, sample->tag, sample);
}

const struct perf_event_attr *session_attr_by_id(void *arg, uint64_t id, uint32_t *ret_event)
{
	const struct tally_session *session = arg;
	const struct tally_perfdata_event *event = tally_perfdata_event_by_id(session->data, id);

	if (!event)
		return NULL;
	*ret_event = event->index;
	return &event->attr;
}

/* The header, which names the architecture, is needed to unwind stack dumps. The header of a stream
 * is complete at the first sample. */
static int sample_chain(struct tally_session *session, struct tally_feed_sample *sample)
{
	const struct tally_perfdata_env *env;

	/* There were no events with stack dumps when tally_session_split() was called, so the file
	 * is damaged. Another thread may be reading the files that unwinding needs. */
	if (session->is_split)
		sample->sample.stack_user.len = 0;
	if (!session->has_chains && sample->sample.stack_user.len) {
		bool has_env = !tally_perfdata_env(session->data, &env);

		tally_user_chains_init(&session->chains, session->machine,
				       has_env ? env->arch : "");
		session->has_chains = true;
	}
	return tally_user_chain(&session->chains, sample->attr, sample->thread, &sample->sample);
}

/* Return true if the filter rejects the sample. Without filters, which is the common case, the
 * filter function is not called. */
static bool is_filtered_out(struct tally_session *session, const struct tally_feed_sample *sample)
{
	const struct tally_session_filter *filter = &session->options.filter;

	return (session->filter_needs || session->has_comms || session->query ||
		filter->switches.on || filter->switches.off) &&
	       !session_filter_passes(session, sample);
}

/* The header of a stream is complete when its first sample arrives. */
static int origin_at_first(struct tally_session *session)
{
	if (session->has_origin || !tally_perfdata_info(session->data)->is_pipe)
		return 0;
	session->has_origin = true;
	return session_find_origin(session);
}

static int leave_out(void *arg, struct tally_feed_sample *sample)
{
	(void)arg;
	(void)sample;
	return 0;
}

int session_on_sample(void *arg, struct tally_feed_sample *sample)
{
	const struct tally_perfdata_record *record = sample->tag;
	const struct tally_sample *decoded = &sample->sample;
	const struct perf_event_attr *attr = sample->attr;
	struct tally_session *session = arg;

	if (origin_at_first(session))
		return -ENOMEM;
	session->was_passed |= record == session->current;
	/* Padding after raw data accounts for up to 7 leftover bytes. More leftover bytes indicate
	 * a wrong record size, which hides the records that follow. */
	session->health.long_samples += decoded->left >= 8 && !record->event->is_partial;
	sample->number = record->number;
	if (is_filtered_out(session, sample)) {
		/* The counters of later samples are compared with those of this one. */
		int ret = tally_group_reads_pass(&session->reads, sample, leave_out, NULL);

		return ret ? ret : record_pass(session, record, NULL);
	}
	session->health.branches +=
		decoded->branches.nr && !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	if (sample_chain(session, sample))
		return -ENOMEM;
	return tally_group_reads_pass(&session->reads, sample, sample_pass, session);
}

/* ---- records -------------------------------------------------------------------- */

static int session_record(struct tally_session *session, const struct tally_perfdata_record *record)
{
	struct tally_feed_event event = {0};
	int ret;

	session->health.out_of_order += !!(record->flags & TALLY_PERFDATA_LATE);
	if (record->flags & TALLY_PERFDATA_DAMAGED) {
		tally_feed_damaged(&session->feed, record->type);
		return 0;
	}
	if (record->event)
		event = (struct tally_feed_event){.layout = record->event->layout,
						  .attr = &record->event->attr,
						  .index = record->event->index,
						  .tag = record,
						  .tag_size = sizeof(*record)};
	session->current = record;
	session->was_passed = false;
	ret = session->is_again ? 0 : tally_traces_add(&session->traces, record);
	if (!ret)
		ret = tally_feed_record(&session->feed, &event, record->data, record->size);
	return ret || session->was_passed ? ret : record_pass(session, record, NULL);
}

bool tally_session_sums_losses(const struct tally_session *session)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		if (event->attr.read_format & PERF_FORMAT_LOST)
			return true;
	}
	return false;
}

struct tally_session_lost tally_session_lost(const struct tally_session *session)
{
	const struct tally_feed_counts *counts = &session->feed.counts;

	if (tally_session_sums_losses(session))
		return (struct tally_session_lost){
			.records = TALLY_MAX(counts->lost_records, counts->lost_samples)};
	return (struct tally_session_lost){counts->lost_records, counts->lost_samples};
}

/* Fail if there are samples but none of them can be decoded. */
static int check_samples(const struct tally_session *session)
{
	const struct tally_feed_counts *counts = &session->feed.counts;

	if (counts->samples || !counts->damaged_samples)
		return 0;
	tally_message_error(session->options.messages,
			    "%s: none of its %llu samples can be decoded", session->name,
			    (unsigned long long)counts->damaged_samples);
	return -EINVAL;
}

static int ignore_record(void *arg, struct tally_session *session,
			 const struct tally_perfdata_record *record,
			 struct tally_feed_sample *sample)
{
	return 0;
}

/* Return true if the file was truncated while being read, in either pass. Any other error is then a
 * consequence of the truncation. */
static bool session_is_cut(struct tally_session *session, struct tally_error *err)
{
	if (session->is_cut || !tally_perfdata_check(session->data, err))
		return false;
	session->is_cut = true;
	return true;
}

/* Pass all records to the callback. Returns 0 or an error from reading. `*ret_done` is the value
 * with which the callback ended reading, or 0. */
static int session_read(struct tally_session *session, int *ret_done, struct tally_error *err)
{
	const struct tally_progress *progress = session->options.progress;
	uint64_t size = tally_perfdata_info(session->data)->file_size;
	struct tally_perfdata_record record;
	int ret, done = 0;

	if (tally_session_jobs(session) > (session->is_split ? 2 : 1))
		tally_perfdata_read_ahead(session->data);
	while ((ret = tally_perfdata_next_ordered(session->data, &record, err)) > 0) {
		done = session_record(session, &record);
		if (done)
			break;
		if (!(session->feed.counts.samples & 0xffff))
			tally_progress_at(progress, "reading", session->name, record.offset, size);
	}
	tally_perfdata_stop_ahead(session->data);
	tally_progress_end(progress);
	session->current = NULL;
	*ret_done = done ? done : tally_feed_end(&session->feed);
	return ret;
}

int tally_session_run(struct tally_session *session, tally_session_fn *fn, void *arg)
{
	const struct tally_messages *to = session->options.messages;
	struct tally_error err = {0};
	int done, ret;
	bool is_cut;

	session->fn = fn ? fn : ignore_record;
	session->arg = arg;
	ret = session_read(session, &done, &err);
	is_cut = session_is_cut(session, &err);
	ret = is_cut ? -EINVAL : ret;
	if (is_cut || (ret < 0 && !session->is_again))
		session->ended = (struct tally_error){ret, err.text, err.offset};
	if (!session->is_again)
		tally_session_warn(session);
	if (is_cut || (ret < 0 && !session->is_again))
		tally_message_parse_error(to, session->name, ret, err.text ? &err : NULL);
	if (done == -ENOMEM)
		tally_session_out_of_memory(session);
	if (!done && !session->is_again)
		done = session_filter_finish(session);
	if (!done && (!ret || ret == -EINVAL) && fn && !session->is_again && check_samples(session))
		ret = -EINVAL;
	return done ? done : ret;
}

int tally_session_rerun(struct tally_session *session, const uint64_t *wanted, uint64_t nr,
			tally_session_fn *fn, void *arg)
{
	struct tally_session_health health = session->health;
	struct tally_feed_counts counts = session->feed.counts;
	int ret = tally_perfdata_rewind(session->data);

	if (!ret)
		ret = tally_machine_restart(session->machine);
	if (ret)
		return ret;
	tally_group_reads_free(&session->reads);
	session->is_again = true;
	session->is_switched_off = session->options.filter.switches.on != NULL;
	tally_unwinder_restart(&session->chains.unwinder);
	tally_perfdata_select(session->data, wanted, nr);
	ret = tally_session_run(session, fn, arg);
	tally_perfdata_select(session->data, NULL, 0);
	session->health = health;
	session->feed.counts = counts;
	return ret;
}
