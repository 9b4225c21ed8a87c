/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that can be opened but never fire. For example, a hypervisor may pass on the breakpoint
 * registers but not the traps, or counters may run but stay at zero. An event is assumed to be of
 * this kind if it is caused on purpose and still not counted.
 */
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/arith.h"
#include "client/client_probe.h"

enum { TIMES = 5, WORK_NS = 2000000, PAUSE_NS = 100000 };

struct causing {
	const struct tally_probe_work *work;
	volatile uint64_t word; /* word watched by a breakpoint */
};

static void store(struct causing *causing)
{
	causing->word++;
}

static __attribute__((noinline)) void executed(struct causing *causing)
{
	causing->word++;
}

/* Volatile, so that the compiler cannot inline the call. */
static void (*volatile const call_executed)(struct causing *causing) = executed;

static void execute(struct causing *causing)
{
	call_executed(causing);
}

static void work(struct causing *causing)
{
	causing->work->run(causing->work->arg, WORK_NS / TIMES);
}

static void fault(struct causing *causing)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	*memory = 1;
	munmap((void *)memory, page);
}

static void sleep_a_moment(struct causing *causing)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* Functions that cause events, by kind of event. `in_kernel` is set if the event occurs in the
 * kernel and must be counted there. */
static const struct cause {
	uint32_t type;
	uint64_t config;
	void (*cause)(struct causing *causing);
	bool in_kernel;
} causes[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, work, false},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, work, false},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, work, false},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, work, false},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, work, false},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, work, false},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, fault, false},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, fault, false},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, sleep_a_moment, true},
};
static const struct cause stores = {PERF_TYPE_BREAKPOINT, 0, store, false},
			  executions = {PERF_TYPE_BREAKPOINT, 0, execute, false};

static const struct cause *cause_of(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return attr->bp_type & HW_BREAKPOINT_X ? &executions : &stores;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(causes); i++) {
		if (causes[i].type == attr->type && causes[i].config == attr->config)
			return &causes[i];
	}
	return NULL;
}

static struct perf_event_attr attr_for(const struct cause *cause, const struct causing *causing)
{
	struct perf_event_attr attr = {
		.type = cause->type,
		.size = sizeof(attr),
		.config = cause->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = !cause->in_kernel,
		.exclude_hv = 1,
	};

	if (cause->type != PERF_TYPE_BREAKPOINT)
		return attr;
	attr.bp_type = cause == &executions ? HW_BREAKPOINT_X : HW_BREAKPOINT_W;
	attr.bp_len = cause == &executions ? sizeof(long) : sizeof(causing->word);
	attr.bp_addr = cause == &executions ? (uintptr_t)call_executed : (uintptr_t)&causing->word;
	return attr;
}

enum tally_probe_answer tally_probe_fires(const struct tally_transport *transport,
					  const struct perf_event_attr *attr,
					  const struct tally_probe_work *work)
{
	const struct cause *cause = cause_of(attr);
	struct causing causing = {.work = work};
	struct perf_event_attr probe;
	uint64_t counts[3] = {0}; /* value, enabled, running */
	int fd;

	if (!cause)
		return TALLY_PROBE_UNKNOWN;
	probe = attr_for(cause, &causing);
	fd = transport->open(transport, &probe, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return TALLY_PROBE_UNKNOWN;
	for (int i = 0; i < TIMES; i++)
		cause->cause(&causing);
	if (transport->read(transport, fd, counts, sizeof(counts)) != sizeof(counts))
		memset(counts, 0, sizeof(counts));
	transport->close(transport, fd);
	if (counts[0])
		return TALLY_PROBE_YES;
	return counts[2] ? TALLY_PROBE_NO : TALLY_PROBE_UNKNOWN;
}

const char *tally_probe_fires_name(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return "hardware breakpoints";
	return attr->type == PERF_TYPE_HARDWARE ? "hardware counters" : "software events";
}
