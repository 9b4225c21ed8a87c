/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The four functions that compilers call by themselves, for hosts that have none. Weak: the
 * host's own, which are faster, win.
 */
#include <stddef.h>

#if !__STDC_HOSTED__

#define WEAK __attribute__((weak, optimize("no-tree-loop-distribute-patterns")))

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	return memmove(to, from, len);
}

WEAK void *memmove(void *to, const void *from, size_t len)
{
	const unsigned char *f = from;
	unsigned char *t = to;

	if (t <= f) {
		for (size_t i = 0; i < len; i++)
			t[i] = f[i];
	} else {
		while (len--)
			t[len] = f[len];
	}
	return to;
}

WEAK void *memset(void *to, int byte, size_t len)
{
	unsigned char *t = to;

	while (len--)
		*t++ = (unsigned char)byte;
	return to;
}

WEAK int memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;

	while (len && *x == *y) {
		x++;
		y++;
		len--;
	}
	return len ? *x - *y : 0;
}

#endif
