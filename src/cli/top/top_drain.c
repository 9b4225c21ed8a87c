/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Move records from the ring buffers to the queue, in a dedicated thread that does little else, so
 * that it keeps up. Records from all CPUs are merged in chronological order; the most recent ones
 * wait until they are old enough. If the queue's reader cannot keep up, samples
 * are dropped, but never other records.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/top/top_drain.h"
#include "live/live_merge.h"

/* Maximum size of the queue in bytes, enough for several seconds of samples. */
enum { QUEUE_MAX = 4 << 20 };

/* Minimum age of records to queue. Before a record reaches this age, another CPU may still be
 * writing an older record. */
enum { SETTLE_NS = 1000000 };

struct drainer {
	struct top *top;
	size_t wake;    /* index of wake_drainer in the poll set */
	uint64_t next;  /* time of the next refresh, CLOCK_MONOTONIC ns */
	uint64_t delay; /* ns between refreshes */
	struct tally_merge merge;
	struct tally_merge_ring taken; /* buffer for the contents of one ring */
};

/* ---- records ------------------------------------------------------------------- */

static int queue_add(struct top_queue *queue, const struct perf_event_header *record)
{
	size_t len = queue->bytes.len;

	if (record->type == PERF_RECORD_SAMPLE && len > QUEUE_MAX) {
		queue->dropped++;
		return 0;
	}
	if (tally_vec_reserve(&queue->bytes, len + record->size))
		return -ENOMEM;
	memcpy(queue->bytes.data + len, record, record->size);
	queue->bytes.len += record->size;
	return 0;
}

/* Move the contents of the rings to the merger. */
static int rings_take(struct drainer *drainer)
{
	struct tally_rings *rings = drainer->top->sampler.rings;
	struct tally_ring_data data;
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_rings_nr(rings); i++) {
		struct tally_merge_ring *taken = &drainer->taken;

		if (!tally_ring_data(tally_rings_at(rings, i), &data))
			continue;
		ret = tally_merge_ring_take(taken, &data);
		if (!ret)
			ret = tally_merge_add(&drainer->merge, i, taken);
	}
	tally_rings_consume(rings, false);
	return ret;
}

/* Queue the records that are old enough. Called with queue->lock held. */
static int records_queue(struct drainer *drainer)
{
	uint64_t limit = tally_clock_now() - SETTLE_NS;
	const struct perf_event_header *record;
	int ret = 0;

	while (!ret && (record = tally_merge_next(&drainer->merge, limit)))
		ret = queue_add(&drainer->top->queue, record);
	return ret;
}

/* ---- waiting ------------------------------------------------------------------- */

static int milliseconds_left(const struct drainer *drainer)
{
	uint64_t now = tally_clock_now();

	if (drainer->next <= now)
		return 0;
	return (int)TALLY_MIN((drainer->next - now + 999999) / 1000000, (uint64_t)INT32_MAX);
}

/* Read the flags set by the main thread. */
static void flags_read(struct drainer *drainer, bool *ret_halt)
{
	struct top *top = drainer->top;
	uint64_t wakes;

	(void)!read(top->wake_drainer, &wakes, sizeof(wakes));
	pthread_mutex_lock(&top->lock);
	*ret_halt = top->halt;
	if (top->refresh_now)
		drainer->next = 0;
	top->refresh_now = false;
	drainer->delay = top->config->delay_ns;
	pthread_mutex_unlock(&top->lock);
}

/* Run one iteration. Return false after the last iteration. */
static bool drainer_pass(struct drainer *drainer)
{
	struct top_queue *queue = &drainer->top->queue;
	struct tally_rings *rings = drainer->top->sampler.rings;
	bool alive, halt = false, tick;
	int ret;

	if (tally_rings_poll(rings, milliseconds_left(drainer)) < 0)
		return false;
	if (tally_rings_watch_events(rings, drainer->wake))
		flags_read(drainer, &halt);
	alive = tally_rings_nr_alive(rings) > 0;
	tick = tally_clock_now() >= drainer->next || !alive;
	ret = rings_take(drainer);
	pthread_mutex_lock(&queue->lock);
	queue->error = ret ? ret : records_queue(drainer);
	queue->tick = tick ? tally_clock_now() : queue->tick;
	pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&queue->lock);
	if (tick)
		drainer->next = tally_clock_now() + drainer->delay;
	return alive && !halt && !queue->error;
}

void *top_drain_main(void *arg)
{
	struct top *top = arg;
	struct drainer drainer = {
		.top = top, .delay = top->config->delay_ns, .merge.live = &top->live};
	int ret = tally_rings_watch(top->sampler.rings, top->wake_drainer, &drainer.wake);

	drainer.next = tally_clock_now() + drainer.delay;
	while (!ret && drainer_pass(&drainer))
		;
	tally_merge_free(&drainer.merge);
	tally_vec_free(&drainer.taken.bytes);
	pthread_mutex_lock(&top->queue.lock);
	top->queue.ended = true;
	top->queue.error = ret ? ret : top->queue.error;
	pthread_cond_signal(&top->queue.more);
	pthread_mutex_unlock(&top->queue.lock);
	return NULL;
}
