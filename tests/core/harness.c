/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness.h"

const struct tally_sim_pmu harness_pmu = {
	.name = "cpu", .type = 8, .core = true, .nr_generic = 4, .width = 48};

const struct tally_sim_rates harness_busy = {.per_ms = {[SIM_CYCLES] = 3000000,
							[SIM_INSTRUCTIONS] = 4242427,
							[SIM_CACHE_REFERENCES] = 70001,
							[SIM_CACHE_MISSES] = 1009,
							[SIM_BRANCHES] = 600011,
							[SIM_BRANCH_MISSES] = 3001,
							[SIM_BUS_CYCLES] = 100003}};
const struct tally_sim_rates harness_calm = {
	.per_ms = {[SIM_CYCLES] = 800000, [SIM_INSTRUCTIONS] = 200003, [SIM_BRANCHES] = 10007}};

static void on_violation(void *arg, const char *what)
{
	fail_msg("the core broke the contract: %s", what);
}

void harness_begin(struct harness *harness, uint32_t nr_cpus, const struct tally_sim_config *config)
{
	struct tally_sim_config all = config ? *config : (struct tally_sim_config){0};
	struct tally_sim_spawn observer = {.cpu = nr_cpus, .caps = ALL_CAPS};

	all.nr_cpus = nr_cpus + 1;
	all.violated = on_violation;
	if (!all.pmus && !config) {
		all.pmus = &harness_pmu;
		all.nr_pmus = 1;
	}
	assert_int_equal(tally_sim_create(&all, &harness->sim), 0);
	harness->observer_cpu = nr_cpus;
	harness->observer = tally_sim_task_new(harness->sim, &observer);
	assert_non_null(harness->observer);
	sim_transport_init(&harness->transport, harness->sim, harness->observer);
}

void harness_end(struct harness *harness)
{
	assert_int_equal(tally_sim_destroy(harness->sim), 0);
}

struct tally_sim_task *harness_spawn(struct harness *harness, const struct tally_sim_step *script,
				     uint32_t cpu)
{
	struct tally_sim_spawn how = {.script = script, .cpu = cpu, .uid = 1000};
	struct tally_sim_task *task = tally_sim_task_new(harness->sim, &how);

	assert_non_null(task);
	return task;
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_LOST,
	};
}

struct perf_event_attr attr_hw(unsigned signal)
{
	return attr_of(PERF_TYPE_RAW, signal);
}

struct perf_event_attr attr_sw(uint32_t id)
{
	return attr_of(PERF_TYPE_SOFTWARE, id);
}

int harness_try(struct harness *harness, struct tally_sim_task *by, struct perf_event_attr attr,
		int32_t pid, int32_t cpu, int group_fd)
{
	return tally_sim_open(harness->sim, by, &attr, pid, cpu, group_fd, 0);
}

int harness_open(struct harness *harness, struct perf_event_attr attr,
		 const struct tally_sim_task *task, int32_t cpu, int group_fd)
{
	const struct tally_core_refusal *why = tally_sim_refusal(harness->sim);
	int fd = harness_try(harness, harness->observer, attr, task ? tally_sim_task_tid(task) : -1,
			     cpu, group_fd);

	if (fd < 0)
		fail_msg("open gave %d: %s: %s", fd, why->field, why->rule);
	return fd;
}

void harness_close(struct harness *harness, int fd)
{
	assert_int_equal(tally_sim_close(harness->sim, harness->observer, fd), 0);
}

void harness_ioctl(struct harness *harness, int fd, unsigned long request, uintptr_t arg)
{
	assert_int_equal(tally_sim_ioctl(harness->sim, harness->observer, fd, request, arg), 0);
}

void harness_enable(struct harness *harness, int fd)
{
	harness_ioctl(harness, fd, PERF_EVENT_IOC_ENABLE, 0);
}

void harness_disable(struct harness *harness, int fd)
{
	harness_ioctl(harness, fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- counts ------------------------------------------------------------------- */

static struct tally_read read_any(struct harness *harness, int fd, void *bytes, size_t size,
				  bool *ret_eof)
{
	struct tally_core_event *event = tally_sim_event(harness->sim, harness->observer, fd);
	int64_t len = tally_sim_read(harness->sim, harness->observer, fd, bytes, size);
	struct tally_read read = {0};
	struct tally_error err;
	size_t used;

	assert_true(len >= 0);
	*ret_eof = !len;
	if (!len)
		return read;
	assert_int_equal(tally_read_decode(bytes, (size_t)len,
					   tally_core_event_attr(event)->read_format, &read, &used,
					   &err),
			 0);
	assert_int_equal(used, len);
	assert_true(read.time_enabled >= read.time_running);
	return read;
}

struct reading harness_read(struct harness *harness, int fd)
{
	uint64_t words[8];
	struct reading reading = {0};
	struct tally_read read = read_any(harness, fd, words, sizeof(words), &reading.eof);

	reading.value = read.single.value;
	reading.enabled = read.time_enabled;
	reading.running = read.time_running;
	reading.id = read.single.id;
	reading.lost = read.single.lost;
	return reading;
}

uint64_t harness_value(struct harness *harness, int fd)
{
	return harness_read(harness, fd).value;
}

uint64_t harness_read_group(struct harness *harness, int fd, struct reading *ret_values)
{
	uint64_t words[64];
	bool eof;
	struct tally_read read = read_any(harness, fd, words, sizeof(words), &eof);

	for (uint64_t i = 0; i < read.nr; i++) {
		struct tally_read_value value = tally_read_get(&read, i);

		ret_values[i] = (struct reading){.value = value.value,
						 .enabled = read.time_enabled,
						 .running = read.time_running,
						 .id = value.id,
						 .lost = value.lost};
	}
	return eof ? 0 : read.nr;
}

uint64_t harness_id(struct harness *harness, int fd)
{
	uint64_t id = 0;

	harness_ioctl(harness, fd, PERF_EVENT_IOC_ID, (uintptr_t)&id);
	return id;
}

uint64_t truth(struct harness *harness, const struct tally_sim_task *task, uint32_t modes,
	       unsigned signal)
{
	struct tally_sim_filter filter = {.task = task, .modes = modes};

	return tally_sim_truth(harness->sim, filter, signal);
}

uint64_t truth_cpu(struct harness *harness, uint32_t cpu, unsigned signal)
{
	return tally_sim_truth(harness->sim, (struct tally_sim_filter){.cpus = 1u << cpu}, signal);
}

uint64_t truth_tree(struct harness *harness, const struct tally_sim_task *task, unsigned signal)
{
	struct tally_sim_filter filter = {.task = task, .tree = true};

	return tally_sim_truth(harness->sim, filter, signal);
}

/* ---- records ------------------------------------------------------------------- */

struct tally_ring *harness_map(struct harness *harness, int fd, size_t pages)
{
	struct tally_ring *ring;

	assert_int_equal(tally_ring_map(&harness->transport.transport, fd, pages, false, &ring), 0);
	return ring;
}

bool harness_record(struct tally_ring *ring, const struct perf_event_attr *attr,
		    struct record *ret_record)
{
	const struct perf_event_header *header = tally_ring_next(ring);
	struct tally_sample_layout layout;
	struct tally_error err;

	tally_ring_consume(ring);
	if (!header)
		return false;
	assert_int_equal(tally_sample_layout_init(&layout, attr), 0);
	ret_record->header = header;
	assert_int_equal(header->type == PERF_RECORD_SAMPLE
				 ? tally_sample_decode(&layout, header, header->size,
						       &ret_record->sample, &err)
				 : tally_trailer_decode(&layout, header, header->size,
							&ret_record->sample, &err),
			 0);
	return true;
}

/* Return the number of lost records, which is the second word in the body of PERF_RECORD_LOST. */
static uint64_t lost_of(const struct perf_event_header *header)
{
	uint64_t words[3];

	memcpy(words, header, sizeof(words));
	return words[2];
}

void harness_drain(struct tally_ring *ring, const struct perf_event_attr *attr,
		   struct ring_totals *tale)
{
	struct record record;

	while (harness_record(ring, attr, &record)) {
		switch (record.header->type) {
		case PERF_RECORD_SAMPLE:
			tale->samples++;
			tale->periods += record.sample.period;
			break;
		case PERF_RECORD_LOST:
			tale->lost_records++;
			tale->lost += lost_of(record.header);
			break;
		case PERF_RECORD_THROTTLE: tale->throttles++; break;
		case PERF_RECORD_UNTHROTTLE: tale->unthrottles++; break;
		default: tale->others++;
		}
		if (record.sample.present & PERF_SAMPLE_TIME) {
			assert_true(record.sample.time >= tale->last_time);
			tale->last_time = record.sample.time;
		}
	}
}
