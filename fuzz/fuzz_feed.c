/* SPDX-License-Identifier: BSD-2-Clause */
/* Feed arbitrary bytes as records of a single event, one record at a time: tasks, mappings,
 * samples, and deferred callchains. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "profile/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a sample's whole callchain, so that the sanitizer detects invalid pointers. */
static uint64_t touch(const struct tally_sample *sample, const struct tally_feed_sample *facts)
{
	uint64_t sum = facts->weight + (uint64_t)facts->thread->tid;

	for (uint64_t i = 0; i < sample->callchain.nr; i++)
		sum += tally_words_get(sample->callchain, i);
	return sum;
}

static void use_waited(struct tally_feed *feed)
{
	struct tally_feed_sample facts;
	struct tally_feed_waited waited;
	struct tally_sample sample;
	volatile uint64_t sum = 0;

	while (tally_feed_next(feed, &waited, &sample, &facts) > 0)
		sum += touch(&sample, &facts) + *(const uint8_t *)waited.tag;
}

static void use_records(struct tally_feed *feed, const struct tally_feed_event *event,
			const uint8_t *data, size_t size)
{
	struct tally_feed_sample facts;
	struct tally_sample sample;
	volatile uint64_t sum = 0;

	while (size >= sizeof(struct perf_event_header)) {
		size_t len = tally_record_header(data).size;

		if (len < sizeof(struct perf_event_header) || len > size)
			break;
		if (tally_feed_release(feed, event, data, len))
			return;
		use_waited(feed);
		if (tally_feed_record(feed, event, data, len, &sample, &facts) > 0)
			sum += touch(&sample, &facts);
		data += len;
		size -= len;
	}
	tally_feed_end(feed);
	use_waited(feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
		.defer_callchain = 1,
	};
	struct tally_feed feed = {.joins = true, .deferred = {.limit = 1 << 12}};
	struct tally_symbols *symbols;
	struct tally_sample_layout layout;
	struct tally_feed_event event = {&layout, &attr, "tag", 3};
	/* The copy has the exact size, so that the sanitizer detects reads beyond its end. */
	uint8_t *copy = malloc(size + !size);

	if (!copy || tally_sample_layout_init(&layout, &attr) || tally_symbols_new(NULL, &symbols))
		return 0;
	if (!tally_machine_new(symbols, &feed.machine))
		use_records(&feed, &event, memcpy(copy, data, size), size);
	tally_feed_free(&feed);
	tally_machine_free(feed.machine);
	tally_symbols_free(symbols);
	free(copy);
	return 0;
}
