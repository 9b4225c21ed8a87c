/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare events of the classic ABI with events of the current ABI. Both events are in one group,
 * so that they count during the same periods. Prints one line per comparison: "NAME: same ...",
 * "NAME: DIFFERENT ...", or "NAME: refused by both".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tally/abi.h"
#include "tally/classic.h"
#include "tally/client.h"

static const struct tally_transport *linux_calls;
static struct tally_classic *perf;
static int wrong;

static void say(const char *name, int same, uint64_t classic, uint64_t today)
{
	printf("%s: %s %llu %llu\n", name, same ? "same" : "DIFFERENT", (unsigned long long)classic,
	       (unsigned long long)today);
	wrong |= !same;
}

static void use_time(int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

static void fault(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		return;
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * size] = 1;
	munmap(memory, pages * size);
}

/* A classic leader and a group member that uses the current ABI. */
struct pair {
	struct tally_classic_attr classic;
	struct perf_event_attr today;
	int classic_fd, today_fd;
};

/* Open a pair. Returns -1 if neither event can be opened, and exits if only one can. */
static int pair_open(struct pair *pair, const char *name)
{
	pair->classic.disabled = 1;
	pair->today.size = sizeof(pair->today);
	pair->classic_fd = tally_classic_open(perf, &pair->classic, 0, -1, -1, 0);
	if (pair->classic_fd >= 0) {
		pair->today_fd =
			linux_calls->open(linux_calls, &pair->today, 0, -1, pair->classic_fd, 0);
		if (pair->today_fd >= 0)
			return 0;
		printf("%s: DIFFERENT, today's is refused: %s\n", name, strerror(-pair->today_fd));
		exit(1);
	}
	pair->today_fd = linux_calls->open(linux_calls, &pair->today, 0, -1, -1, 0);
	if (pair->today_fd >= 0) {
		printf("%s: DIFFERENT, the classic one is refused: %s\n", name,
		       strerror(-pair->classic_fd));
		exit(1);
	}
	printf("%s: refused by both: %s, %s\n", name, strerror(-pair->classic_fd),
	       strerror(-pair->today_fd));
	return -1;
}

static void pair_close(struct pair *pair)
{
	linux_calls->close(linux_calls, pair->today_fd);
	tally_classic_close(perf, pair->classic_fd);
}

static void pair_run(const struct pair *pair)
{
	tally_classic_ioctl(perf, pair->classic_fd, TALLY_CLASSIC_IOC_ENABLE, 0);
	fault(50);
	use_time(3);
	tally_classic_ioctl(perf, pair->classic_fd, TALLY_CLASSIC_IOC_DISABLE, 0);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Compare two counts. Clocks may differ slightly, because they are read one after the other. */
static int counts_match(uint64_t a, uint64_t b, int is_clock)
{
	uint64_t apart = a > b ? a - b : b - a;

	return is_clock ? apart <= a / 20 : !apart;
}

static void compare_counts(uint32_t type, uint32_t id)
{
	struct pair pair = {
		.classic = {.config = TALLY_CLASSIC_EVENT(type, id), .read_format = 3},
		.today = {.type = type, .config = id, .read_format = 3},
	};
	int is_clock = type == PERF_TYPE_SOFTWARE && id <= PERF_COUNT_SW_TASK_CLOCK;
	uint64_t classic[3] = {0}, today[3] = {0};
	char name[64];

	snprintf(name, sizeof(name), "count %u:%u", type, id);
	if (pair_open(&pair, name))
		return;
	pair_run(&pair);
	if (tally_classic_read(perf, pair.classic_fd, classic, sizeof(classic)) !=
		    sizeof(classic) ||
	    linux_calls->read(linux_calls, pair.today_fd, today, sizeof(today)) != sizeof(today))
		say(name, 0, 0, 0);
	say(name, counts_match(classic[0], today[0], is_clock), classic[0], today[0]);
	snprintf(name, sizeof(name), "times of %u:%u", type, id);
	say(name, counts_match(classic[1], today[1], 1) && counts_match(classic[2], today[2], 1),
	    classic[1], today[1]);
	pair_close(&pair);
}

/* ---- samples --------------------------------------------------------------------------------- */

struct sample_today {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr;
	struct {
		uint64_t nr, value[2];
	} read;
};

/* Return true if two samples of the same overflow agree. Either sample may be taken first, and the
 * counts advance in between. */
static int samples_match(const struct tally_classic_header *classic,
			 const struct sample_today *today, const struct tally_classic_attr *attr)
{
	struct tally_classic_sample sample;

	return today && today->header.type == PERF_RECORD_SAMPLE &&
	       today->header.size == sizeof(*today) &&
	       !tally_classic_sample_decode(classic, &sample) && sample.ip == today->ip &&
	       sample.pid == today->pid && sample.tid == today->tid && sample.addr == today->addr &&
	       sample.time && sample.nr_group == today->read.nr &&
	       sample.group[0] == attr->config &&
	       sample.group[1] <= today->read.value[0] + attr->irq_period &&
	       today->read.value[0] <= sample.group[1] + attr->irq_period;
}

static void compare_samples(const char *name, uint32_t type, uint32_t id, uint64_t period)
{
	struct pair pair = {
		.classic = {.config = TALLY_CLASSIC_EVENT(type, id),
			    .irq_period = period,
			    .record_type = 31},
		.today = {.type = type,
			  .config = id,
			  .sample_period = period,
			  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					 PERF_SAMPLE_ADDR | PERF_SAMPLE_READ,
			  .read_format = PERF_FORMAT_GROUP},
	};
	size_t len = 17 * (size_t)sysconf(_SC_PAGESIZE), nr = 0, nr_today = 0, nr_same = 0;
	const struct tally_classic_header *record;
	const struct tally_classic_page *page;
	const struct perf_event_header *today;
	struct tally_ring *ring;

	if (pair_open(&pair, name))
		return;
	if (tally_classic_mmap(perf, pair.classic_fd, len, &page) ||
	    tally_ring_map(linux_calls, pair.today_fd, 16, false, &ring))
		exit(1);
	pair_run(&pair);
	while ((record = tally_classic_next(perf, pair.classic_fd))) {
		nr++;
		today = tally_ring_next(ring);
		nr_today += today != NULL;
		nr_same += samples_match(record, (const void *)today, &pair.classic);
	}
	nr_today += tally_ring_next(ring) != NULL;
	say(name, nr == nr_today && nr == nr_same, nr, nr_today);
	tally_ring_unmap(ring);
	pair_close(&pair);
}

/* ---- other comparisons ----------------------------------------------------------------------- */

/* A group member that uses the current ABI is inherited together with its classic leader. */
static void compare_inherited(void)
{
	struct pair pair = {
		.classic = {.config = TALLY_CLASSIC_EVENT(PERF_TYPE_SOFTWARE,
							  PERF_COUNT_SW_PAGE_FAULTS),
			    .inherit = 1},
		.today = {.type = PERF_TYPE_SOFTWARE,
			  .config = PERF_COUNT_SW_PAGE_FAULTS,
			  .inherit = 1},
	};
	uint64_t classic = 0, today = 1;
	pid_t child;

	if (pair_open(&pair, "inherited"))
		return;
	tally_classic_ioctl(perf, pair.classic_fd, TALLY_CLASSIC_IOC_ENABLE, 0);
	child = fork();
	if (!child) {
		fault(200);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	tally_classic_ioctl(perf, pair.classic_fd, TALLY_CLASSIC_IOC_DISABLE, 0);
	tally_classic_read(perf, pair.classic_fd, &classic, sizeof(classic));
	linux_calls->read(linux_calls, pair.today_fd, &today, sizeof(today));
	say("inherited", classic == today, classic, today);
	pair_close(&pair);
}

/* Both events are enabled for five of nine faults. */
static void compare_refreshed(void)
{
	struct tally_classic_attr classic = {
		.config = TALLY_CLASSIC_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
		.irq_period = 1,
		.disabled = 1};
	struct perf_event_attr today = {.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(today),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1,
					.disabled = 1};
	uint64_t values[2] = {0, 1};
	int fds[2];

	fds[0] = tally_classic_open(perf, &classic, 0, -1, -1, 0);
	fds[1] = linux_calls->open(linux_calls, &today, 0, -1, -1, 0);
	if (fds[0] < 0 || fds[1] < 0)
		exit(1);
	tally_classic_ioctl(perf, fds[0], TALLY_CLASSIC_IOC_REFRESH, 5);
	linux_calls->ioctl(linux_calls, fds[1], PERF_EVENT_IOC_REFRESH, 5);
	fault(9);
	tally_classic_read(perf, fds[0], &values[0], sizeof(values[0]));
	linux_calls->read(linux_calls, fds[1], &values[1], sizeof(values[1]));
	say("refreshed", values[0] == values[1], values[0], values[1]);
	tally_classic_close(perf, fds[0]);
	linux_calls->close(linux_calls, fds[1]);
}

int main(void)
{
	linux_calls = tally_transport_linux();
	if (tally_classic_new(NULL, &perf))
		return 2;
	for (uint32_t id = 0; id <= TALLY_CLASSIC_HW_BUS_CYCLES; id++)
		compare_counts(PERF_TYPE_HARDWARE, id);
	for (uint32_t id = 0; id <= TALLY_CLASSIC_SW_EMULATION_FAULTS; id++)
		compare_counts(PERF_TYPE_SOFTWARE, id);
	compare_samples("samples of faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	compare_samples("samples of cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 100000);
	compare_inherited();
	compare_refreshed();
	tally_classic_free(perf);
	return wrong;
}
