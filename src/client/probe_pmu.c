/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe the hardware counters by using them briefly, to find out whether they count, whether they
 * interrupt, how many exist and how many are free. A machine may report any of this incorrectly,
 * but the counts of a known loop are reliable.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "client/client_probe.h"

enum {
	WORK_NS = 12000000, /* several rotation intervals, which are 1 to 4 ms long */
	MAX_SLOTS = 48,     /* more than any PMU has */
	SAMPLES_WANTED = 8, /* number of samples per run */
	MIN_PERIOD = 1000,  /* large enough to avoid throttling */
	MAX_PRECISE = 3,
};

struct probe_counts {
	uint64_t value, enabled, running;
};

struct pmu_probing {
	const struct tally_transport *transport;
	const struct tally_probe_work *work;
	struct tally_pmu_probe probe;
	uint64_t config;
	struct probe_counts counts;
};

/* ---- work -------------------------------------------------------------------- */

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Spin on branches and arithmetic, so that every candidate event occurs. */
static void spin(void *arg, uint64_t ns)
{
	enum { BETWEEN_LOOKS = 20000 };
	uint64_t end = thread_ns() + ns;
	volatile uint32_t word = 1;

	while (thread_ns() < end) {
		for (int i = 0; i < BETWEEN_LOOKS; i++)
			word = word & 1 ? word * 3 + 1 : word / 2;
	}
}

const struct tally_probe_work *tally_probe_work_spin(void)
{
	static const struct tally_probe_work work = {.run = spin};

	return &work;
}

/* ---- events -------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t config;
} candidates[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
};

static struct perf_event_attr attr_of(const struct pmu_probing *look)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = look->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* Open an event. A leader is opened disabled, and with enable_on_exec although no exec follows:
 * when checking whether a group fits, some drivers ignore events that are merely disabled. */
static int open_event(const struct pmu_probing *look, struct perf_event_attr attr, int leader)
{
	attr.disabled = attr.enable_on_exec = leader < 0;
	return look->transport->open(look->transport, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void close_event(const struct pmu_probing *look, int fd)
{
	look->transport->close(look->transport, fd);
}

/* Let a group count while the work runs. Returns zeros if the group could not be read, which means
 * that it never ran. */
static struct probe_counts run_event(const struct pmu_probing *look, int fd)
{
	const struct tally_transport *transport = look->transport;
	struct probe_counts counts = {0};

	transport->ioctl(transport, fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	look->work->run(look->work->arg, WORK_NS);
	transport->ioctl(transport, fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (transport->read(transport, fd, &counts, sizeof(counts)) != sizeof(counts))
		counts = (struct probe_counts){0};
	return counts;
}

/* ---- counting ------------------------------------------------------------------- */

static bool is_absent(int code)
{
	return code == -ENOENT || code == -ENODEV || code == -ENXIO || code == -EOPNOTSUPP;
}

/* Count a candidate event during one run. Returns 0 or the -errno from opening the event. */
static int try_candidate(struct pmu_probing *look, size_t index)
{
	int fd;

	look->config = candidates[index].config;
	fd = open_event(look, attr_of(look), -1);
	if (fd < 0)
		return fd;
	look->probe.event = candidates[index].name;
	look->counts = run_event(look, fd);
	close_event(look, fd);
	if (look->counts.value)
		look->probe.state = TALLY_PMU_COUNTS_ONLY;
	else
		look->probe.state = look->counts.running ? TALLY_PMU_STUCK : TALLY_PMU_TAKEN;
	return 0;
}

/* Use the first event that counts. If there is none, use the first event that got no counter,
 * because it might count; failing that, use any event that can be opened. */
static void find_counting(struct pmu_probing *look)
{
	struct pmu_probing best = *look;

	best.probe.state = TALLY_PMU_ABSENT;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(candidates); i++) {
		struct pmu_probing next = *look;
		int ret = try_candidate(&next, i);

		if (!ret && (best.probe.state < next.probe.state))
			best = next;
		if (ret && best.probe.state == TALLY_PMU_ABSENT)
			best.probe.code = ret;
		if (ret && !is_absent(ret))
			best.probe.state = TALLY_PMU_UNKNOWN;
		if (best.probe.state == TALLY_PMU_COUNTS_ONLY ||
		    best.probe.state == TALLY_PMU_UNKNOWN)
			break;
	}
	*look = best;
}

/* ---- sampling -------------------------------------------------------------------- */

static struct perf_event_attr sampling_attr(const struct pmu_probing *look)
{
	struct perf_event_attr attr = attr_of(look);

	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = TALLY_MAX(look->counts.value / SAMPLES_WANTED, (uint64_t)MIN_PERIOD);
	return attr;
}

enum sampled { SAMPLED_NONE, SAMPLED_SKIDDING, SAMPLED_EXACT, SAMPLED_UNSEEN };

/* Classify the first sample in a ring. */
static enum sampled first_sample(const struct perf_event_mmap_page *page, size_t page_size)
{
	const char *data = (const char *)page + (page->data_offset ? page->data_offset : page_size);
	struct perf_event_header header;

	if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) < sizeof(header))
		return SAMPLED_NONE;
	memcpy(&header, data, sizeof(header));
	return header.misc & PERF_RECORD_MISC_EXACT_IP ? SAMPLED_EXACT : SAMPLED_SKIDDING;
}

/* Check whether samples arrive while the work runs, using a ring of the minimum size. */
static enum sampled sample_event(const struct pmu_probing *look, int fd)
{
	const struct tally_transport *transport = look->transport;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	enum sampled sampled;
	void *memory;

	if (transport->mmap(transport, fd, 2 * page_size, true, &memory))
		return SAMPLED_UNSEEN;
	run_event(look, fd);
	sampled = first_sample(memory, page_size);
	transport->munmap(transport, memory, 2 * page_size);
	return sampled;
}

/* Find the highest precision that is delivered, because some drivers accept any precision. */
static void find_precise(struct pmu_probing *look)
{
	struct perf_event_attr attr = sampling_attr(look);
	int fd = -1, precise = MAX_PRECISE + 1;

	while (fd < 0 && --precise) {
		attr.precise_ip = (unsigned)precise & MAX_PRECISE;
		fd = open_event(look, attr, -1);
	}
	if (fd < 0)
		return;
	/* If samples cannot be observed, assume that the accepted precision is delivered. */
	if (sample_event(look, fd) >= SAMPLED_EXACT)
		look->probe.precise = precise;
	close_event(look, fd);
}

static void find_sampling(struct pmu_probing *look)
{
	int fd = open_event(look, sampling_attr(look), -1);
	enum sampled sampled;

	if (fd < 0) {
		look->probe.code = fd;
		return;
	}
	sampled = sample_event(look, fd);
	close_event(look, fd);
	if (sampled == SAMPLED_NONE) {
		look->probe.no_interrupt = true;
		return;
	}
	look->probe.state = TALLY_PMU_SAMPLES;
	look->probe.unproved = sampled == SAMPLED_UNSEEN;
	find_precise(look);
}

/* ---- number of counters ----------------------------------------------------------- */

struct probe_group {
	int fds[MAX_SLOTS];
	unsigned nr;
	int code; /* -errno from the member that could not be opened, or 0 */
};

static void group_open(const struct pmu_probing *look, unsigned wanted, struct probe_group *group)
{
	*group = (struct probe_group){0};
	while (group->nr < wanted) {
		int leader = group->nr ? group->fds[0] : -1;
		int fd = open_event(look, attr_of(look), leader);

		if (fd < 0) {
			group->code = fd;
			return;
		}
		group->fds[group->nr++] = fd;
	}
}

static void group_close(const struct pmu_probing *look, struct probe_group *group)
{
	while (group->nr)
		close_event(look, group->fds[--group->nr]);
}

/* Return true if `nr` events get their counters at the same time. */
static bool group_runs(const struct pmu_probing *look, unsigned nr)
{
	struct probe_group group;
	bool runs;

	group_open(look, nr, &group);
	runs = group.nr == nr && run_event(look, group.fds[0]).running;
	group_close(look, &group);
	return runs;
}

/* Find the number of counters. Most kernels reject a member if the group would not fit even on an
 * idle PMU. */
static void find_slots(struct pmu_probing *look)
{
	struct probe_group group;

	group_open(look, MAX_SLOTS, &group);
	if (group.code == -EINVAL || group.code == -ENOSPC)
		look->probe.slots = group.nr;
	group_close(look, &group);
}

/* Find the size of the largest group that runs. A group that does not fit now will never run, so
 * each size needs only one attempt. Groups of `runs` events are known to run. */
static unsigned find_free(const struct pmu_probing *look, unsigned runs)
{
	unsigned slots = look->probe.slots, fails = (slots ? slots : MAX_SLOTS) + 1;

	if (slots && group_runs(look, slots))
		return slots;
	while (fails > runs + 1) {
		unsigned middle = runs + (fails - runs) / 2;

		if (group_runs(look, middle))
			runs = middle;
		else
			fails = middle;
	}
	return runs;
}

/* ---- the whole probe ---------------------------------------------------------------- */

const char *tally_pmu_state_name(enum tally_pmu_state state)
{
	static const char *const names[] = {
		[TALLY_PMU_UNKNOWN] = "unknown",
		[TALLY_PMU_ABSENT] = "absent",
		[TALLY_PMU_STUCK] = "stuck",
		[TALLY_PMU_TAKEN] = "taken",
		[TALLY_PMU_COUNTS_ONLY] = "counts-only",
		[TALLY_PMU_SAMPLES] = "samples",
	};

	return names[state];
}

struct tally_pmu_probe tally_probe_pmu(const struct tally_transport *transport,
				       const struct tally_probe_work *work)
{
	struct pmu_probing look = {.transport = transport, .work = work};

	find_counting(&look);
	if (look.probe.state == TALLY_PMU_COUNTS_ONLY) {
		look.probe.shares = look.counts.running < look.counts.enabled;
		find_sampling(&look);
		find_slots(&look);
		look.probe.slots_free = find_free(&look, 1);
	} else if (look.probe.state == TALLY_PMU_TAKEN) {
		find_slots(&look);
	}
	return look.probe;
}
