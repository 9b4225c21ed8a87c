/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make each system call described in perf_event_open(2) as programs do, and print the results
 * without counts, so that the output is the same with and without the preloaded library.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *number_name(int error)
{
	return error ? strerrorname_np(error) : "0";
}

/* Print "what: 3" or "what: -ENOENT". */
static long print_result(const char *what, long ret)
{
	if (ret < 0)
		printf("%s: -%s\n", what, number_name(errno));
	else
		printf("%s: %ld\n", what, ret);
	fflush(stdout);
	return ret;
}

static void print_yes_no(const char *what, int holds)
{
	printf("%s: %s\n", what, holds ? "yes" : "no");
	fflush(stdout);
}

static long open_event(void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

static struct perf_event_attr clock_attr(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1};
}

/* Use CPU time, nearly all of it in user mode. */
static void spin(long ms)
{
	struct timespec from, at;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
	} while ((at.tv_sec - from.tv_sec) * 1000 + (at.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static uint64_t count_of(int fd)
{
	uint64_t value[16] = {0};

	return read(fd, value, sizeof(value)) < 8 ? 0 : value[0];
}

/* ---- opening ---- */

static void opening(void)
{
	struct perf_event_attr attr = clock_attr();
	static union {
		struct perf_event_attr attr;
		char bytes[4096];
	} longer;
	int fds[2];

	print_result("open: null attr", open_event(NULL, 0, -1, -1, 0));
	print_result("open: wild attr", open_event((void *)0x10, 0, -1, -1, 0));
	attr.size = 1;
	print_result("open: size 1", open_event(&attr, 0, -1, -1, 0));
	print_yes_no("open: size is written back", attr.size >= 112);
	attr.size = 5000;
	print_result("open: size 5000", open_event(&attr, 0, -1, -1, 0));
	longer.attr = clock_attr();
	longer.bytes[1000] = 1;
	longer.attr.size = 4096;
	print_result("open: size beyond the attr, not zero", open_event(&longer, 0, -1, -1, 0));
	attr = clock_attr();
	attr.type = 9999;
	print_result("open: no such type", open_event(&attr, 0, -1, -1, 0));
	attr = clock_attr();
	attr.__reserved_2 = 1;
	print_result("open: reserved", open_event(&attr, 0, -1, -1, 0));
	attr = clock_attr();
	print_result("open: no process", open_event(&attr, 0x3ffffff, -1, -1, 0));
	print_result("open: nothing to count", open_event(&attr, -1, -1, -1, 0));
	print_result("open: no such cpu", open_event(&attr, 0, 100000, -1, 0));
	print_result("open: group -2", open_event(&attr, 0, -1, -2, 0));
	print_result("open: group is closed", open_event(&attr, 0, -1, 777, 0));
	print_result("open: group is no event", open_event(&attr, 0, -1, 1, 0));
	print_result("open: flags", open_event(&attr, 0, -1, -1, 1ul << 30));
	fds[0] = (int)print_result("open: lowest descriptor", open_event(&attr, 0, -1, -1, 0));
	fds[1] = (int)print_result("open: the next",
				   open_event(&attr, 0, -1, fds[0], PERF_FLAG_FD_CLOEXEC));
	print_result("open: flags of the first", fcntl(fds[0], F_GETFD));
	print_result("open: flags of the second", fcntl(fds[1], F_GETFD));
	print_result("close", close(fds[0]));
	print_result("close again", close(fds[0]));
	close(fds[1]);
	attr.size = 0;
	fds[0] = (int)print_result("open: size 0", open_event(&attr, 0, -1, -1, 0));
	close(fds[0]);
	errno = 0;
	print_result("open: of a thread that is not ours", open_event(NULL, 1, -1, -1, 0));
}

/* ---- counting ---- */

static void counting(void)
{
	struct perf_event_attr attr = clock_attr();
	uint64_t value[8] = {0}, id = 0, other;
	struct iovec pieces[2] = {{value, 8}, {value + 1, 8}}, wild = {(void *)0x40, 64};
	int fd, member;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = (int)open_event(&attr, 0, -1, -1, 0);
	attr.disabled = 0;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	member = (int)open_event(&attr, 0, -1, fd, 0);
	print_result("read: too short", read(fd, value, 8));
	print_result("read: wild", readv(fd, &wild, 1));
	print_result("read: all", read(fd, value, sizeof(value)));
	print_result("read: members", (long)value[0]);
	print_result("readv: pieces too short", readv(fd, pieces, 2));
	print_result("ioctl: id", ioctl(fd, PERF_EVENT_IOC_ID, &id));
	print_yes_no("ioctl: id is that of the read", id == value[4]);
	print_result("ioctl: id of the member", ioctl(member, PERF_EVENT_IOC_ID, &other));
	print_yes_no("ioctl: another id", id != other && other == value[6]);
	print_result("ioctl: id to nowhere", ioctl(fd, PERF_EVENT_IOC_ID, NULL));
	print_result("ioctl: period from nowhere", ioctl(fd, PERF_EVENT_IOC_PERIOD, 16));
	print_result("ioctl: period of one that counts", ioctl(fd, PERF_EVENT_IOC_PERIOD, &id));
	print_result("ioctl: unknown", ioctl(fd, 0x2477));
	print_result("ioctl: foreign", ioctl(fd, 0xffff1234));
	print_result("ioctl: filter", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid == 1"));
	print_result("ioctl: wild filter", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, 64));
	print_result("ioctl: output to itself", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
	print_result("ioctl: output to a closed one", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 777));
	print_result("ioctl: output to no event", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 1));
	print_result("ioctl: output nowhere", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1));
	print_result("ioctl: refresh of one that counts", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	print_result("ioctl: enable the group",
		     ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	spin(10);
	print_result("ioctl: disable the group",
		     ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	print_result("read: counted", read(fd, value, sizeof(value)));
	print_yes_no("read: a millisecond or more", value[3] >= 1000000 && value[1] >= value[2]);
	print_result("ioctl: reset", ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	print_result("read: after reset", read(fd, value, sizeof(value)));
	print_yes_no("read: nothing", !value[3]);
	close(member);
	close(fd);
	print_result("read: closed", read(fd, value, sizeof(value)));
	print_result("ioctl: closed", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
}

static void by_prctl(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd = (int)open_event(&attr, 0, -1, -1, 0);
	uint64_t before;

	print_result("prctl: enable", prctl(PR_TASK_PERF_EVENTS_ENABLE));
	spin(1);
	print_result("prctl: disable", prctl(PR_TASK_PERF_EVENTS_DISABLE));
	before = count_of(fd);
	spin(1);
	print_yes_no("prctl: counted", before > 0 && count_of(fd) == before);
	print_result("prctl: others pass", prctl(PR_SET_NAME, "named") == 0);
	close(fd);
}

/* ---- rings ---- */

static volatile sig_atomic_t signals, signal_code;

static void on_signal(int number, siginfo_t *info, void *context)
{
	signals++;
	signal_code = info->si_code;
}

static struct perf_event_attr sampling_attr(void)
{
	struct perf_event_attr attr = clock_attr();

	attr.sample_period = 500000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	attr.wakeup_events = 1;
	return attr;
}

static void mapping(void)
{
	struct perf_event_attr attr = sampling_attr();
	int fd = (int)open_event(&attr, 0, -1, -1, 0);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring;
	struct perf_event_header *record;

	print_result("mmap: three data pages",
		     (long)mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	print_result("mmap: private",
		     (long)mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
	print_result("mmap: offset", (long)mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED,
						fd, (off_t)page));
	ring = mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	print_yes_no("mmap: eight data pages", ring != MAP_FAILED);
	if (ring == MAP_FAILED)
		return;
	print_result("mmap: data_size", (long)(ring->data_size / page));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	print_yes_no("ring: samples", ring->data_head > 0);
	record = (struct perf_event_header *)((char *)ring + ring->data_offset);
	print_result("ring: type", record->type);
	print_result("ring: size", record->size);
	print_yes_no("ring: pid", ((uint32_t *)(record + 1))[2] == (uint32_t)getpid());
	print_result("munmap", munmap(ring, 9 * page));
	close(fd);
}

/* Functions that wait for a descriptor with poll, epoll or select. They return the number of
 * descriptors that became ready in time. */
typedef int waiter(int fd, int ms);

static short polled;

static int wait_by_poll(int fd, int ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	int nr = poll(&wait, 1, ms);

	polled = nr ? wait.revents : polled;
	return nr;
}

static int wait_by_epoll(int epoll_fd, int ms)
{
	struct epoll_event got;

	return epoll_wait(epoll_fd, &got, 1, ms);
}

static int wait_by_select(int fd, int ms)
{
	struct timeval time = {.tv_usec = 1000 * ms};
	fd_set readable;

	FD_ZERO(&readable);
	FD_SET(fd, &readable);
	return select(fd + 1, &readable, NULL, NULL, &time);
}

enum { ATTEMPTS = 20, LATE_WAKEUPS = 4 };

/* Enable an event until one of its samples wakes the waiter. This may take a while on a busy
 * machine. */
static int wait_for_sample(int event_fd, int fd, waiter *wait)
{
	int nr = 0;

	for (int i = 0; !nr && i < ATTEMPTS; i++) {
		ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0);
		spin(10);
		ioctl(event_fd, PERF_EVENT_IOC_DISABLE, 0);
		nr = wait(fd, 20);
	}
	return nr;
}

/* Wait again without samples. Returns 0 once all delayed wakeups have arrived. */
static int wait_without_samples(int fd, waiter *wait)
{
	int nr = 1;

	for (int i = 0; nr > 0 && i < LATE_WAKEUPS; i++) {
		usleep(20000);
		nr = wait(fd, 0);
	}
	return nr;
}

static void waiting(void)
{
	struct perf_event_attr attr = sampling_attr();
	size_t len = 9 * (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)open_event(&attr, 0, -1, -1, 0), epoll_fd = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	void *ring = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	print_result("epoll: add", epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event));
	print_result("poll: nothing yet", wait_by_poll(fd, 0));
	print_result("poll: a wakeup", wait_for_sample(fd, fd, wait_by_poll));
	print_result("poll: what", polled);
	print_result("poll: once", wait_without_samples(fd, wait_by_poll));
	print_result("epoll: a wakeup", wait_for_sample(fd, epoll_fd, wait_by_epoll));
	print_result("epoll: once", wait_without_samples(epoll_fd, wait_by_epoll));
	print_result("select: a wakeup", wait_for_sample(fd, fd, wait_by_select));
	print_result("select: once", wait_without_samples(fd, wait_by_select));
	munmap(ring, len);
	close(epoll_fd);
	close(fd);
}

static void signalling(void)
{
	struct perf_event_attr attr = sampling_attr();
	size_t len = 9 * (size_t)sysconf(_SC_PAGESIZE);
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	int fd = (int)open_event(&attr, 0, -1, -1, 0);
	void *ring = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	sigaction(SIGRTMIN + 1, &action, NULL);
	print_result("fcntl: owner", fcntl(fd, F_SETOWN, getpid()));
	print_result("fcntl: signal", fcntl(fd, F_SETSIG, SIGRTMIN + 1));
	print_result("fcntl: async", fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC));
	for (int i = 0; !signals && i < ATTEMPTS; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		spin(20);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		usleep(20000);
	}
	print_yes_no("signal: came", signals > 0);
	print_yes_no("signal: POLL_IN", signal_code == POLL_IN);
	munmap(ring, len);
	close(fd);
}

/* ---- descriptors ---- */

static void duplicating(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd, copy;

	attr.disabled = 0;
	fd = (int)open_event(&attr, 0, -1, -1, 0);
	copy = (int)print_result("dup", dup(fd));
	print_result("dup2", dup2(fd, 100));
	print_result("F_DUPFD", fcntl(fd, F_DUPFD_CLOEXEC, 50));
	spin(1);
	print_yes_no("dup: counts", count_of(copy) > 0 && count_of(100) > 0 && count_of(50) > 0);
	print_result("close of the first", close(fd));
	print_yes_no("dup: counts still", count_of(copy) > 0);
	close(copy);
	print_result("close_range", close_range(50, 100, 0));
	print_result("read of one that close_range closed", read(100, &attr, sizeof(attr)));
}

/* Send a descriptor to this process itself through a socket, and return the received copy. */
static int pass(int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int ends[2], passed = -1;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	sendmsg(ends[0], &message, 0);
	close(fd);
	message.msg_controllen = sizeof(control);
	recvmsg(ends[1], &message, 0);
	memcpy(&passed, CMSG_DATA(&control.header), sizeof(passed));
	close(ends[0]);
	close(ends[1]);
	return passed;
}

static void passing(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd;

	attr.disabled = 0;
	fd = pass((int)open_event(&attr, 0, -1, -1, 0));
	spin(1);
	print_yes_no("SCM_RIGHTS: counts", count_of(fd) > 0);
	close(fd);
}

/* ---- processes ---- */

static void forking(void)
{
	struct perf_event_attr attr = clock_attr();
	int fd, status;
	uint64_t before;
	pid_t child;

	attr.disabled = 0;
	attr.inherit = 1;
	fd = (int)open_event(&attr, 0, -1, -1, 0);
	spin(1);
	before = count_of(fd);
	child = fork();
	if (!child) {
		print_yes_no("fork: the child reads", count_of(fd) >= before);
		spin(50);
		_exit(7);
	}
	waitpid(child, &status, 0);
	print_yes_no("fork: inherited", count_of(fd) - before >= 45000000);
	print_result("fork: exit status", WEXITSTATUS(status));
	close(fd);
}

static void hanging_up(void)
{
	struct perf_event_attr attr = sampling_attr();
	struct pollfd wait = {.events = POLLIN};
	size_t len = 9 * (size_t)sysconf(_SC_PAGESIZE);
	int ends[2], fd;
	pid_t child;
	void *ring;
	char byte;

	(void)!pipe(ends);
	child = fork();
	if (!child) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	fd = (int)open_event(&attr, child, -1, -1, 0);
	ring = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	wait.fd = fd;
	print_result("hup: not yet", poll(&wait, 1, 0));
	close(ends[1]);
	waitpid(child, NULL, 0);
	print_result("hup: poll", poll(&wait, 1, 300000));
	print_yes_no("hup: POLLHUP", wait.revents & POLLHUP);
	print_result("hup: read", read(fd, &byte, 1) < 0 && errno == ENOSPC);
	munmap(ring, len);
	close(fd);
	close(ends[0]);
}

static void *thread(void *argument)
{
	struct perf_event_attr attr = clock_attr();
	long sum = 0;

	attr.disabled = 0;
	for (int i = 0; i < 50; i++) {
		int fd = (int)open_event(&attr, 0, -1, -1, 0);

		spin(1);
		sum += count_of(fd) > 0;
		close(fd);
	}
	return (void *)sum;
}

static void threading(void)
{
	pthread_t threads[4];
	long sum = 0;
	void *one;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &one);
		sum += (long)one;
	}
	print_result("threads: events that counted", sum);
}

/* Execute this program again. The event stays open as descriptor 3. */
static void executing(char **argv)
{
	static char word[] = "executed";
	char *words[] = {NULL, word, NULL};
	struct perf_event_attr attr = clock_attr();
	int fd;

	words[0] = argv[0];
	attr.enable_on_exec = 1;
	fd = (int)print_result("exec: open", open_event(&attr, 0, -1, -1, 0));
	if (fd >= 0 && fd != 3)
		dup2(fd, 3);
	clearenv();
	execv("/proc/self/exe", words);
	print_result("exec", -1);
}

static void executed(void)
{
	spin(1);
	print_yes_no("exec: counts since", count_of(3) > 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "executed")) {
		executed();
		return 0;
	}
	opening();
	counting();
	by_prctl();
	mapping();
	waiting();
	signalling();
	duplicating();
	passing();
	forking();
	hanging_up();
	threading();
	executing(argv);
	return 1;
}
