/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record/record_spool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "cli/record/ring_scan.h"

/* The rings are copied at this interval, up to a limit. If it is reached, they fill up. */
enum { SPOOL_NS = 20000000, SPOOL_MAX = 256 << 20 };

struct spool_ring {
	TALLY_VEC(uint8_t) bytes;
};

struct record_spool {
	pthread_t thread;
	atomic_bool is_ended;
	int error;
	size_t len; /* of all copies */
	TALLY_VEC(struct spool_ring) rings;
};

static int ring_copy(struct spool_ring *ring, const struct tally_ring_data *data)
{
	size_t len = ring->bytes.len;

	if (tally_vec_reserve(&ring->bytes, len + data->first_len + data->second_len))
		return -ENOMEM;
	memcpy(ring->bytes.data + len, data->first, data->first_len);
	if (data->second_len)
		memcpy(ring->bytes.data + len + data->first_len, data->second, data->second_len);
	ring->bytes.len = len + data->first_len + data->second_len;
	return 0;
}

static int rings_copy(struct record *record)
{
	struct record_spool *spool = record->spool;
	struct tally_ring_data data;
	int ret = 0;

	for (size_t i = 0; !ret && i < spool->rings.len && spool->len < SPOOL_MAX; i++) {
		struct tally_ring *ring = tally_rings_at(record->sampler.rings, i);

		if (tally_rings_is_overwrite(record->sampler.rings, i) ||
		    !tally_ring_data(ring, &data))
			continue;
		ret = record_scan_ring(record, i, &data);
		if (!ret)
			ret = ring_copy(&spool->rings.data[i], &data);
		if (!ret)
			tally_ring_consume(ring);
		spool->len += data.first_len + data.second_len;
	}
	return ret;
}

/* `arg` is a struct record. */
static void *spool_main(void *arg)
{
	static const struct timespec pause = {0, SPOOL_NS};
	struct record *record = arg;
	struct record_spool *spool = record->spool;

	while (!atomic_load(&spool->is_ended) && !spool->error) {
		spool->error = rings_copy(record);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

void record_spool_start(struct record *record)
{
	struct record_spool *spool = calloc(1, sizeof(*spool));
	int ret = spool ? 0 : -ENOMEM;

	record->spool = spool;
	for (size_t i = 0; !ret && i < tally_rings_nr(record->sampler.rings); i++)
		ret = tally_vec_push(&spool->rings, (struct spool_ring){0});
	if (!ret)
		ret = tally_thread_start(&spool->thread, spool_main, record);
	if (ret)
		record_spool_free(record);
}

int record_spool_stop(struct record *record)
{
	struct record_spool *spool = record->spool;
	int ret;

	if (!spool)
		return 0;
	atomic_store(&spool->is_ended, true);
	pthread_join(spool->thread, NULL);
	ret = spool->error;
	if (!spool->len)
		record_spool_free(record);
	return ret;
}

bool record_spool_has_data(const struct record *record)
{
	return record->spool && record->spool->len;
}

bool record_spool_data(const struct record *record, size_t ring, struct tally_ring_data *ret_data)
{
	const struct spool_ring *copy = &record->spool->rings.data[ring];

	*ret_data =
		(struct tally_ring_data){.first = copy->bytes.data, .first_len = copy->bytes.len};
	return copy->bytes.len;
}

void record_spool_free(struct record *record)
{
	struct record_spool *spool = record->spool;

	if (!spool)
		return;
	tally_vec_for_each (ring, &spool->rings)
		tally_vec_free(&ring->bytes);
	tally_vec_free(&spool->rings);
	free(spool);
	record->spool = NULL;
}
