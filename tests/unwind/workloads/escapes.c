/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

void escape_cfa(void);
void escape_registers(void);
void escape_in_register(void);
void escape_by_place(void);
void escape_leaf(void);

static volatile unsigned sink;

__attribute__((noinline)) void escape_leaf(void)
{
	for (unsigned i = 0; i < 3000; i++)
		sink += i;
}

/* Keep values in registers that have to be restored from the callees' frames. */
__attribute__((noinline)) static unsigned keeps(unsigned a, unsigned b, unsigned c)
{
	escape_cfa();
	escape_registers();
	escape_in_register();
	escape_by_place();
	return a + b + c;
}

__attribute__((noinline)) static unsigned recursion(unsigned depth, unsigned n)
{
	unsigned sum = depth ? recursion(depth - 1, n) : keeps(n, n + 1, n + 2);

	sink += depth; /* prevents tail recursion */
	return sum + 1;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;

	for (unsigned i = 0; i < rounds; i++)
		sink += recursion(3, i);
	return 0;
}
