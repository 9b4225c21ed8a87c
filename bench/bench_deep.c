/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with realistic call stacks: about twenty frames deep, a few thousand different stacks,
 * some of them hot, and system calls. "deep SECONDS" runs it. "deep pingpong ROUNDS" passes a byte
 * between two processes on one CPU, with two context switches per round.
 */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

typedef void node_fn(int depth);
static void call(int from, int depth);

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink += (uint64_t)i * 2654435761u;
	if (!(next_random() & 1023))
		sink += (uint64_t)getppid();
}

/* Sixty-four functions. Each does some work and calls one of a few other functions. */
#define NODE(a, b)                        \
	static void node##a##b(int depth) \
	{                                 \
		call(a * 8 + b, depth);   \
		sink++;                   \
	}
#define ROW(a) \
	NODE(a, 0) NODE(a, 1) NODE(a, 2) NODE(a, 3) NODE(a, 4) NODE(a, 5) NODE(a, 6) NODE(a, 7)
#define NAMES(a)                                                                            \
	node##a##0, node##a##1, node##a##2, node##a##3, node##a##4, node##a##5, node##a##6, \
		node##a##7
/* clang-format off */
ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)
	/* clang-format on */

	static node_fn *const nodes[64] = {NAMES(0), NAMES(1), NAMES(2), NAMES(3),
					   NAMES(4), NAMES(5), NAMES(6), NAMES(7)};

/* Call the next function. On every other level, a function always calls the same function. On the
 * levels in between, it calls one of two functions, the second one only rarely. */
static void call(int from, int depth)
{
	int to = (from * 11 + 5) & 63;

	if (depth <= 0) {
		work(20 + from);
		return;
	}
	if (depth & 1 && !(next_random() & 3))
		to = (from * 13 + 7) & 63;
	nodes[to](depth - 1);
	if (!(depth & 3))
		work(10);
}

static int run_deep(int seconds)
{
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		for (int i = 0; i < 10000; i++)
			nodes[i & 3](10);
	}
	return 0;
}

static int pass(int from, int to, long rounds)
{
	char byte = 0;

	while (rounds--) {
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			return 1;
	}
	return 0;
}

static int run_pingpong(long rounds)
{
	int there[2], back[2], failed;
	cpu_set_t one;
	pid_t child;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		return 1;
	child = fork();
	if (child < 0)
		return 1;
	if (!child)
		_exit(pass(there[0], back[1], rounds));
	failed = write(there[1], "", 1) != 1 || pass(back[0], there[1], rounds);
	waitpid(child, NULL, 0);
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "pingpong"))
		return run_pingpong(atol(argv[2]));
	return argc == 2 ? run_deep(atoi(argv[1])) : 2;
}
