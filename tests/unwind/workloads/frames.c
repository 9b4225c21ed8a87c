/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of every shape that compilers generate, in a chain of calls. The stack is known for every
 * sample in the innermost function. Argument: number of rounds. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

/* A leaf function without a frame, which runs much longer than its prologue. */
__attribute__((noinline)) static void leaf(volatile unsigned char *at)
{
	for (unsigned i = 0; i < 2000; i++)
		sink += at[i & 7] + i;
}

/* A frame of dynamic size. */
__attribute__((noinline)) static void with_alloca(unsigned n)
{
	unsigned char *at = alloca(n & 255 | 16);

	memset(at, (int)n, 16);
	leaf(at);
	sink += at[3];
}

/* The stack pointer is aligned; its previous value is saved elsewhere. */
__attribute__((noinline)) static void with_alignment(unsigned n)
{
	__attribute__((aligned(64))) volatile unsigned char at[192];

	at[n & 127] = 1;
	with_alloca(n + at[3]);
	sink += at[n & 127];
}

/* A frame of dynamic size with an aligned stack pointer, and arguments on the stack. */
__attribute__((noinline)) static unsigned with_both(unsigned a, unsigned b, unsigned c, unsigned d,
						    unsigned e, unsigned f, unsigned g, unsigned h)
{
	__attribute__((aligned(128))) volatile unsigned char at[256];
	unsigned char *more = alloca((a + h) & 127 | 8);

	at[g & 255] = (unsigned char)h;
	more[0] = at[f & 255];
	with_alignment(a + b + more[0]);
	return at[c & 255] + more[0] + d + e;
}

/* A frame larger than a page. */
__attribute__((noinline)) static unsigned with_much(unsigned n)
{
	volatile unsigned char at[5000];

	at[n % sizeof(at)] = 1;
	return with_both(n, 2, 3, 4, 5, 6, 7, 8) + at[n % sizeof(at)];
}

/* The frame is set up only just before the call. */
__attribute__((noinline)) static unsigned with_a_way_out(unsigned n)
{
	if (n & 1)
		return n * 3;
	return with_much(n) + with_much(n + 2) + n;
}

/* An indirect call. */
static unsigned (*volatile next)(unsigned n) = with_a_way_out;

__attribute__((noinline)) static unsigned recursion(unsigned depth, unsigned n)
{
	unsigned sum = depth ? recursion(depth - 1, n) : next(n);

	sink += depth; /* prevents tail recursion */
	return sum + 1;
}

/* The last instruction is a call that does not return. */
__attribute__((noinline, noreturn)) static void no_return(unsigned rounds)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum += recursion(10, i);
	exit(sum == 42);
}

int main(int argc, char **argv)
{
	no_return(argc > 1 ? (unsigned)atoi(argv[1]) : 100000);
}
