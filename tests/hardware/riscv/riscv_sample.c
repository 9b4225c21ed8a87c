/* SPDX-License-Identifier: BSD-2-Clause */
/* Check that there is one sample per elapsed period, and that all samples are in the loop. Also
 * check REFRESH and clocks. */
#include "riscv/riscv_user.h"

static struct perf_event_mmap_page *open_ring(struct perf_event_attr *attr, int *ret_fd)
{
	attr->disabled = 1;
	*ret_fd = event_open(attr, 0, -1, -1);
	return event_map(*ret_fd, 64);
}

/* Count the samples, the samples in user mode and the other records in a ring that has never
 * wrapped. */
static void count_samples(const struct perf_event_mmap_page *page, uint64_t *ret_all,
			  uint64_t *ret_user, uint64_t *ret_other)
{
	const char *data = (const char *)page + page->data_offset;

	*ret_all = *ret_user = *ret_other = 0;
	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *header = (const void *)(data + at);
		bool sample = header->type == PERF_RECORD_SAMPLE;

		*ret_all += sample;
		*ret_user += sample && (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					       PERF_RECORD_MISC_USER;
		*ret_other += !sample;
		at += header->size;
	}
}

static void sample_loop(const char *name, struct perf_event_attr *attr, uint64_t length)
{
	uint64_t all, user, other;
	int fd;
	struct perf_event_mmap_page *page = open_ring(attr, &fd);

	event_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(length);
	event_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count_samples(page, &all, &user, &other);
	say(name, all);
	say("sample.user", user);
	say("sample.other", other);
	say("sample.count", event_read(fd).value);
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
	event_close(fd);
}

static void sample_period(const char *name, uint64_t config, uint64_t period, uint64_t length)
{
	struct perf_event_attr attr = {.config = config,
				       .sample_period = period,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID};

	sample_loop(name, &attr, length);
}

static void sample_freq(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .freq = 1,
				       .sample_freq = 4000,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD};

	sample_loop("sample.freq", &attr, 100000000);
}

static void sample_clock(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 250000,
				       .sample_type = PERF_SAMPLE_IP};

	sample_loop("sample.clock", &attr, 50000000);
}

static void refresh(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .sample_period = 100000,
				       .sample_type = PERF_SAMPLE_IP};
	uint64_t all, user, other;
	int fd;
	struct perf_event_mmap_page *page = open_ring(&attr, &fd);

	event_ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	spin(1000000);
	count_samples(page, &all, &user, &other);
	say("sample.refresh", all);
	event_close(fd);
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
}

/* Sample cycles and instructions together. QEMU reports overflows of both events at the same
 * time. */
static void two_overflows_at_once(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .sample_period = 100000,
				       .sample_type = PERF_SAMPLE_IP};
	uint64_t all, user, other;
	int fds[2];
	struct perf_event_mmap_page *pages[2];

	pages[0] = open_ring(&attr, &fds[0]);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.sample_period = 70000;
	pages[1] = open_ring(&attr, &fds[1]);
	event_ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	event_ioctl(fds[1], PERF_EVENT_IOC_ENABLE, 0);
	spin(7000000);
	for (int i = 0; i < 2; i++) {
		event_ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
		count_samples(pages[i], &all, &user, &other);
		say("sample.both", all);
		say("sample.count", event_read(fds[i]).value);
		event_close(fds[i]);
		call(CALL_MUNMAP, (uintptr_t)pages[i], 0, 0, 0, 0);
	}
}

void test_sample(void)
{
	sample_period("sample.1M", PERF_COUNT_HW_CPU_CYCLES, 1000000, 100000000);
	sample_period("sample.100k", PERF_COUNT_HW_CPU_CYCLES, 100000, 100000000);
	sample_period("sample.10k", PERF_COUNT_HW_INSTRUCTIONS, 10000, 10000000);
	sample_freq();
	sample_clock();
	refresh();
	two_overflows_at_once();
}
