/* SPDX-License-Identifier: BSD-2-Clause */
/* shape FILE: print statistics about a recording as JSON. The statistics give bounds on the cost of
 * reading the recording. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi_sample.h"
#include "base/hash.h"
#include "base/map.h"
#include "tally/perfdata.h"

struct shape {
	uint64_t records, samples, chains, entries, comms, mmaps;
	struct tally_map addresses, stacks, threads;
};

static int shape_chain(struct shape *shape, struct tally_words chain)
{
	uint64_t hash = tally_hash_bytes(chain.data, 8 * chain.nr, 0);
	int ret = tally_map_set(&shape->stacks, hash, 1);

	shape->chains++;
	shape->entries += chain.nr;
	for (uint64_t i = 0; i < chain.nr && !ret; i++)
		ret = tally_map_set(&shape->addresses, tally_words_get(chain, i), 1);
	return ret;
}

static int shape_sample(struct shape *shape, const struct tally_perfdata_record *record)
{
	struct tally_sample sample;
	int ret;

	if (!record->event ||
	    tally_sample_decode(record->event->layout, record->data, record->size, &sample, NULL))
		return 0;
	shape->samples++;
	ret = tally_map_set(&shape->threads, (uint32_t)sample.tid, 1);
	if (!ret)
		ret = tally_map_set(&shape->addresses, sample.ip, 1);
	if (!ret && sample.callchain.nr)
		ret = shape_chain(shape, sample.callchain);
	return ret;
}

int main(int argc, char **argv)
{
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	struct shape shape = {0};
	int ret = argc == 2 ? tally_perfdata_open(argv[1], &data, NULL) : -1;

	if (ret)
		return 2;
	while ((ret = tally_perfdata_next(data, &record, NULL)) > 0) {
		shape.records++;
		shape.comms += record.type == PERF_RECORD_COMM;
		shape.mmaps += record.type == PERF_RECORD_MMAP || record.type == PERF_RECORD_MMAP2;
		if (record.type == PERF_RECORD_SAMPLE && shape_sample(&shape, &record))
			break;
	}
	printf("{\"bytes\": %" PRIu64 ", \"records\": %" PRIu64 ", \"samples\": %" PRIu64
	       ", \"chains\": %" PRIu64 ", \"entries\": %" PRIu64 ", \"addresses\": %zu"
	       ", \"stacks\": %zu, \"threads\": %zu, \"comms\": %" PRIu64 ", \"mmaps\": %" PRIu64
	       "}\n",
	       tally_perfdata_info(data)->file_size, shape.records, shape.samples, shape.chains,
	       shape.entries, shape.addresses.len, shape.stacks.len, shape.threads.len, shape.comms,
	       shape.mmaps);
	tally_map_free(&shape.addresses);
	tally_map_free(&shape.stacks);
	tally_map_free(&shape.threads);
	tally_perfdata_close(data);
	return ret != 0;
}
