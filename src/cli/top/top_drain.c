/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Move records from the ring buffers to the queue, in a dedicated thread that does little else, so
 * that it keeps up. Records from all CPUs are merged in chronological order; the most recent ones
 * stay in the ring buffers until they are old enough. If the queue's reader cannot keep up, samples
 * are dropped, but never other records.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "base/arith.h"
#include "base/clock.h"
#include "cli/top/top_drain.h"

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
};

/* ---- records ------------------------------------------------------------------- */

/* Return the timestamp of a ring's next record, 0 if the record has no timestamp, or UINT64_MAX if
 * the ring is empty. */
static uint64_t ring_time(const struct top *top, struct tally_ring *ring)
{
	const struct perf_event_header *record = tally_ring_peek(ring);

	return record ? tally_live_time(&top->live, record) : UINT64_MAX;
}

/* Return the ring with the oldest record. `*ret_other` is the timestamp of the oldest record in the
 * other rings. */
static struct tally_ring *ring_oldest(struct top *top, uint64_t *ret_other)
{
	struct tally_ring *oldest = NULL;
	uint64_t best = UINT64_MAX, other = UINT64_MAX;

	for (size_t i = 0; i < tally_rings_nr(top->sampler.rings); i++) {
		struct tally_ring *ring = tally_rings_at(top->sampler.rings, i);
		uint64_t time = ring_time(top, ring);

		if (time < best) {
			other = best;
			best = time;
			oldest = ring;
		} else {
			other = TALLY_MIN(other, time);
		}
	}
	*ret_other = other;
	return oldest;
}

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

/* Queue the records that are old enough. Called with queue->lock held. */
static int drain_rings(struct top *top)
{
	uint64_t limit = tally_clock_now() - SETTLE_NS, other;
	struct tally_ring *ring;
	int ret = 0;

	while (!ret && (ring = ring_oldest(top, &other))) {
		uint64_t until = TALLY_MIN(other, limit);

		if (ring_time(top, ring) > until)
			break;
		while (!ret && ring_time(top, ring) <= until)
			ret = queue_add(&top->queue, tally_ring_next(ring));
		tally_ring_consume(ring);
	}
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

	if (tally_rings_poll(rings, milliseconds_left(drainer)) < 0)
		return false;
	if (tally_rings_watch_events(rings, drainer->wake))
		flags_read(drainer, &halt);
	alive = tally_rings_nr_alive(rings) > 0;
	tick = tally_clock_now() >= drainer->next || !alive;
	pthread_mutex_lock(&queue->lock);
	queue->error = drain_rings(drainer->top);
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
	struct drainer drainer = {.top = top, .delay = top->config->delay_ns};
	int ret = tally_rings_watch(top->sampler.rings, top->wake_drainer, &drainer.wake);

	drainer.next = tally_clock_now() + drainer.delay;
	while (!ret && drainer_pass(&drainer))
		;
	pthread_mutex_lock(&top->queue.lock);
	top->queue.ended = true;
	top->queue.error = ret ? ret : top->queue.error;
	pthread_cond_signal(&top->queue.more);
	pthread_mutex_unlock(&top->queue.lock);
	return NULL;
}
