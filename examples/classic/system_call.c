/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Use the design document's system call directly: count, sample into a ring buffer, and receive a
 * signal. No library is linked; the structures are defined in the header.
 *
 *	cc system_call.c -o system_call
 *	tally emulate --abi classic -- ./system_call
 */
#define TALLY_CLASSIC_NAMES
#include <tally/classic.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SOFTWARE ((uint64_t)PERF_TYPE_SOFTWARE << 56)

static int sys_perf_event_open(struct perf_event_attr *hw_event_uptr, pid_t pid, int cpu,
			       int group_fd, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, hw_event_uptr, pid, cpu, group_fd, flags);
}

/* Use CPU time. */
static void work(int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

/* Touch new pages. */
static void touch(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < pages; i++)
		memory[i * size] = 1;
}

static int count(void)
{
	struct perf_event_attr clock_attr = {.config = SOFTWARE | PERF_COUNT_SW_TASK_CLOCK,
					     .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
							    PERF_FORMAT_TOTAL_TIME_RUNNING,
					     .disabled = 1,
					     .exclude_kernel = 1};
	struct perf_event_attr faults_attr = {.config = SOFTWARE | PERF_COUNT_SW_PAGE_FAULTS,
					      .exclude_kernel = 1};
	int leader = sys_perf_event_open(&clock_attr, 0, -1, -1, 0);
	int member = sys_perf_event_open(&faults_attr, 0, -1, leader, 0);
	uint64_t values[3], faults;

	if (leader < 0 || member < 0)
		return -errno;
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	work(5);
	touch(100);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	if (read(leader, values, sizeof(values)) != sizeof(values) ||
	    read(member, &faults, sizeof(faults)) != sizeof(faults))
		return -errno;
	printf("task-clock %llu ns, enabled %llu ns, running %llu ns; page faults %llu\n",
	       (unsigned long long)values[0], (unsigned long long)values[1],
	       (unsigned long long)values[2], (unsigned long long)faults);
	close(member);
	close(leader);
	return 0;
}

static volatile sig_atomic_t signals;

static void signalled(int number)
{
	(void)number;
	signals++;
}

/* Print each record in the ring buffer. */
static void print_records(const struct perf_event_mmap_page *page, size_t size)
{
	const char *data = (const char *)page + sysconf(_SC_PAGESIZE);
	uint32_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = 0;

	while (tail != head) {
		struct perf_event_header header;
		uint64_t body[8];

		/* There are only a few records, so none of them wraps around. */
		memcpy(&header, data + tail % size, sizeof(header));
		memcpy(body, data + tail % size + sizeof(header), sizeof(body));
		if (header.misc & PERF_RECORD_MISC_OVERFLOW)
			printf("overflow of type %u, %u bytes: ip %s, pid %s\n", header.type,
			       header.size, body[0] ? "known" : "0",
			       (uint32_t)body[1] == (uint32_t)getpid() ? "mine" : "another");
		tail += header.size;
	}
}

/* Use CPU time until there are `number` records. This takes a while, because an overflow in the
 * kernel leaves no record: the event excludes the kernel. */
static void work_for_records(const struct perf_event_mmap_page *page, uint32_t number)
{
	const uint32_t size = 24; /* of a record: header, IP, PID and TID */

	for (int tries = 0; tries < 100; tries++) {
		work(20);
		if (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) >= number * size)
			return;
	}
}

static int sample(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE | PERF_COUNT_SW_TASK_CLOCK,
				       .irq_period = 1000000,
				       .record_type = PERF_RECORD_IP | PERF_RECORD_TID,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .wakeup_events = 1};
	size_t size = 4 * (size_t)sysconf(_SC_PAGESIZE);
	int fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	struct perf_event_mmap_page *page;
	void *memory;

	if (fd < 0)
		return -errno;
	memory = mmap(NULL, size + (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	page = memory;
	signal(SIGIO, signalled);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	work_for_records(page, 3);
	printf("poll %d, signals %s\n", poll(&poll_fd, 1, 1000), signals ? "came" : "did not come");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	print_records(page, size);
	munmap(memory, size + (size_t)sysconf(_SC_PAGESIZE));
	close(fd);
	return 0;
}

int main(void)
{
	int ret = count();

	if (!ret)
		ret = sample();
	if (ret)
		fprintf(stderr, "system_call: %s\n", strerror(-ret));
	return ret != 0;
}
