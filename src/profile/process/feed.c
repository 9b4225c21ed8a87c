/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/process/feed.h"

#include <errno.h>
#include <time.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/endian.h"
#include "symbols/jit/jit_code.h"

void tally_feed_damaged(struct tally_feed *feed, uint32_t type)
{
	feed->counts.damaged++;
	feed->counts.damaged_samples += type == PERF_RECORD_SAMPLE;
}

/* Return the period of a sample. If the attr specifies a frequency rather than a period, only the
 * sample itself contains the period. */
static uint64_t sample_period(const struct perf_event_attr *attr, const struct tally_sample *sample)
{
	if (sample->present & PERF_SAMPLE_PERIOD)
		return sample->period;
	return !attr->freq && attr->sample_period ? attr->sample_period : 1;
}

/* Return a sample's timestamp if the event uses CLOCK_MONOTONIC, the clock of JIT compilers.
 * Otherwise return TALLY_TIME_UNKNOWN. */
static uint64_t sample_moment(const struct perf_event_attr *attr, const struct tally_sample *sample)
{
	bool is_theirs = attr->use_clockid && attr->clockid == CLOCK_MONOTONIC;

	return is_theirs && sample->present & PERF_SAMPLE_TIME ? sample->time : TALLY_TIME_UNKNOWN;
}

/* Complete a decoded sample and pass it on. */
static int sample_pass(struct tally_feed *feed, struct tally_feed_sample *sample)
{
	const struct tally_sample *decoded = &sample->sample;
	uint64_t time = decoded->present & PERF_SAMPLE_TIME ? decoded->time : 0;

	sample->cpumode = tally_record_header(sample->record).misc & PERF_RECORD_MISC_CPUMODE_MASK;
	sample->thread = tally_machine_sample_thread(feed->machine, decoded->pid, decoded->tid,
						     sample->cpumode, time);
	if (!sample->thread)
		return -ENOMEM;
	tally_machine_set_time(feed->machine, sample_moment(sample->attr, decoded));
	sample->period = sample_period(sample->attr, decoded);
	sample->number = 0;
	sample->branch = NULL;
	sample->label = 0;
	return feed->on_sample(feed->arg, sample);
}

static int feed_sample(struct tally_feed *feed, const struct tally_feed_event *event,
		       const void *record, size_t size)
{
	struct tally_feed_sample sample; /* large; initialized by the decoder and sample_pass() */
	struct tally_error err = {0};
	uint64_t cookie;

	if (!event->layout ||
	    tally_sample_decode(event->layout, record, size, &sample.sample, &err)) {
		if (!feed->counts.damage)
			feed->counts.damage = err.text;
		tally_feed_damaged(feed, PERF_RECORD_SAMPLE);
		return 0;
	}
	feed->counts.samples++;
	if (feed->joins && event->attr->defer_callchain &&
	    tally_deferred_cookie(sample.sample.callchain, &cookie))
		return tally_deferred_add(&feed->deferred, sample.sample.tid, cookie,
					  &(struct tally_deferred_sample){
						  .layout = event->layout,
						  .attr = event->attr,
						  .event = event->index,
						  .record = record,
						  .tag = event->tag,
						  .size = size,
						  .tag_size = event->tag_size,
					  });
	sample.attr = event->attr;
	sample.event = event->index;
	sample.record = record;
	sample.tag = event->tag;
	return sample_pass(feed, &sample);
}

/* ---- waiting samples ------------------------------------------------------- */

static int feed_callers(struct tally_feed *feed, const struct tally_feed_event *event,
			const void *record, size_t size)
{
	size_t trailer = event->layout ? tally_trailer_size(event->layout) : 0;
	struct tally_callers_deferred deferred;
	struct tally_sample from = {.tid = -1};

	if (tally_record_callers_deferred(record, size, trailer, &deferred) ||
	    (event->layout && tally_trailer_decode(event->layout, record, size, &from, NULL))) {
		tally_feed_damaged(feed, PERF_RECORD_CALLCHAIN_DEFERRED);
		return 0;
	}
	return tally_deferred_join(&feed->deferred, from.tid, deferred.cookie, deferred.callers);
}

/* Make waiting samples ready if a record contains their callers, or shows that the callers will not
 * arrive. Return 0 or -ENOMEM. */
static int feed_release(struct tally_feed *feed, const struct tally_feed_event *event,
			const void *record, size_t size)
{
	struct tally_comm comm;
	struct tally_task task;

	switch (tally_record_header(record).type) {
	case PERF_RECORD_CALLCHAIN_DEFERRED: return feed_callers(feed, event, record, size);
	case PERF_RECORD_EXIT:
		if (!tally_record_task(record, size, &task))
			tally_deferred_release(&feed->deferred, task.tid);
		return 0;
	case PERF_RECORD_COMM:
		if (!tally_record_comm(record, size, &comm) && comm.exec)
			tally_deferred_release(&feed->deferred, comm.tid);
		return 0;
	default: return 0;
	}
}

static int chain_push(struct tally_feed *feed, struct tally_words words)
{
	int ret = tally_vec_reserve(&feed->chain, feed->chain.len + words.nr);

	for (uint64_t i = 0; i < words.nr && !ret; i++)
		feed->chain.data[feed->chain.len++] = tally_words_get(words, i);
	return ret;
}

/* Replace the marker and cookie at the end of a callchain with the callers. The callers begin with
 * their own marker, or with an added PERF_CONTEXT_USER. */
static int chain_join(struct tally_feed *feed, const struct tally_deferred_sample *waited,
		      struct tally_sample *sample)
{
	struct tally_words callers = waited->callers;
	int ret;

	sample->callchain.nr -= 2;
	if (!waited->is_joined || !callers.nr)
		return 0;
	feed->chain.len = 0;
	ret = chain_push(feed, sample->callchain);
	if (!ret && tally_context_cpumode(tally_words_get(callers, 0)) == -2)
		ret = tally_vec_push(&feed->chain, (uint64_t)PERF_CONTEXT_USER);
	if (!ret)
		ret = chain_push(feed, callers);
	sample->callchain =
		(struct tally_words){(const uint8_t *)feed->chain.data, feed->chain.len};
	return ret;
}

/* Pass on the samples that are ready, in the order in which they became ready. */
static int feed_ready(struct tally_feed *feed)
{
	struct tally_deferred_sample waited;
	struct tally_feed_sample sample;
	int ret = 0;

	while (!ret && tally_deferred_next(&feed->deferred, &waited)) {
		feed->counts.unjoined += !waited.is_joined;
		/* Cannot fail: decoding already succeeded when the sample was fed. */
		(void)tally_sample_decode(waited.layout, waited.record, waited.size, &sample.sample,
					  NULL);
		if (chain_join(feed, &waited, &sample.sample))
			return -ENOMEM;
		sample.attr = waited.attr;
		sample.event = waited.event;
		sample.record = waited.record;
		sample.tag = waited.tag;
		ret = sample_pass(feed, &sample);
	}
	return ret;
}

int tally_feed_end(struct tally_feed *feed)
{
	tally_deferred_release_all(&feed->deferred);
	return feed_ready(feed);
}

void tally_feed_init(struct tally_feed *feed, struct tally_machine *machine,
		     tally_feed_fn *on_sample, void *arg)
{
	*feed = (struct tally_feed){.machine = machine, .on_sample = on_sample, .arg = arg};
}

void tally_feed_free(struct tally_feed *feed)
{
	tally_deferred_free(&feed->deferred);
	tally_vec_free(&feed->chain);
}

/* ---- records --------------------------------------------------------------- */

/* Return the word at offset `at`, or 0 if the record is too short. */
static uint64_t record_word(const void *record, size_t size, size_t at)
{
	return size >= at + 8 ? tally_get_u64((const uint8_t *)record + at) : 0;
}

/* Count lost records. LOST contains an ID and a count, LOST_SAMPLES only a count. */
static void feed_lost(struct tally_feed_counts *counts, uint32_t type, const void *record,
		      size_t size)
{
	enum { LOST_NR = 16, LOST_SAMPLES_NR = 8 };

	switch (type) {
	case PERF_RECORD_LOST:
		tally_sum_add(&counts->lost_records, record_word(record, size, LOST_NR));
		break;
	case PERF_RECORD_LOST_SAMPLES:
		tally_sum_add(&counts->lost_samples, record_word(record, size, LOST_SAMPLES_NR));
		break;
	case PERF_RECORD_THROTTLE: counts->throttled++; break;
	}
}

int tally_feed_record(struct tally_feed *feed, const struct tally_feed_event *event,
		      const void *record, size_t size)
{
	uint32_t type;
	int ret = 0;

	if (size < sizeof(struct perf_event_header)) {
		tally_feed_damaged(feed, 0);
		return 0;
	}
	if (feed->deferred.first)
		ret = feed_release(feed, event, record, size);
	if (!ret && feed->deferred.ready)
		ret = feed_ready(feed);
	if (ret)
		return ret;
	type = tally_record_header(record).type;
	if (type == PERF_RECORD_SAMPLE)
		return feed_sample(feed, event, record, size);
	feed_lost(&feed->counts, type, record, size);
	return tally_machine_record(feed->machine, record, size);
}
