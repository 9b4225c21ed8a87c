/* SPDX-License-Identifier: BSD-2-Clause */
#include "live/live_machine.h"

#include <errno.h>

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

int tally_live_feed(struct tally_live *live, const char *records, size_t len)
{
	int ret = 0;

	for (size_t at = 0; at < len && !ret;) {
		uint16_t size = tally_record_header(records + at).size;

		ret = tally_machine_record(live->machine, records + at, size);
		at += size;
	}
	return ret;
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

/* If no record contained the thread's name, read it from procfs, and pass the sample on. */
static int live_on_sample(void *arg, struct tally_feed_sample *sample)
{
	struct tally_live *live = arg;

	if (!sample->thread->has_comm && sample->thread->tid > 0)
		sample->thread = live_read_procfs(live, sample->thread);
	if (!sample->thread)
		return -ENOMEM;
	if (!live->completes)
		return live->on_sample(live->arg, sample);
	if (tally_user_chain(&live->chains, sample->attr, sample->thread, &sample->sample))
		return -ENOMEM;
	return tally_group_reads_pass(&live->reads, sample, live->on_sample, live->arg);
}

static const struct perf_event_attr *live_attr_by_id(void *arg, uint64_t id, uint32_t *ret_event)
{
	const struct tally_live *live = arg;
	uint64_t event = tally_map_get(&live->ids, id);

	if (event >= live->sampler->specs.len)
		return NULL;
	*ret_event = (uint32_t)event;
	return &live->sampler->specs.data[event].attr;
}

int tally_live_init(struct tally_live *live, struct tally_sampler *sampler,
		    const struct tally_symbols_options *symbols, tally_feed_fn *on_sample,
		    void *arg)
{
	int ret = 0;

	live->sampler = sampler;
	live->on_sample = on_sample;
	live->arg = arg;
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
	tally_feed_init(&live->feed, live->machine, live_on_sample, live);
	tally_user_chains_init(&live->chains, live->machine, "");
	live->reads = (struct tally_group_reads){.find = live_attr_by_id, .arg = live};
	return ret;
}

void tally_live_free(struct tally_live *live)
{
	tally_user_chains_free(&live->chains);
	tally_group_reads_free(&live->reads);
	tally_feed_free(&live->feed);
	tally_machine_free(live->machine);
	tally_symbols_free(live->symbols);
	tally_map_free(&live->ids);
	tally_vec_free(&live->layouts);
}

/* ---- records ------------------------------------------------------------------- */

/* Return a record's event, or 0 if the record does not identify its event. */
static size_t live_event(const struct tally_live *live, const struct perf_event_header *record)
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
	const struct tally_sample_layout *layout = &live->layouts.data[live_event(live, record)];
	int at = record->type == PERF_RECORD_SAMPLE
			 ? layout->sample_time
			 : (layout->trailer_time ? record->size + layout->trailer_time : -1);

	if (at < 8 || at + 8 > record->size)
		return 0;
	return tally_get_u64((const uint8_t *)record + at);
}

int tally_live_record(struct tally_live *live, const struct perf_event_header *record)
{
	size_t event = live_event(live, record);
	const struct tally_feed_event of = {.layout = &live->layouts.data[event],
					    .attr = &live->sampler->specs.data[event].attr,
					    .index = (uint32_t)event};

	return tally_feed_record(&live->feed, &of, record, record->size);
}
