/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions with fake counters that the test controls. */
#ifndef TALLY_TESTS_CLIENT_REGION_FAKE_H
#define TALLY_TESTS_CLIENT_REGION_FAKE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tally/region.h"

enum { COUNTERS = 8, FIRST_FD = 1000 };

/* Fake counters: counter n reads as value[n]. */
static struct {
	struct tally_transport transport;
	struct tally_self_reader reader;
	int nr, leader[COUNTERS], reads;
	uint64_t value[COUNTERS], enabled, running, config[COUNTERS];
	bool ended;       /* reads return end of file */
	bool maps, times; /* pages can be mapped; pages contain times */
	int unmapped;     /* user space cannot read the first counters, this many */
	uint64_t refused; /* the config to reject */
	void *page[COUNTERS];
} fake;

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int n = fake.nr;

	if (attr->config == fake.refused)
		return -EOPNOTSUPP;
	assert_true(n < COUNTERS);
	fake.config[n] = attr->config;
	fake.leader[n] = group_fd < 0 ? n : group_fd - FIRST_FD;
	return FIRST_FD + fake.nr++;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

/* Return the values in the layout of a read with PERF_FORMAT_GROUP, PERF_FORMAT_ID,
 * PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING. */
static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	uint64_t *words = to, nr = 0;

	fake.reads++;
	if (fake.ended)
		return 0;
	for (int i = 0; i < fake.nr; i++) {
		if (fake.leader[i] != fd - FIRST_FD)
			continue;
		words[3 + 2 * nr] = fake.value[i];
		words[4 + 2 * nr++] = (uint64_t)i;
	}
	words[0] = nr;
	words[1] = fake.enabled;
	words[2] = fake.running;
	return (int64_t)((3 + 2 * nr) * sizeof(*words));
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	return 0;
}

/* Map a page that contains the counter's index, and times based on `cycles`. */
static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct perf_event_mmap_page *page = calloc(1, len);

	if (!fake.maps || !page || writable) {
		free(page);
		return -EPERM;
	}
	page->index = (uint32_t)(fd - FIRST_FD) + 1;
	page->cap_user_rdpmc = fd - FIRST_FD >= fake.unmapped;
	page->cap_user_time = fake.times;
	page->time_mult = 1;
	page->pmc_width = 48;
	*ret_memory = page;
	fake.page[fd - FIRST_FD] = page;
	return 0;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	free(memory);
	return 0;
}

static uint64_t fake_counter(void *arg, uint32_t number)
{
	return fake.value[number];
}

static uint64_t fake_cycles(void *arg)
{
	return fake.enabled;
}

static struct tally_regions *open_fake(const char *events)
{
	struct tally_regions_options options = {.transport = &fake.transport};
	struct tally_regions *regions;

	if (fake.maps)
		options.reader = &fake.reader;
	assert_int_equal(tally_regions_open(events, &options, &regions, NULL), 0);
	return regions;
}

/* Advance each counter i by (i + 1) * nr. This takes 100 ns; the counters are off the PMU for
 * `idle` ns of that time. */
static void advance_counters(uint64_t nr, uint64_t idle)
{
	for (int i = 0; i < COUNTERS; i++)
		fake.value[i] += nr * (uint64_t)(i + 1);
	fake.enabled += 100;
	fake.running += 100 - idle;
}

static int set_up(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.transport = (struct tally_transport){
		.name = "fake",
		.open = fake_open,
		.close = fake_close,
		.read = fake_read,
		.ioctl = fake_ioctl,
		.mmap = fake_mmap,
		.munmap = fake_munmap,
	};
	fake.reader = (struct tally_self_reader){fake_counter, fake_cycles, NULL};
	fake.refused = UINT64_MAX;
	return 0;
}

#endif
