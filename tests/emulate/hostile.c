/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that do random things with an emulated perf_event_open: wild pointers, descriptors that
 * are closed or moved, invalid messages, and forks, execs and exits at any time. "hostile SEED
 * PROGRAMS" runs PROGRAMS such programs, three at a time, and acts like a well-behaved program
 * whenever one of them exits. The exit status is 0 if the well-behaved actions always worked and no
 * program was killed by a signal other than SIGKILL, which programs send to themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 200, AT_ONCE = 3 };

static uint64_t state;

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull % below;
}

/* Return a pointer to this program's memory, to unmapped memory, to read-only memory, or to the end
 * of a buffer. */
static void *any_pointer(void)
{
	static uint64_t own[512];
	static const char constant[64];
	void *const choices[] = {own,
				 NULL,
				 (void *)16,
				 (void *)~(uintptr_t)7,
				 (void *)(uintptr_t)constant,
				 (char *)own + sizeof(own) - 4,
				 (void *)pick(UINT64_MAX)};

	for (size_t i = 0; i < 16; i++)
		own[i] = pick(3) ? pick(10) : pick(UINT64_MAX);
	((uint32_t *)own)[1] = pick(2) ? 128 : (uint32_t)pick(5000);
	return choices[pick(sizeof(choices) / sizeof(*choices))];
}

/* Return a random descriptor, usually a low one that is likely to be an event. */
static int any_fd(void)
{
	return pick(8) ? 3 + (int)pick(12) : (int)pick(1000) - 2;
}

static void step_open(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = (uint32_t)pick(3),
				       .config = pick(4),
				       .disabled = pick(2),
				       .inherit = pick(2),
				       .enable_on_exec = pick(2),
				       .read_format = pick(32),
				       .sample_period = pick(2) ? 10000 : 0,
				       .sample_type = pick(64),
				       .wakeup_events = 1};

	syscall(SYS_perf_event_open, pick(8) ? (void *)&attr : any_pointer(),
		pick(4) ? 0 : (int)pick(70000) - 1, (int)pick(4) - 1, pick(3) ? -1 : any_fd(),
		pick(4) ? 0 : pick(64));
}

static void step_ioctl(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_PERIOD,
		PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER,
		PERF_EVENT_IOC_ID,
		PERF_EVENT_IOC_SET_BPF,
		PERF_EVENT_IOC_PAUSE_OUTPUT,
		PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		0x2499,
	};
	unsigned long request = requests[pick(sizeof(requests) / sizeof(*requests))];

	ioctl(any_fd(), request, pick(3) ? any_pointer() : (void *)(intptr_t)any_fd());
}

static void step_read(void)
{
	struct iovec pieces[] = {{any_pointer(), pick(5000)}, {any_pointer(), pick(100)}};
	int fd = any_fd();
	uint64_t token[2];
	socklen_t len = sizeof(token);

	/* Do not read from descriptors that may block forever. */
	if (getpeername(fd, (struct sockaddr *)token, &len))
		return;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (pick(2))
		(void)!read(fd, any_pointer(), pick(100000));
	else
		(void)!readv(fd, pick(9) ? pieces : any_pointer(), 2);
}

static void step_map(void)
{
	size_t page = 4096, len = page * (1 + (1u << pick(5)) + !pick(5));
	char *ring = mmap(NULL, len, PROT_READ | (pick(4) ? PROT_WRITE : 0),
			  pick(9) ? MAP_SHARED : MAP_PRIVATE, any_fd(),
			  pick(9) ? 0 : (off_t)(pick(3) * page));
	struct perf_event_mmap_page *metadata = (struct perf_event_mmap_page *)ring;

	if (ring == MAP_FAILED)
		return;
	if (!pick(3) && !mprotect(ring, len, PROT_READ | PROT_WRITE))
		metadata->data_tail = pick(UINT64_MAX);
	if (!pick(5) && !mprotect(ring, len, PROT_READ | PROT_WRITE))
		for (size_t i = 0; i < 64; i++)
			((uint64_t *)ring)[pick(len / 8)] = pick(UINT64_MAX);
	if (pick(2))
		munmap(ring, pick(4) ? len : page);
}

static void step_wait(void)
{
	struct pollfd polls[4];
	struct epoll_event event = {.events = EPOLLIN}, got;
	int epoll_fd;

	for (int i = 0; i < 4; i++)
		polls[i] = (struct pollfd){any_fd(), POLLIN, 0};
	poll(pick(9) ? polls : any_pointer(), 4, (int)pick(2));
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, any_fd(), &event);
	epoll_wait(epoll_fd, &got, 1, (int)pick(2));
	close(epoll_fd);
	if (!pick(8))
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

static void step_close(void)
{
	int fd = any_fd();

	if (pick(2))
		close(fd < 3 ? 3 : fd);
	else if (pick(3))
		dup2(any_fd(), fd < 3 ? 3 : fd);
	else
		close_range((unsigned)(fd < 3 ? 3 : fd), 2000, 0);
}

static void step_pass(void)
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
	int fd = any_fd(), ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return;
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	sendmsg(ends[0], &message, 0);
	message.msg_controllen = sizeof(control);
	if (pick(2))
		recvmsg(ends[1], &message, 0);
	close(ends[0]);
	close(ends[1]);
}

/* Send an invalid or nearly valid message to the server or to an event's descriptor. */
static void step_message(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *name = getenv("TALLY_EMULATE");
	uint32_t words[300];
	size_t len = pick(4) ? 56 + 8 * pick(17) : pick(sizeof(words));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = pick(2) ? (uint32_t)pick(16) : (uint32_t)pick(UINT64_MAX);
	if (pick(4)) {
		words[0] = 0x79a11e00;
		words[1] = 1 | (uint32_t)pick(12) << 16;
		words[2] = pick(3) ? (uint32_t)getpid() : (uint32_t)pick(70000);
		words[3] = (uint32_t)(len >= 56 ? len - 56 : 0);
	}
	send(any_fd(), words, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!name || fd < 0)
		return;
	memcpy(address.sun_path + 1, name, strlen(name));
	if (!connect(fd, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		for (uint64_t i = pick(20); i; i--)
			send(fd, words, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (pick(2))
		close(fd);
}

static void step_process(char **argv)
{
	char seed[32];
	pid_t child;

	switch (pick(12)) {
	case 0:
		child = fork();
		if (!child)
			_exit(0);
		break;
	case 1:
		child = vfork();
		if (!child)
			_exit(0);
		break;
	case 2:
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long)pick(UINT64_MAX) | 1);
		if (pick(2))
			clearenv();
		execv("/proc/self/exe", (char *[]){argv[0], seed, NULL});
		break;
	case 3: kill(getpid(), SIGKILL); break;
	default: break;
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static int program(char **argv)
{
	static void (*const steps[])(void) = {step_open, step_open,   step_ioctl, step_ioctl,
					      step_read, step_map,    step_wait,  step_close,
					      step_pass, step_message};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	for (int i = 0; i < STEPS; i++) {
		if (!pick(60))
			step_process(argv);
		steps[pick(sizeof(steps) / sizeof(*steps))]();
	}
	return 0;
}

/* Enable, disable and read an event like a well-behaved program. If there are no hardware events,
 * use a clock. */
static int decent(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), ret = -1;
	uint64_t value = 0;

	if (fd < 0 && errno == ENOENT) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	}
	if (fd < 0)
		return -1;
	if (!ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) && !ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) &&
	    read(fd, &value, sizeof(value)) == sizeof(value) &&
	    (attr.type == PERF_TYPE_SOFTWARE || value == 1000000))
		ret = 0;
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	long left = argc > 2 ? strtol(argv[2], NULL, 0) : 0, running = 0;
	int status;

	state = seed | 1;
	if (argc == 2)
		return program(argv);
	while (left || running) {
		for (; left && running < AT_ONCE; left--, running++) {
			state = pick(UINT64_MAX) | 1;
			if (!fork())
				return program(argv);
		}
		wait(&status);
		running--;
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
			printf("seed %llu: killed by %d\n", (unsigned long long)seed,
			       WTERMSIG(status));
			return 1;
		}
		if (decent()) {
			printf("seed %llu: a decent program fails\n", (unsigned long long)seed);
			return 1;
		}
	}
	return 0;
}
