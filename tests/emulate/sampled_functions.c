/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions in which the emulator generates samples. */
int compute(int x);
int copy(int x);

int compute(int x)
{
	for (volatile int i = 0; i < 100; i++)
		x += i;
	return x;
}

int copy(int x)
{
	for (volatile int i = 0; i < 100; i++)
		x ^= i;
	return x;
}

int main(int argc, char **argv)
{
	return compute(argc) + copy(argc) == 3;
}
