/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A user-defined transport: an implementation of perf_event_open for tests, without a kernel. The
 * test sets the counts of the events, so code that uses counters can be tested on machines without
 * counters.
 *
 *	cc transport.c $(pkg-config --cflags --libs tally) && ./a.out
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tally/region.h>

enum { EVENTS = 8, FIRST_FD = 1000 };

/* The counts of the events. */
static struct {
	uint64_t value[EVENTS], time;
	int nr;
} fake;

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	(void)transport, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	if (attr->type == PERF_TYPE_RAW)
		return -ENOENT; /* as a kernel without a PMU */
	return fake.nr < EVENTS ? FIRST_FD + fake.nr++ : -EMFILE;
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	(void)transport, (void)fd;
	return 0;
}

/* The library reads each group of events with PERF_FORMAT_GROUP, ID, TOTAL_TIME_ENABLED and
 * TOTAL_TIME_RUNNING. Here each event is its own group. */
static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	const uint64_t words[] = {1, fake.time, fake.time, fake.value[fd - FIRST_FD], (uint64_t)fd};

	(void)transport;
	if (len < sizeof(words))
		return -ENOSPC;
	memcpy(to, words, sizeof(words));
	return sizeof(words);
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	(void)transport, (void)fd, (void)request, (void)arg;
	return 0;
}

static const struct tally_transport transport = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.read = fake_read,
	.ioctl = fake_ioctl,
};

/* The code under test: it must not take more than 100 instructions for each byte. */
static void code_under_test(struct tally_regions *regions, uint64_t bytes)
{
	tally_region_start(regions, "parse");
	fake.value[0] += 20 * bytes; /* what the real code would do */
	fake.time += bytes;
	tally_region_stop(regions);
}

int main(void)
{
	const struct tally_regions_options options = {.transport = &transport};
	struct tally_regions *regions;
	struct tally_count count;

	if (tally_regions_open("instructions,r1234", &options, &regions, NULL))
		return 1;
	code_under_test(regions, 1000);
	for (size_t i = 0; i < tally_regions_nr_events(regions); i++)
		if (!tally_regions_count(regions, 0, i, &count))
			printf("%s: %llu, %s\n", tally_regions_event(regions, i),
			       (unsigned long long)count.value, tally_quality_name(count.quality));
	tally_regions_close(regions);
	return 0;
}
