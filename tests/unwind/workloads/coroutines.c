/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines that take turns, each on its own stack. */
#include <stdlib.h>
#include <ucontext.h>

enum { NR = 3, STACK = 1 << 16 };

static ucontext_t contexts[NR], here;
static volatile unsigned sink;
static unsigned rounds;

__attribute__((noinline)) static void leaf(unsigned n)
{
	for (unsigned i = 0; i < 2000; i++)
		sink += i ^ n;
}

__attribute__((noinline)) static void work(unsigned who, unsigned depth)
{
	if (depth)
		work(who, depth - 1);
	else
		leaf(who);
	sink++;
}

static void routine(int who)
{
	for (unsigned i = 0; i < rounds; i++) {
		work((unsigned)who, 3 + (unsigned)who);
		swapcontext(&contexts[who], &contexts[(who + 1) % NR]);
	}
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
	for (int i = 0; i < NR; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(STACK);
		contexts[i].uc_stack.ss_size = STACK;
		contexts[i].uc_link = &here;
		makecontext(&contexts[i], (void (*)(void))routine, 1, i);
	}
	swapcontext(&here, &contexts[0]);
	return 0;
}
