/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers that interrupt other handlers or frameless functions and run on an alternate stack. If
 * the second argument is "near", there is no alternate stack. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void on_inner(int number)
{
	leaf(20000);
}

static void on_outer(int number)
{
	leaf(10000);
	raise(SIGUSR1);
	leaf(10000);
}

static void on_info(int number, siginfo_t *info, void *context)
{
	leaf(20000);
}

__attribute__((noinline)) static void interrupted(unsigned n)
{
	leaf(n);
	sink++;
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	int flags = argc > 2 ? 0 : SA_ONSTACK;
	struct sigaction info = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
	struct itimerval timer = {{0, 2000}, {0, 2000}};
	stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

	sigaltstack(&stack, NULL);
	handle(SIGALRM, on_outer, flags | SA_RESTART);
	handle(SIGUSR1, on_inner, flags);
	sigaction(SIGUSR2, &info, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned i = 0; i < rounds; i++) {
		interrupted(100000);
		if (!(i & 7))
			raise(SIGUSR2);
	}
	return 0;
}
