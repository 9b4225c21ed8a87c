/* SPDX-License-Identifier: BSD-2-Clause */
/* A library with many functions that call each other through its stubs. */
int calls_all(int n);

#define EACH_4(x, n)  x(n##0) x(n##1) x(n##2) x(n##3)
#define EACH_16(x, n) EACH_4(x, n##0) EACH_4(x, n##1) EACH_4(x, n##2) EACH_4(x, n##3)
#define EACH_64(x, n) EACH_16(x, n##0) EACH_16(x, n##1) EACH_16(x, n##2) EACH_16(x, n##3)
#define EACH(x)       EACH_64(x, 0) EACH_64(x, 1) EACH_64(x, 2) EACH_64(x, 3)

#define DEFINE(n)                          \
	int a_rather_long_name_##n(int x); \
	int a_rather_long_name_##n(int x)  \
	{                                  \
		return x ^ 0x##n;          \
	}
#define CALL(n) +a_rather_long_name_##n(sum)

EACH(DEFINE)

int calls_all(int sum)
{
	return 0 EACH(CALL);
}
