/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack deeper than any dump, and many small frames that fill a dump. */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) static unsigned small(unsigned depth)
{
	unsigned sum = depth ? small(depth - 1) : 0;

	for (unsigned i = 0; i < 20; i++)
		sink += i;
	return sum + 1;
}

__attribute__((noinline)) static unsigned large(unsigned depth)
{
	volatile unsigned char room[5000];
	unsigned sum;

	room[depth % sizeof(room)] = 1;
	sum = depth ? large(depth - 1) : small(20);
	return sum + room[depth % sizeof(room)];
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;

	for (unsigned i = 0; i < rounds; i++)
		sink += small(2000) + large(5 + i % 20);
	return 0;
}
