/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/ahead.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/relay.h"
#include "base/thread.h"
#include "perfdata/reader.h"

/* Number of records that are passed on together, of such batches, and of batches for which a thread
 * is woken. */
enum { BATCH = 128, BATCHES = 32, ENOUGH = 12 };

/* Number of records that the caller reads before a thread is started. It doubles each time a thread
 * ends before it has read as many: recordings start with records without a time, and some consist
 * of them. */
enum { PAUSE_MIN = 64, PAUSE_MAX = 1 << 20 };

struct batch {
	struct tally_perfdata_record records[BATCH];
	size_t nr;
};

struct tally_ahead {
	struct tally_perfdata *data;
	pthread_t thread;
	bool runs;
	uint64_t pause, nr; /* length of this pause, and records so far in it or from the thread */
	struct tally_relay relay;
	struct tally_release release; /* pages of records that were returned */
	struct batch batches[BATCHES];
	const struct batch *taken; /* batch being returned, or NULL */
	size_t at;                 /* in it */
};

static void *thread_run(void *arg)
{
	struct tally_ahead *ahead = arg;
	bool more = true;
	size_t slot;

	while (more && tally_relay_room(&ahead->relay, &slot)) {
		struct batch *batch = &ahead->batches[slot];

		for (batch->nr = 0; more && batch->nr < BATCH; batch->nr += more)
			more = tally_reader_next_plain(ahead->data, &batch->records[batch->nr]);
		tally_relay_give(&ahead->relay);
	}
	tally_relay_end(&ahead->relay);
	return NULL;
}

static void ahead_start(struct tally_ahead *ahead)
{
	ahead->nr = 0;
	tally_relay_init(&ahead->relay, BATCHES, ENOUGH);
	ahead->taken = NULL;
	ahead->runs = !tally_thread_start(&ahead->thread, thread_run, ahead);
	if (!ahead->runs)
		tally_relay_free(&ahead->relay);
}

static void ahead_stop(struct tally_ahead *ahead)
{
	if (!ahead->runs)
		return;
	tally_relay_leave(&ahead->relay);
	pthread_join(ahead->thread, NULL);
	tally_relay_free(&ahead->relay);
	ahead->runs = false;
	ahead->pause = ahead->nr < ahead->pause ? TALLY_MIN(2 * ahead->pause, (uint64_t)PAUSE_MAX)
						: PAUSE_MIN;
	ahead->nr = 0;
}

void tally_perfdata_read_ahead(struct tally_perfdata *data)
{
	tally_perfdata_stop_ahead(data);
	data->ahead = calloc(1, sizeof(*data->ahead));
	if (!data->ahead)
		return;
	data->ahead->data = data;
	data->ahead->pause = PAUSE_MIN;
}

void tally_perfdata_stop_ahead(struct tally_perfdata *data)
{
	if (!data->ahead)
		return;
	ahead_stop(data->ahead);
	free(data->ahead);
	data->ahead = NULL;
}

/* Get the next batch that has records. Returns false at the end. */
static bool batch_next(struct tally_ahead *ahead)
{
	size_t slot;

	do {
		if (ahead->taken)
			tally_relay_return(&ahead->relay);
		ahead->taken = NULL;
		if (!tally_relay_take(&ahead->relay, &slot))
			return false;
		ahead->taken = &ahead->batches[slot];
		ahead->at = 0;
	} while (!ahead->taken->nr);
	return true;
}

/* Prefetch records that will be returned soon, and their data: both are in the cache of another
 * processor. */
static void prefetch(const struct batch *batch, size_t at)
{
	enum { LINE = 64, NEAR = 6, FAR = 12 };

	if (at + FAR < batch->nr) {
		__builtin_prefetch(&batch->records[at + FAR]);
		__builtin_prefetch((const char *)&batch->records[at + FAR] + LINE);
	}
	for (int i = 0; at + NEAR < batch->nr && i < 3; i++)
		__builtin_prefetch((const char *)batch->records[at + NEAR].data + i * LINE);
}

bool tally_ahead_next(struct tally_perfdata *data, struct tally_perfdata_record *ret_record)
{
	struct tally_ahead *ahead = data->ahead;

	if (!ahead->runs && ahead->nr >= ahead->pause && tally_reader_is_plain(data))
		ahead_start(ahead);
	ahead->nr++;
	if (!ahead->runs)
		return false;
	if ((!ahead->taken || ahead->at == ahead->taken->nr) && !batch_next(ahead)) {
		ahead_stop(ahead);
		return false;
	}
	prefetch(ahead->taken, ahead->at);
	*ret_record = ahead->taken->records[ahead->at++];
	tally_release_touch_in(data, &ahead->release, ret_record->data, ret_record->size);
	return true;
}
