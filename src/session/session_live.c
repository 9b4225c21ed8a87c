/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_live.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "abi/abi_record.h"
#include "base/endian.h"

/* ---- setting up -------------------------------------------------------------- */

static int live_ids(struct tally_live *live)
{
	const struct tally_counters *counters = live->sampler->counters;
	size_t threads = tally_counters_nr_threads(counters);
	int ret = 0;

	for (size_t e = 0; e < live->sampler->specs.len; e++) {
		size_t nr = tally_counters_cpus(counters, e)->nr * threads;

		for (size_t i = 0; i < nr && !ret; i++) {
			uint64_t id;

			if (tally_counters_id(counters, e, i / threads, i % threads, &id))
				continue; /* the task had already exited */
			ret = tally_map_set(&live->ids, id, e);
		}
	}
	return ret;
}

int tally_live_init(struct tally_live *live, struct tally_sampler *sampler,
		    const struct tally_symbols_options *symbols)
{
	struct utsname name;
	int ret = 0;

	live->sampler = sampler;
	tally_vec_for_each (spec, &sampler->specs) {
		struct tally_sample_layout layout;

		if (!ret)
			ret = tally_sample_layout_init(&layout, &spec->attr);
		if (!ret)
			ret = tally_vec_push(&live->layouts, layout);
	}
	if (!ret)
		ret = live_ids(live);
	if (!ret)
		ret = tally_symbols_new(symbols, &live->symbols);
	if (!ret)
		ret = tally_machine_new(live->symbols, &live->machine);
	live->feed.machine = live->unwinder.machine = live->machine;
	live->unwinder.arch = uname(&name) ? NULL : tally_unwind_arch_named(name.machine);
	return ret;
}

void tally_live_free(struct tally_live *live)
{
	tally_unwinder_free(&live->unwinder);
	tally_feed_free(&live->feed);
	tally_machine_free(live->machine);
	tally_symbols_free(live->symbols);
	tally_map_free(&live->ids);
	tally_vec_free(&live->layouts);
}

/* ---- records ------------------------------------------------------------------- */

int tally_live_feed(struct tally_live *live, const char *records, size_t len)
{
	const struct tally_feed_event none = {0};
	struct tally_feed_sample facts;
	struct tally_sample sample;
	int ret = 0;

	for (size_t at = 0; at < len && !ret;) {
		uint16_t size = tally_record_header(records + at).size;

		ret = tally_feed_record(&live->feed, &none, records + at, size, &sample, &facts);
		at += size;
	}
	return ret;
}

size_t tally_live_event(const struct tally_live *live, const struct perf_event_header *record)
{
	/* If the events' layouts differ, the ID is the first field of every sample and the last
	 * field of every trailer. Otherwise the ID is at the same offset for all events. */
	const struct tally_sample_layout *layout = &live->layouts.data[0];
	bool is_sample = record->type == PERF_RECORD_SAMPLE;
	int at = is_sample ? layout->sample_id
			   : (layout->trailer_id ? record->size + layout->trailer_id : -1);
	uint64_t event;

	if (at < 8 || at + 8 > record->size)
		return is_sample ? 0 : live->sampler->tracking;
	event = tally_map_get(&live->ids, tally_get_u64((const uint8_t *)record + at));
	return event < live->layouts.len ? (size_t)event : 0;
}

uint64_t tally_live_time(const struct tally_live *live, const struct perf_event_header *record)
{
	const struct tally_sample_layout *layout =
		&live->layouts.data[tally_live_event(live, record)];
	int at = record->type == PERF_RECORD_SAMPLE
			 ? layout->sample_time
			 : (layout->trailer_time ? record->size + layout->trailer_time : -1);

	if (at < 8 || at + 8 > record->size)
		return 0;
	return tally_get_u64((const uint8_t *)record + at);
}

static struct tally_thread *live_read_procfs(struct tally_live *live, struct tally_thread *thread)
{
	struct tally_synth synth = {.tasks = true, .maps = true};
	int32_t pid = thread->pid, tid = thread->tid;
	int ret = tally_synth_process(&synth, pid);

	if (!ret)
		ret = tally_str_error(&synth.out);
	if (!ret)
		ret = tally_live_feed(live, synth.out.data, synth.out.len);
	tally_str_free(&synth.out);
	if (ret)
		return NULL;
	thread = tally_machine_thread(live->machine, pid, tid);
	if (thread)
		thread->has_comm = true;
	return thread;
}

/* If no record contained the thread's name, read it from procfs. Returns 1 or -ENOMEM. */
static int live_find_thread(struct tally_live *live, struct tally_feed_sample *facts)
{
	if (!facts->thread->has_comm && facts->thread->tid > 0)
		facts->thread = live_read_procfs(live, facts->thread);
	return facts->thread ? 1 : -ENOMEM;
}

/* Describe the event for the feed. If a sample has to wait for a deferred callchain, the feed
 * copies `event` together with the sample. */
static struct tally_feed_event live_feed_event(const struct tally_live *live, const size_t *event)
{
	return (struct tally_feed_event){&live->layouts.data[*event],
					 &live->sampler->specs.data[*event].attr, event,
					 sizeof(*event)};
}

int tally_live_release(struct tally_live *live, size_t event,
		       const struct perf_event_header *record)
{
	struct tally_feed_event of = live_feed_event(live, &event);

	return tally_feed_release(&live->feed, &of, record, record->size);
}

int tally_live_next(struct tally_live *live, const struct perf_event_header **ret_record,
		    size_t *ret_event, struct tally_sample *ret_sample,
		    struct tally_feed_sample *ret_facts)
{
	struct tally_feed_waited waited;
	int ret = tally_feed_next(&live->feed, &waited, ret_sample, ret_facts);

	if (ret <= 0)
		return ret;
	*ret_record = waited.record;
	memcpy(ret_event, waited.tag, sizeof(*ret_event));
	return live_find_thread(live, ret_facts);
}

int tally_live_record(struct tally_live *live, size_t event, const struct perf_event_header *record,
		      struct tally_sample *ret_sample, struct tally_feed_sample *ret_facts)
{
	struct tally_feed_event of = live_feed_event(live, &event);
	int ret = tally_feed_record(&live->feed, &of, record, record->size, ret_sample, ret_facts);

	return ret > 0 ? live_find_thread(live, ret_facts) : ret;
}
