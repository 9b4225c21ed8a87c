/* SPDX-License-Identifier: BSD-2-Clause */
/* Feed arbitrary bytes as records of a single event, one record at a time: tasks, mappings,
 * samples, and deferred callchains. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi_record.h"
#include "profile/process/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a sample's whole callchain, so that the sanitizer detects invalid pointers. */
static int on_sample(void *arg, struct tally_feed_sample *sample)
{
	volatile uint64_t *sum = arg;

	*sum += sample->period + (uint64_t)sample->thread->tid + *(const uint8_t *)sample->tag +
		tally_record_header(sample->record).size;
	for (uint64_t i = 0; i < sample->sample.callchain.nr; i++)
		*sum += tally_words_get(sample->sample.callchain, i);
	return 0;
}

static void use_records(struct tally_feed *feed, const struct tally_feed_event *event,
			const uint8_t *data, size_t size)
{
	while (size >= sizeof(struct perf_event_header)) {
		size_t len = tally_record_header(data).size;

		if (len < sizeof(struct perf_event_header) || len > size)
			break;
		if (tally_feed_record(feed, event, data, len))
			return;
		data += len;
		size -= len;
	}
	(void)tally_feed_end(feed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
		.defer_callchain = 1,
	};
	struct tally_machine *machine = NULL;
	volatile uint64_t sum = 0;
	struct tally_feed feed;
	struct tally_symbols *symbols;
	struct tally_sample_layout layout;
	struct tally_feed_event event = {&layout, &attr, 0, "tag", 3};
	/* The copy has the exact size, so that the sanitizer detects reads beyond its end. */
	uint8_t *copy = malloc(size + !size);

	if (!copy || tally_sample_layout_init(&layout, &attr) || tally_symbols_new(NULL, &symbols))
		return 0;
	if (!tally_machine_new(symbols, &machine)) {
		tally_feed_init(&feed, machine, on_sample, (void *)&sum);
		feed.joins = true;
		feed.deferred.limit = 1 << 12;
		use_records(&feed, &event, memcpy(copy, data, size), size);
		tally_feed_free(&feed);
	}
	tally_machine_free(machine);
	tally_symbols_free(symbols);
	free(copy);
	return 0;
}
