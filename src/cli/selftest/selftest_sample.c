/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that sample this process. Each page fault is a sample, so the samples are known. */
#include <unistd.h>

#include "cli/selftest/selftest.h"
#include "cli/selftest/selftest_counters.h"
#include "cli/selftest/selftest_work.h"
#include "sampler/sampler.h"
#include "sampler/sampler_refuse.h"

enum { MANY_PAGES = 4096 };

/* Records read from the rings. */
struct sampled {
	const struct selftest_pages *pages;
	uint64_t samples, in_pages, lost, disordered, damaged;
	uint64_t time; /* of the last sample */
};

static void on_record(const struct tally_sampler *sampler, struct sampled *sampled,
		      const struct perf_event_header *record)
{
	uintptr_t start = (uintptr_t)sampled->pages->data;
	struct tally_sample sample;

	if (record->type == PERF_RECORD_LOST)
		sampled->lost += tally_get_u64((const uint8_t *)(record + 1) + 8);
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	sampled->samples++;
	if (tally_sample_decode(&sampler->layout, record, record->size, &sample, NULL) ||
	    !(sample.present & PERF_SAMPLE_ADDR)) {
		sampled->damaged++;
		return;
	}
	sampled->in_pages += sample.addr >= start &&
			     sample.addr - start < sampled->pages->nr * sampled->pages->size;
	sampled->disordered += sample.time < sampled->time;
	sampled->time = sample.time;
}

static void drain(const struct tally_sampler *sampler, struct sampled *sampled)
{
	for (size_t i = 0; i < tally_rings_nr(sampler->rings); i++) {
		struct tally_ring *ring = tally_rings_at(sampler->rings, i);
		const struct perf_event_header *record;

		while ((record = tally_ring_next(ring)) != NULL)
			on_record(sampler, sampled, record);
		tally_ring_consume(ring);
	}
}

static enum selftest_result sampler_open(struct selftest *test, struct tally_sampler *sampler)
{
	int ret;

	if (tally_refuse_killed(NULL))
		return selftest_skip(test, "a seccomp filter kills callers of perf_event_open");
	ret = tally_sampler_add(sampler, "page-faults", NULL);
	if (!ret)
		ret = tally_sampler_prepare(sampler);
	if (!ret)
		ret = tally_sampler_resolve(sampler, getpid());
	if (!ret)
		ret = tally_sampler_open(sampler);
	return ret ? selftest_refused(test, ret, &sampler->why) : SELFTEST_OK;
}

static const struct tally_sampling each_fault = {
	.target = {.per_thread = true},
	.has_period = true,
	.period = 1,
	.with_addr = true,
	.with_time = true,
	.ring_pages = 16,
};

/* A ring of one page overflows. */
static const struct tally_sampling small_ring = {
	.target = {.per_thread = true},
	.has_period = true,
	.period = 1,
	.with_addr = true,
	.with_time = true,
	.ring_pages = 1,
};

/* Sample while pages are touched, and read the rings. `*ret_count` is the number of events. */
static enum selftest_result sample_pages(struct selftest *test,
					 const struct tally_sampling *sampling, size_t nr_pages,
					 struct sampled *sampled, uint64_t *ret_count)
{
	struct tally_sampler sampler = {.sampling = sampling};
	struct tally_count count = {0};
	struct selftest_pages pages = {0}, last = {0};
	enum selftest_result result = sampler_open(test, &sampler);

	*sampled = (struct sampled){.pages = &pages};
	if (result == SELFTEST_OK &&
	    (selftest_pages_map(nr_pages, &pages) || selftest_pages_map(1, &last)))
		result = selftest_fail(test, "cannot map memory");
	if (result == SELFTEST_OK) {
		tally_counters_enable(sampler.counters);
		selftest_pages_touch(&pages);
		drain(&sampler, sampled);
		/* The number of lost records is written with the next record. */
		selftest_pages_touch(&last);
		tally_counters_disable(sampler.counters);
		drain(&sampler, sampled);
		if (tally_counters_read(sampler.counters, 0, 0, 0, &count))
			result = selftest_fail(test, "the counter cannot be read");
	}
	*ret_count = count.value;
	sampled->pages = NULL;
	selftest_pages_unmap(&last);
	selftest_pages_unmap(&pages);
	tally_sampler_close(&sampler);
	return result;
}

static enum selftest_result sample_faults(struct selftest *test)
{
	struct sampled sampled;
	uint64_t count;
	enum selftest_result result =
		sample_pages(test, &each_fault, SELFTEST_PAGES, &sampled, &count);

	if (result != SELFTEST_OK)
		return result;
	if (sampled.damaged)
		return selftest_fail(test, "a sample cannot be decoded");
	if (sampled.disordered)
		return selftest_fail(test,
				     "samples of one task are not in the order of their times");
	return selftest_expect(test, sampled.in_pages == SELFTEST_PAGES && !sampled.lost,
			       "64 new pages cause 64 samples with addresses in them");
}

static enum selftest_result sample_overflow(struct selftest *test)
{
	struct sampled sampled;
	uint64_t count;
	enum selftest_result result = sample_pages(test, &small_ring, MANY_PAGES, &sampled, &count);

	if (result != SELFTEST_OK)
		return result;
	if (!sampled.lost)
		return selftest_fail(test, "no record reports the samples that were lost");
	return selftest_expect(test, sampled.samples + sampled.lost == count,
			       "read and lost samples add up to the count of events");
}

const struct selftest_case selftest_sample_cases[] = {
	{"Sample page faults and drain the ring buffer", sample_faults, true},
	{"Report samples lost in a full ring buffer", sample_overflow, true},
	{0},
};
