# SPDX-License-Identifier: BSD-2-Clause
"""Programs measured by via.py. Each prints the CPU time that it used, in ns, as "told NUMBER"."""

# The share of each function is known, because the amounts of work are in fixed proportions. Each thread adds its CPU
# time to the number that the program prints.
SHARES = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>
volatile unsigned long sink;
#define WORK(name, times) __attribute__((noinline)) void name(long n) \
	{ for (long i = 0; i < n * times; i++) sink += i; sink++; }
WORK(one, 1) WORK(two, 2) WORK(three, 3) WORK(four, 4)
__attribute__((noinline)) void all(long n) { one(n); two(n); three(n); four(n); sink++; }
static long used(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}
static long told;
static void *thread(void *arg) { for (int i = 0; i < 100; i++) all((long)arg); return NULL; }
static void *telling(void *arg)
{
	long before = used();
	thread(arg);
	__atomic_add_fetch(&told, used() - before, __ATOMIC_SEQ_CST);
	return NULL;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	pthread_t threads[3];
	if (argc > 2) {
		for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, telling, (void *)n);
		for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
	} else if (n < 0) {
		for (;;) thread((void *)-n);
	} else {
		long before = used();
		thread((void *)n);
		told = used() - before;
	}
	printf("told %ld\n", told);
	return 0;
}
"""

# Forks children, half of which execute the program again. Each process prints its CPU time since the fork.
FORKS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static long used(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}
static void tell(int to)
{
	long told = used();
	_exit(write(to, &told, sizeof(told)) != sizeof(told));
}
int main(int argc, char **argv)
{
	long before = used(), told = 0, child;
	int ends[2], status;
	char number[16];
	if (argc > 1)
		tell(atoi(argv[1]));
	if (pipe(ends))
		return 1;
	snprintf(number, sizeof(number), "%d", ends[1]);
	for (int i = 0; i < 400; i++) {
		pid_t pid = fork();
		if (!pid && i % 2)
			execl("/proc/self/exe", argv[0], number, NULL);
		if (!pid)
			tell(ends[1]);
		if (waitpid(pid, &status, 0) != pid || status || read(ends[0], &child, sizeof(child)) != sizeof(child))
			return 1;
		told += child;
	}
	printf("told %ld\n", told + used() - before);
	return 0;
}
"""

GO = r"""
package main
import ("fmt"; "syscall")
var sink int
func used() int64 { var usage syscall.Rusage; syscall.Getrusage(0, &usage); return usage.Utime.Nano() + usage.Stime.Nano() }
func busy(n int) { for i := 0; i < n; i++ { sink += i } }
func main() { before := used(); done := make(chan bool)
	for i := 0; i < 4; i++ { go func() { for j := 0; j < 100; j++ { busy(1000000) }; done <- true }() }
	for i := 0; i < 4; i++ { <-done }
	fmt.Printf("told %d\n", used() - before) }
"""

NODE = """
const before = process.cpuUsage();
let s = 0;
for (let i = 0; i < 3e8; i++) s += i % 7;
const used = process.cpuUsage(before);
console.log('told ' + 1000 * (used.user + used.system));
"""

PYTHON = """
import time
before, s = time.process_time_ns(), 0
for i in range(3000000): s += i % 7
print('told', time.process_time_ns() - before)
"""

# Waits that may fail with EINTR. Without an argument, waits time out and none fails. With an argument, only timer
# signals can end a wait, so every wait fails.
WAITER = r"""
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
volatile unsigned long sink, alarms;
static void on_alarm(int signal)
{
	if (++alarms > 30000)
		_exit(9); /* waits are not interrupted */
}
static void spin(void) { for (int i = 0; i < 200000; i++) sink += i; }
int main(int argc, char **argv)
{
	struct timeval wait = {0, 3000};
	struct itimerval often = {{0, 7000}, {0, 7000}};
	struct sigaction action = {.sa_handler = on_alarm};
	struct epoll_event event;
	int pair[2], epoll = epoll_create1(0), ended = 0;
	char byte;
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	sigaction(SIGALRM, &action, NULL);
	if (argc > 1) /* only these signals end a wait */
		setitimer(ITIMER_REAL, &often, NULL);
	else
		setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	for (int i = 0; i < 300; i++) {
		spin();
		ended += epoll_wait(epoll, &event, 1, argc > 1 ? -1 : 3) < 0 && errno == EINTR;
		spin();
		ended += recv(pair[0], &byte, 1, 0) < 0 && errno == EINTR;
	}
	printf("%d %lu\n", ended, alarms);
}
"""
