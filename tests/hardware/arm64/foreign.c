/* SPDX-License-Identifier: BSD-2-Clause */
/* Program to be recorded on another architecture. Three functions call one another for a short
 * time. */
static volatile unsigned long sum;

static __attribute__((noinline)) void inner(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		sum += i;
}

static __attribute__((noinline)) void middle(void)
{
	inner(3000000);
	sum++;
}

static __attribute__((noinline)) void outer(void)
{
	middle();
	inner(1000000);
	sum++;
}

int main(void)
{
	for (int i = 0; i < 50; i++)
		outer();
	return 0;
}
