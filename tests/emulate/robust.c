/* SPDX-License-Identifier: BSD-2-Clause */
/* robust MODE: run a program that used to fail under emulation or to break the server, and print
 * the result. */
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
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct perf_event_attr sampling(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000,
					.sample_type = PERF_SAMPLE_IP,
					.disabled = 1,
					.exclude_kernel = 1,
					.wakeup_events = 1};
}

static int open_on(pid_t pid, int cpu)
{
	struct perf_event_attr attr = sampling();

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
}

static void use_time(int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

static void *map(int fd)
{
	return mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
}

static void unmap(void *ring)
{
	munmap(ring, 2 * (size_t)sysconf(_SC_PAGESIZE));
}

/* Open and close more events with rings than the server has descriptors. */
static void rounds(void)
{
	int done = 0;

	for (int fd; done < 600 && (fd = open_on(0, -1)) >= 0; done++) {
		void *ring = map(fd);

		if (ring == MAP_FAILED)
			break;
		unmap(ring);
		close(fd);
	}
	printf("%d rounds\n", done);
}

/* Map an event, unmap it and map it again. poll(2) must still report its samples. */
static void remap(void)
{
	int fd = open_on(0, -1);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	unmap(map(fd));
	map(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	use_time(50);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	poll(&poll_fd, 1, 1000);
	printf("poll:%s%s\n", poll_fd.revents & POLLIN ? " IN" : "",
	       poll_fd.revents & POLLHUP ? " HUP" : "");
}

static int handler_fd;
static volatile long handler_got;

static void on_small_stack(int number)
{
	uint64_t value;

	(void)number;
	handler_got = read(handler_fd, &value, sizeof(value));
	ioctl(handler_fd, PERF_EVENT_IOC_REFRESH, 1);
}

/* Call read(2) and ioctl(2) in a signal handler that runs on a small stack: 8 KB on most
 * processors. */
static void small_stack(void)
{
	/* The size of the signal frame depends on the processor's registers. */
	size_t size = getauxval(AT_MINSIGSTKSZ) + 6144;
	stack_t alternate = {.ss_sp = malloc(size), .ss_size = size};
	struct sigaction action = {.sa_handler = on_small_stack, .sa_flags = SA_ONSTACK};

	handler_fd = open_on(0, -1);
	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("read: %ld\n", handler_got);
}

/* After changing its UID, a process can no longer measure the former user's processes, but can
 * still measure itself. */
static void dropped(void)
{
	int before = open_on(getppid(), -1), others, all, own;

	if (setresuid(65534, 65534, 65534))
		exit(2);
	others = open_on(getppid(), -1) < 0 ? errno : 0;
	all = open_on(-1, 0) < 0 ? errno : 0;
	own = open_on(0, -1) < 0 ? errno : 0;
	(void)before;
	printf("others: %s, all of a CPU: %s, own: %s\n", strerror(others), strerror(all),
	       strerror(own));
}

static volatile int child_code, child_pid, fault_code;
static void *volatile fault_address;

static void on_child(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	child_code = info->si_code;
	child_pid = info->si_pid;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault_code = info->si_code;
	fault_address = info->si_addr;
	printf("fault: code %d, address %p\n", fault_code, fault_address);
	fflush(stdout);
	_exit(0);
}

/* Receive other signals with the same si_code while the signal for an event's exhausted REFRESH
 * limit is still pending. The other signals contain an exit status or an address in place of the
 * event's descriptor. */
static void other_signals(void)
{
	struct sigaction on_exit = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO};
	struct sigaction on_segv = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	int fd = open_on(0, -1);
	pid_t child;

	dup2(fd, 0);
	map(fd);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	use_time(50);
	sigaction(SIGCHLD, &on_exit, NULL);
	sigaction(SIGSEGV, &on_segv, NULL);
	child = fork();
	if (!child)
		_exit(fd);
	while (waitpid(child, NULL, 0) < 0)
		;
	printf("child: code %d, pid %s\n", child_code, child_pid == child ? "right" : "wrong");
	fflush(stdout);
	*(volatile char *)0x123450 = 1;
}

/* Wait for samples of an event with poll(2), without any other calls on the event. */
static void waits(void)
{
	int fd = open_on(0, -1);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int ready = 0;

	map(fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; !ready && i < 50; i++) {
		use_time(2);
		ready = poll(&poll_fd, 1, 100);
	}
	printf("poll: %d\n", ready);
}

/* Read into an invalid address. The next call must not receive a leftover reply. */
static void bad_pointers(void)
{
	int fds[2] = {open_on(0, -1), open_on(0, -1)};
	uint64_t ids[2] = {0, 0}, again = 0;
	ssize_t bad;

	ioctl(fds[0], PERF_EVENT_IOC_ID, &ids[0]);
	ioctl(fds[1], PERF_EVENT_IOC_ID, &ids[1]);
	bad = read(fds[0], (void *)-4096, sizeof(uint64_t));
	printf("read: %s", bad < 0 ? strerror(errno) : "worked");
	ioctl(fds[1], PERF_EVENT_IOC_ID, &again);
	printf(", id: %s, open: %s\n", again == ids[1] && again != ids[0] ? "right" : "wrong",
	       open_on(0, -1) >= 0 ? "works" : strerror(errno));
}

/* Data written to an event is discarded, and the writer does not block. */
static void writes(void)
{
	int fd = open_on(0, -1), done = 0;

	for (ssize_t ret = 0; done < 2000 && ret >= 0; done++)
		ret = write(fd, "", 1);
	printf("%s\n", done == 2000 || errno == EINVAL ? "went on" : strerror(errno));
}

static void *open_own(void *arg)
{
	return (void *)(intptr_t)(open_on(0, -1) < 0 ? errno : 0);
}

/* Make calls from several threads at the same time after changing the UID. Each thread has its own
 * connection. */
static void threads(void)
{
	pthread_t started[8];
	intptr_t failed = 0;
	void *ret;

	if (setresuid(65534, 65534, 65534))
		exit(2);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&started[i], NULL, open_own, NULL);
		for (int i = 0; i < 8; i++) {
			pthread_join(started[i], &ret);
			failed = failed ? failed : (intptr_t)ret;
		}
	}
	printf("%s\n", failed ? strerror((int)failed) : "all open");
}

/* Use the classic ABI (docs/classic.md) with a ring of one data page. Without wakeup_events, each
 * page causes a wakeup. The REFRESH limit is exhausted while the ring is being mapped. */
static void classic(void)
{
	uint64_t attr[7] = {1ull << 56 | PERF_COUNT_SW_TASK_CLOCK, 50000, PERF_SAMPLE_IP,
			    1 | 1 << 5};
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, 0), ready = 0;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	if (map(fd) == MAP_FAILED) {
		printf("mmap: %s\n", strerror(errno));
		return;
	}
	use_time(50);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; !ready && i < 200; i++) {
		use_time(5);
		ready = poll(&poll_fd, 1, 100);
	}
	printf("poll: %d\n", ready);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{"rounds", rounds},
		{"remap", remap},
		{"small_stack", small_stack},
		{"dropped", dropped},
		{"others", other_signals},
		{"waits", waits},
		{"bad_pointers", bad_pointers},
		{"writes", writes},
		{"threads", threads},
		{"classic", classic},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	}
	return 2;
}
